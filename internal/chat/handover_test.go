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
	"parley/internal/testkit/check"
	"parley/internal/text/words"
)

const handoverRequest = "I want to talk to a human"

// enableHandover enables the hand-over of conversations, and records the reasons.
func (te *testEngine) enableHandover() func() []string {
	cs := te.conversations()
	var mu sync.Mutex
	var reasons []string
	te.HandOver = func(ctx context.Context, t parley.Turn, reason string) error {
		mu.Lock()
		defer mu.Unlock()
		reasons = append(reasons, reason)
		_, err := cs.TakeOver(ctx, t.ConversationRef(), "agent", reason, true)
		return err
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return reasons
	}
}

// escalateTool returns an action of an agent that hands over.
func (te *testEngine) escalateTool(handoverText, required string) chat.Tool {
	return chat.Tool{Tool: model.Tool{Name: "call_kim", IsHandover: true,
		Parameters: []byte(`{"type":"object","properties":{},"required":[` + required + `]}`)},
		Kind: parley.ActionEscalate, HandoverText: handoverText,
		Run: func(ctx context.Context, c chat.Call) chat.Output {
			if err := te.HandOver(ctx, c.Turn, string(c.Input)); err != nil {
				return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: "no"}}
			}
			return successOutput(`{"message":"by the action"}`)
		}}
}

func (te *testEngine) wantStatus(id parley.ConversationID, want parley.ConversationStatus) {
	te.t.Helper()
	c, err := te.db.Conversation(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(id))
	if check.Must(te.t, err); c.Status != want {
		te.t.Errorf("the conversation is %s, want %s", c.Status, want)
	}
}

func TestRequestForAPersonHandsOverWithoutTheModel(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		reasons := te.enableHandover()
		turn := te.start(handoverRequest, "")
		f := te.finish(turn)
		te.wantParts(f.Message, `tool-call escalate_to_human {"reason":"`+handoverRequest+`"}`,
			`tool-result escalate_to_human {"status":"success"}`, "text "+quote.HandoverText(words.English))
		if n := len(te.model.Requests()); n != 0 || f.Reason != "stop" || f.Credits != parley.Credit {
			t.Errorf("%d requests to the model, %+v", n, f)
		}
		te.wantCredits(parley.Credit, 0)
		te.wantStatus(turn.ConversationID, parley.ConversationTakenOver)
		if got := reasons(); len(got) != 1 || got[0] != handoverRequest {
			t.Error(got)
		}
		kinds, err := sqldb.All(t.Context(), te.db.SQL(), sqldb.Column[string],
			`select action_type || ' ' || status from tool_calls where conversation_id = ?`, turn.ConversationID)
		if check.Must(t, err); strings.Join(kinds, ",") != "escalate success" {
			t.Error(kinds)
		}
		_, err = te.tryStart("Are you there?", turn.ConversationID)
		check.WantCode(t, err, parley.CodeNotOngoing)
		te.wantNoOpenTurn()
	})
}

func TestRequestForAPersonUsesTheAgentsAction(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		reasons := te.enableHandover()
		for _, c := range []struct{ handoverText, message, want string }{
			{"Kim is coming.", handoverRequest, "Kim is coming."},
			{"", "Ich möchte mit einem Menschen sprechen", quote.HandoverText(words.German)},
		} {
			te.setTools(weatherTool, te.escalateTool(c.handoverText, `"reason"`))
			f := te.finish(te.start(c.message, ""))
			te.wantParts(f.Message, `tool-call call_kim {"reason":"`+c.message+`"}`,
				`tool-result call_kim {"status":"success","data":{"message":"by the action"}}`, "text "+c.want)
		}
		if len(reasons()) != 2 || len(te.model.Requests()) != 0 {
			t.Error(reasons(), te.model.Requests())
		}
	})
}

func TestModelDecidesOnRequestsForAPerson(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		reasons := te.enableHandover()
		ongoing := func(step, message string) {
			t.Helper()
			turn := te.start(message, "")
			if f := te.finish(turn); len(f.Message.Parts) != 1 || f.Message.Text() != message { // the model echoes
				t.Errorf("%s: %q", step, partLines(f.Message))
			}
			te.wantStatus(turn.ConversationID, parley.ConversationOngoing)
		}
		ongoing("a question", "Do you have human support on weekends?")
		te.setTools(te.escalateTool("", `"email"`))
		ongoing("an action that needs an address", handoverRequest)
		te.setTools()
		_, err := te.db.SQL().Exec(t.Context(),
			`insert into helpdesks (agent_id, account_id, last_number, handover, created_at, updated_at)
				values (?, ?, 0, 0, 1, 1)`,
			te.agent.ID, te.account.ID)
		check.Must(t, err)
		ongoing("a helpdesk that does not hand over", handoverRequest)
		te.HandOver = nil
		ongoing("a server without hand-over", handoverRequest)
		if len(reasons()) != 0 {
			t.Error(reasons())
		}
	})
}

func TestRequestForAPersonFails(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.HandOver = func(context.Context, parley.Turn, string) error { return errors.New("nobody is available") }
		turn := te.start(handoverRequest, "")
		f := te.finish(turn)
		te.wantParts(f.Message, `tool-call escalate_to_human {"reason":"`+handoverRequest+`"}`,
			`tool-result escalate_to_human {"status":"error","error":"the conversation could not be handed over"}`,
			"text "+handoverRequest)
		te.wantStatus(turn.ConversationID, parley.ConversationOngoing)
	})
}

func TestHandoverReasonIsRedacted(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		reasons := te.enableHandover()
		check.Must(t, te.db.UpdateAgent(t.Context(), te.account.ID.AgentRef(te.agent.ID), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		turn := te.start("I am jo@example.com. "+handoverRequest, "")
		te.finish(turn)
		if got := reasons(); len(got) != 1 || got[0] != "I am [email]. "+handoverRequest {
			t.Error(got)
		}
	})
}

func TestRequestForAPersonInAPausedConversation(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		reasons := te.enableHandover()
		id := te.startConversation()
		_, err := te.conversations().Pause(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), true)
		check.Must(t, err)
		if f := te.finish(te.start(handoverRequest, id)); f.Message != nil || f.Credits != 0 || len(reasons()) != 0 {
			t.Errorf("%+v, %v", f, reasons())
		}
		te.wantStatus(id, parley.ConversationOngoing)
	})
}

func TestModelSeesMessagesOfPeopleAfterAHandBack(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.enableHandover()
		cs, ctx := te.conversations(), t.Context()
		turn := te.start(handoverRequest, "")
		te.finish(turn)
		id := turn.ConversationID
		_, err := cs.AddHumanReply(ctx, te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), "kims-id", "Kim here.")
		check.Must(t, err)
		_, err = cs.AddCustomerMessage(ctx, te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), "Thanks, Kim.")
		check.Must(t, err)
		_, err = cs.HandBack(ctx, te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), "kim")
		check.Must(t, err)
		te.finish(te.start("And when do you open?", id))
		var got []string
		for _, m := range te.model.Requests()[0].Messages {
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

func (ro *recordingObserver) MessageWritten(_ context.Context, _ *store.DB, c *parley.Conversation,
	m *parley.Message) error {
	ro.events = append(ro.events, fmt.Sprintf("%s %d: %s", m.Author, m.Seq, m.Text()))
	return ro.err
}

func (ro *recordingObserver) StatusChanged(_ context.Context, _ *store.DB, c *parley.Conversation,
	from parley.ConversationStatus, by, reason string, _ time.Time) error {
	ro.events = append(ro.events, fmt.Sprintf("%s to %s by %s (%s)", from, c.Status, by, reason))
	return ro.err
}

func (ro *recordingObserver) Assigned(_ context.Context, _ *store.DB, c *parley.Conversation, by string,
	_ time.Time) error {
	ro.events = append(ro.events, fmt.Sprintf("given to %q by %s", c.ClaimedBy, by))
	return ro.err
}

func TestHandoverObserverGetsTheLastMessages(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.enableHandover()
		h := &recordingObserver{}
		te.Engine.HandoverObserver = h
		te.startConversation()
		if len(h.events) != 0 {
			t.Error("an answer like any other:", h.events)
		}
		te.finish(te.start(handoverRequest, ""))
		if want := "assistant 2: " + quote.HandoverText(words.English); len(h.events) != 1 || h.events[0] != want {
			t.Errorf("the observer got %q, want %q", h.events, want)
		}
	})
}

func TestHandoverObserverGetsMessagesForPeople(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, ctx, account, agent := te.conversations(), t.Context(), te.account.ID, te.agent.ID
		h := &recordingObserver{}
		cs.HandoverObserver = h
		id := te.startConversation()
		_, err := cs.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "asked for", false)
		check.Must(t, err)
		_, err = cs.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "again", false)
		check.Must(t, err)
		_, err = cs.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		check.Must(t, err)
		_, err = cs.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", "Here.")
		check.Must(t, err)
		h.err = errors.New("the help desk is full")
		for _, step := range []func() error{
			func() error {
				_, err := cs.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
				return err
			},
			func() error {
				_, err := cs.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Lost?")
				return err
			},
		} {
			if err := step(); !errors.Is(err, h.err) {
				t.Error("it succeeded nevertheless:", err)
			}
		}
		h.err, h.events = nil, h.events[:3]
		te.wantStatus(id, parley.ConversationTakenOver)
		_, err = cs.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		check.Must(t, err)
		_, err = cs.Pause(ctx, account.AgentRef(agent).ConversationRef(id), true)
		check.Must(t, err)
		_, err = cs.End(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		check.Must(t, err)
		want := []string{"ongoing to taken_over by kim (asked for)", "user 3: Anybody?", "human 4: Here.",
			"taken_over to ongoing by kim ()", "ongoing to ended by kim ()"}
		if !slices.Equal(h.events, want) {
			t.Errorf("the observer got %q, want %q", h.events, want)
		}
		if got := len(te.history(id)); got != 4 {
			t.Error(got, "messages: what the observer refuses must not be stored")
		}
	})
}
