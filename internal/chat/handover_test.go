package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/words"
)

const handoverRequest = "I want to talk to a human"

// enableHandover lets the engine hand conversations over, and records the reasons.
func (d *testEngine) enableHandover() func() []string {
	k := d.conversations()
	var mu sync.Mutex
	var reasons []string
	d.HandOver = func(ctx context.Context, t parley.Turn, reason string) error {
		mu.Lock()
		defer mu.Unlock()
		reasons = append(reasons, reason)
		_, err := k.TakeOver(ctx, t.ConversationRef(), "agent", reason, true)
		return err
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return reasons
	}
}

// escalateTool is an agent's own action that hands over.
func (d *testEngine) escalateTool(handoverText, required string) chat.Tool {
	return chat.Tool{Tool: model.Tool{Name: "call_kim", IsHandover: true,
		Parameters: []byte(`{"type":"object","properties":{},"required":[` + required + `]}`)},
		Kind: parley.ActionEscalate, HandoverText: handoverText,
		Run: func(ctx context.Context, c chat.Call) chat.Output {
			if err := d.HandOver(ctx, c.Turn, string(c.Input)); err != nil {
				return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: "no"}}
			}
			return successOutput(`{"message":"by the action"}`)
		}}
}

func (d *testEngine) wantStatus(id parley.ConversationID, want parley.ConversationStatus) {
	d.t.Helper()
	c, err := d.db.Conversation(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(id))
	if must(d.t, err); c.Status != want {
		d.t.Errorf("the conversation is %s, want %s", c.Status, want)
	}
}

func TestPlainWishHandsOverBeforeAnyModelIsAsked(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		reasons := d.enableHandover()
		turn := d.start(handoverRequest, "")
		f := d.finish(turn)
		d.wantParts(f.Message, `tool-call escalate_to_human {"reason":"`+handoverRequest+`"}`,
			`tool-result escalate_to_human {"status":"success"}`, "text "+quote.HandoverText(words.English))
		if n := len(d.model.Requests()); n != 0 || f.Reason != "stop" || f.Credits != parley.Credit {
			t.Errorf("%d requests to the model, %+v", n, f)
		}
		d.wantCredits(parley.Credit, 0)
		d.wantStatus(turn.ConversationID, parley.ConversationTakenOver)
		if got := reasons(); len(got) != 1 || got[0] != handoverRequest {
			t.Error(got)
		}
		kinds, err := sqldb.All(t.Context(), d.db.SQL(), sqldb.Column[string],
			`select action_type || ' ' || status from tool_calls where conversation_id = ?`, turn.ConversationID)
		if must(t, err); strings.Join(kinds, ",") != "escalate success" {
			t.Error(kinds)
		}
		_, err = d.tryStart("Are you there?", turn.ConversationID)
		wantCode(t, err, parley.CodeNotOngoing)
		d.wantNoOpenTurn()
	})
}

func TestWishGoesThroughTheAgentsOwnAction(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		reasons := d.enableHandover()
		for _, c := range []struct{ handoverText, message, want string }{
			{"Kim is coming.", handoverRequest, "Kim is coming."},
			{"", "Ich möchte mit einem Menschen sprechen", quote.HandoverText(words.German)},
		} {
			d.setTools(weatherTool, d.escalateTool(c.handoverText, `"reason"`))
			f := d.finish(d.start(c.message, ""))
			d.wantParts(f.Message, `tool-call call_kim {"reason":"`+c.message+`"}`,
				`tool-result call_kim {"status":"success","data":{"message":"by the action"}}`, "text "+c.want)
		}
		if len(reasons()) != 2 || len(d.model.Requests()) != 0 {
			t.Error(reasons(), d.model.Requests())
		}
	})
}

func TestWishIsLeftToTheModel(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		reasons := d.enableHandover()
		ongoing := func(what, message string) {
			t.Helper()
			turn := d.start(message, "")
			if f := d.finish(turn); len(f.Message.Parts) != 1 || f.Message.Text() != message { // the model echoes
				t.Errorf("%s: %q", what, partLines(f.Message))
			}
			d.wantStatus(turn.ConversationID, parley.ConversationOngoing)
		}
		ongoing("a question", "Do you have human support on weekends?")
		d.setTools(d.escalateTool("", `"email"`))
		ongoing("an action that needs an address", handoverRequest)
		d.setTools()
		_, err := d.db.SQL().Exec(t.Context(),
			`insert into helpdesks (agent_id, account_id, last_number, handover, created_at, updated_at)
				values (?, ?, 0, 0, 1, 1)`,
			d.agent.ID, d.account.ID)
		must(t, err)
		ongoing("a helpdesk that does not hand over", handoverRequest)
		d.HandOver = nil
		ongoing("a house without people", handoverRequest)
		if len(reasons()) != 0 {
			t.Error(reasons())
		}
	})
}

func TestWishThatCannotBeGrantedIsAnswered(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.HandOver = func(context.Context, parley.Turn, string) error { return errors.New("nobody is there") }
		turn := d.start(handoverRequest, "")
		f := d.finish(turn)
		d.wantParts(f.Message, `tool-call escalate_to_human {"reason":"`+handoverRequest+`"}`,
			`tool-result escalate_to_human {"status":"error","error":"the conversation could not be handed over"}`,
			"text "+handoverRequest)
		d.wantStatus(turn.ConversationID, parley.ConversationOngoing)
	})
}

func TestReasonIsMaskedWhereTheAgentMasks(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		reasons := d.enableHandover()
		must(t, d.db.UpdateAgent(t.Context(), d.account.ID.AgentRef(d.agent.ID), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		turn := d.start("I am jo@example.com. "+handoverRequest, "")
		d.finish(turn)
		if got := reasons(); len(got) != 1 || got[0] != "I am [email]. "+handoverRequest {
			t.Error(got)
		}
	})
}

func TestWishInAPausedConversationIsOnlyKept(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		reasons := d.enableHandover()
		id := d.startConversation()
		_, err := d.conversations().Pause(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), true)
		must(t, err)
		if f := d.finish(d.start(handoverRequest, id)); f.Message != nil || f.Credits != 0 || len(reasons()) != 0 {
			t.Errorf("%+v, %v", f, reasons())
		}
		d.wantStatus(id, parley.ConversationOngoing)
	})
}

func TestWhatTheModelSeesAfterAHandBack(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.enableHandover()
		k, ctx := d.conversations(), t.Context()
		turn := d.start(handoverRequest, "")
		d.finish(turn)
		id := turn.ConversationID
		_, err := k.AddHumanReply(ctx, d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), "kims-id", "Kim here.")
		must(t, err)
		_, err = k.AddCustomerMessage(ctx, d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), "Thanks, Kim.")
		must(t, err)
		_, err = k.HandBack(ctx, d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), "kim")
		must(t, err)
		d.finish(d.start("And when do you open?", id))
		var got []string
		for _, m := range d.model.Requests()[0].Messages {
			if got = append(got, m.Role+": "+m.Text); len(m.ToolCalls) > 0 {
				t.Error("the model is shown a call of a tool that it does not have")
			}
		}
		want := "user: " + handoverRequest + "\nassistant: " + quote.HandoverText(words.English) +
			"\nassistant: Kim here.\nuser: Thanks, Kim.\nuser: And when do you open?"
		if strings.Join(got, "\n") != want {
			t.Errorf("the model is shown\n%s", strings.Join(got, "\n"))
		}
	})
}

// recordingObserver is a HandoverObserver that records its calls, or fails.
type recordingObserver struct {
	events []string
	err    error
}

func (h *recordingObserver) MessageWritten(_ context.Context, _ *store.DB, c *parley.Conversation,
	m *parley.Message) error {
	h.events = append(h.events, fmt.Sprintf("%s %d: %s", m.Author, m.Seq, m.Text()))
	return h.err
}

func (h *recordingObserver) StatusChanged(_ context.Context, _ *store.DB, c *parley.Conversation,
	from parley.ConversationStatus, by, reason string, _ time.Time) error {
	h.events = append(h.events, fmt.Sprintf("%s to %s by %s (%s)", from, c.Status, by, reason))
	return h.err
}

func TestHandoverObserverSeesTheLastWordsBeforeAPerson(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.enableHandover()
		h := &recordingObserver{}
		d.Engine.HandoverObserver = h
		d.startConversation()
		if len(h.events) != 0 {
			t.Error("an answer like any other:", h.events)
		}
		d.finish(d.start(handoverRequest, ""))
		if want := "assistant 2: " + quote.HandoverText(words.English); len(h.events) != 1 || h.events[0] != want {
			t.Errorf("heard %q, want %q", h.events, want)
		}
	})
}

func TestHandoverObserverSeesWhatConcernsPeople(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k, ctx, account, agent := d.conversations(), t.Context(), d.account.ID, d.agent.ID
		h := &recordingObserver{}
		k.HandoverObserver = h
		id := d.startConversation()
		_, err := k.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "asked for", false)
		must(t, err)
		_, err = k.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "again", false)
		must(t, err)
		_, err = k.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		must(t, err)
		_, err = k.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", "Here.")
		must(t, err)
		h.err = errors.New("the desk is full")
		for _, step := range []func() error{
			func() error {
				_, err := k.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
				return err
			},
			func() error {
				_, err := k.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Lost?")
				return err
			},
		} {
			if err := step(); !errors.Is(err, h.err) {
				t.Error("it is done all the same:", err)
			}
		}
		h.err, h.events = nil, h.events[:3]
		d.wantStatus(id, parley.ConversationTakenOver)
		_, err = k.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		must(t, err)
		_, err = k.Pause(ctx, account.AgentRef(agent).ConversationRef(id), true)
		must(t, err)
		_, err = k.End(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		must(t, err)
		want := []string{"ongoing to taken_over by kim (asked for)", "user 3: Anybody?", "human 4: Here.",
			"taken_over to ongoing by kim ()", "ongoing to ended by kim ()"}
		if !slices.Equal(h.events, want) {
			t.Errorf("heard %q, want %q", h.events, want)
		}
		if got := len(d.history(id)); got != 4 {
			t.Error(got, "messages: what the desk refuses must leave nothing")
		}
	})
}
