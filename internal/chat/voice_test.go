package chat_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

// Text that the customer did not hear is not stored.
func TestOnlyHeardTextIsStored(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.AddScript(scripted.Text("It costs ten euros. Or more."))
		f := te.finish(te.start("What does it cost?", ""))
		c := f.Message.ConversationID
		check.Must(t, te.conversations().TruncateMessage(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c),
			f.Message.ID, len("It costs"), len("It costs ten euros. Or more.")))
		te.wantHistory(c, "user complete: What does it cost?", "assistant interrupted: It costs")
		var until int
		row := te.db.SQL().QueryRow(t.Context(), `select spoken_until from messages where id = ?`, f.Message.ID)
		check.Must(t, row.Scan(&until))
		if until != len("It costs") {
			t.Errorf("spoken until %d", until)
		}
		check.Must(t, te.conversations().TruncateMessage(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c),
			f.Message.ID, 0, 100))
		te.wantHistory(c, "user complete: What does it cost?")
		err := te.conversations().TruncateMessage(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c),
			f.Message.ID, 0, 100)
		if !parley.IsCode(err, parley.CodeMessageNotFound) {
			t.Errorf("stored again: %v", err)
		}
	})
}

func TestAgentMessageIsAdded(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		c := te.finish(te.start("Hi", "")).Message.ConversationID
		m, err := te.conversations().AddAgentMessage(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c),
			"Welcome back.")
		check.Must(t, err)
		if m.Author != parley.AuthorAssistant || m.Seq != 3 {
			t.Errorf("got %+v", m)
		}
		te.wantHistory(c, "user complete: Hi", "assistant complete: Hi", "assistant complete: Welcome back.")
		if _, err := te.conversations().AddAgentMessage(t.Context(), te.account.ID.AgentRef(parley.NewAgentID()).
			ConversationRef(c), "x"); !parley.IsCode(err, parley.CodeResourceNotFound) {
			t.Errorf("another agent's: %v", err)
		}
	})
}

// If the customer continues a question, the whole question replaces its first half and the answer to that.
func TestContinuedQuestionReplacesItsFirstHalf(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		c := te.finish(te.start("Hi", "")).Message.ConversationID
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text("About"), scripted.Step{Barrier: barrier}, scripted.Stop())
		first, err := te.Start(t.Context(), te.caller(), te.agent.ID, chat.Request{Message: "I have",
			ConversationID: c, Channel: parley.ChannelAPI, Voice: &chat.VoiceContext{LocalTime: te.clock.Now()}})
		check.Must(t, err)
		check.Receive(te.t, "a model at its barrier", barrier.Reached())
		first.Cancel(chat.ErrUserContinued)
		check.Receive(te.t, "the end of the turn", first.Done())
		te.wantCredits(parley.Credit, 0)
		te.model.AddScript(scripted.Text("Which one?"))
		second, err := te.Start(t.Context(), te.caller(), te.agent.ID,
			chat.Request{Message: "I have a question", ReplaceMessageID: first.UserMessageID, ConversationID: c,
				Channel: parley.ChannelAPI, Voice: &chat.VoiceContext{LocalTime: te.clock.Now()}})
		check.Must(t, err)
		te.finish(second)
		page, err := te.db.Messages(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c),
			parley.PageRequest{Limit: 10})
		check.Must(t, err)
		var texts []string
		for _, m := range page.Items {
			texts = append(texts, m.Text())
		}
		if got := strings.Join(texts, "|"); got != "Hi|Hi|I have a question|Which one?" || page.Total != 4 {
			t.Errorf("%d messages: %s", page.Total, got)
		}
		requests := te.model.Requests()
		if n := len(requests[len(requests)-1].Messages); n != 3 {
			t.Errorf("the model was shown %d messages", n)
		}
		te.wantCredits(2*parley.Credit, 0)
	})
}

// The instructions of a channel reach the model; chat and voice have their own.
func TestInstructionsOfTheChannel(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		check.Must(t, te.db.UpdateAgent(t.Context(), te.account.ID.AgentRef(te.agent.ID), func(a *parley.Agent) error {
			a.ChannelInstructions = json.RawMessage(`{"api":{"chat":"Write.","voice":"Speak."},"email":"Mail."}`)
			return nil
		}))
		te.finish(te.start("Hi", ""))
		te.clock.Advance(time.Minute)
		spoken, err := te.Start(t.Context(), te.caller(), te.agent.ID, chat.Request{Message: "Hi",
			Channel: parley.ChannelAPI, Voice: &chat.VoiceContext{LocalTime: te.clock.Now()}})
		check.Must(t, err)
		te.finish(spoken)
		textPrompt, spokenPrompt := te.model.Requests()[0].System, te.model.Requests()[1].System
		if textPrompt != "Write." || !strings.HasPrefix(spokenPrompt, "Speak.\n\n# How to speak\n") ||
			!strings.Contains(spokenPrompt, "UTC, it is Saturday, 21 November 2026, 12:01") {
			t.Errorf("the model got %q and %q", textPrompt, spokenPrompt)
		}
	})
}
