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
	"parley/internal/llm"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/words"
)

const plainWish = "I want to talk to a human"

// handsOver lets the desk's engine hand conversations over, and keeps the reasons.
func (d *desk) handsOver() (reasons func() []string) {
	k := d.clerk()
	var mu sync.Mutex
	var heard []string
	d.TakeOver = func(ctx context.Context, t parley.Turn, reason string) error {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, reason)
		_, err := k.TakeOver(ctx, t.AccountID, t.AgentID, t.ConversationID, "agent", reason, true)
		return err
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return heard
	}
}

// escalates is an agent's own action that hands over.
func (d *desk) escalates(says, required string) chat.Tool {
	return chat.Tool{Tool: llm.Tool{Name: "call_kim", HandsOver: true, Parameters: []byte(`{"type":"object","properties":{},"required":[` + required + `]}`)}, Kind: parley.ActionEscalate, Says: says,
		Run: func(ctx context.Context, c chat.Call) chat.Output {
			if err := d.TakeOver(ctx, c.Turn, string(c.Input)); err != nil {
				return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: "no"}}
			}
			return success(`{"message":"by the action"}`)
		}}
}

func (d *desk) wantStatus(id parley.ConversationID, want parley.ConversationStatus) {
	d.t.Helper()
	c, err := d.db.Conversation(d.t.Context(), d.account.ID, d.agent.ID, id)
	if must(d.t, err); c.Status != want {
		d.t.Errorf("the conversation is %s, want %s", c.Status, want)
	}
}

func TestPlainWishHandsOverBeforeAnyModelIsAsked(t *testing.T) {
	each(t, func(d *desk) {
		reasons := d.handsOver()
		turn := d.start(plainWish, "")
		f := d.finish(turn)
		d.wantShape(f.Message, `tool-call escalate_to_human {"reason":"`+plainWish+`"}`, `tool-result escalate_to_human {"status":"success"}`, "text "+llm.HandedOver(words.English))
		if n := len(d.model.Requests()); n != 0 || f.Reason != "stop" || f.Credits != parley.Credit {
			t.Errorf("%d requests to the model, %+v", n, f)
		}
		d.wantCredits(parley.Credit, 0)
		d.wantStatus(turn.ConversationID, parley.TakenOver)
		if got := reasons(); len(got) != 1 || got[0] != plainWish {
			t.Error(got)
		}
		kinds, err := sqldb.All(t.Context(), d.db.SQL(), sqldb.Column[string], `select action_type || ' ' || status from tool_calls where conversation_id = ?`, turn.ConversationID)
		if must(t, err); strings.Join(kinds, ",") != "escalate success" {
			t.Error(kinds)
		}
		_, err = d.say("Are you there?", turn.ConversationID)
		wantCode(t, err, parley.CodeNotOngoing)
		d.wantNoOpenTurn()
	})
}

func TestWishGoesThroughTheAgentsOwnAction(t *testing.T) {
	each(t, func(d *desk) {
		reasons := d.handsOver()
		for _, c := range []struct{ says, message, want string }{
			{"Kim is coming.", plainWish, "Kim is coming."},
			{"", "Ich möchte mit einem Menschen sprechen", llm.HandedOver(words.German)},
		} {
			d.can(weather, d.escalates(c.says, `"reason"`))
			f := d.finish(d.start(c.message, ""))
			d.wantShape(f.Message, `tool-call call_kim {"reason":"`+c.message+`"}`, `tool-result call_kim {"status":"success","data":{"message":"by the action"}}`, "text "+c.want)
		}
		if len(reasons()) != 2 || len(d.model.Requests()) != 0 {
			t.Error(reasons(), d.model.Requests())
		}
	})
}

func TestWishIsLeftToTheModel(t *testing.T) {
	each(t, func(d *desk) {
		reasons := d.handsOver()
		ongoing := func(what, message string) {
			t.Helper()
			turn := d.start(message, "")
			if f := d.finish(turn); len(f.Message.Parts) != 1 || f.Message.Text() != message { // the model echoes
				t.Errorf("%s: %q", what, shape(f.Message))
			}
			d.wantStatus(turn.ConversationID, parley.Ongoing)
		}
		ongoing("a question", "Do you have human support on weekends?")
		d.can(d.escalates("", `"email"`))
		ongoing("an action that needs an address", plainWish)
		d.can()
		_, err := d.db.SQL().Exec(t.Context(), `insert into helpdesks (agent_id, account_id, last_number, handover, created_at, updated_at) values (?, ?, 0, 0, 1, 1)`, d.agent.ID, d.account.ID)
		must(t, err)
		ongoing("a helpdesk that does not hand over", plainWish)
		d.TakeOver = nil
		ongoing("a house without people", plainWish)
		if len(reasons()) != 0 {
			t.Error(reasons())
		}
	})
}

func TestWishThatCannotBeGrantedIsAnswered(t *testing.T) {
	each(t, func(d *desk) {
		d.TakeOver = func(context.Context, parley.Turn, string) error { return errors.New("nobody is there") }
		turn := d.start(plainWish, "")
		f := d.finish(turn)
		d.wantShape(f.Message, `tool-call escalate_to_human {"reason":"`+plainWish+`"}`, `tool-result escalate_to_human {"status":"error","error":"the conversation could not be handed over"}`, "text "+plainWish)
		d.wantStatus(turn.ConversationID, parley.Ongoing)
	})
}

func TestReasonIsMaskedWhereTheAgentMasks(t *testing.T) {
	each(t, func(d *desk) {
		reasons := d.handsOver()
		must(t, d.db.UpdateAgent(t.Context(), d.account.ID, d.agent.ID, func(a *parley.Agent) error { a.Redact = true; return nil }))
		turn := d.start("I am jo@example.com. "+plainWish, "")
		d.finish(turn)
		if got := reasons(); len(got) != 1 || got[0] != "I am [email]. "+plainWish {
			t.Error(got)
		}
	})
}

func TestWishInAPausedConversationIsOnlyKept(t *testing.T) {
	each(t, func(d *desk) {
		reasons := d.handsOver()
		id := d.conversation()
		_, err := d.clerk().Pause(t.Context(), d.account.ID, d.agent.ID, id, true)
		must(t, err)
		if f := d.finish(d.start(plainWish, id)); f.Message != nil || f.Credits != 0 || len(reasons()) != 0 {
			t.Errorf("%+v, %v", f, reasons())
		}
		d.wantStatus(id, parley.Ongoing)
	})
}

func TestWhatTheModelSeesAfterAHandBack(t *testing.T) {
	each(t, func(d *desk) {
		d.handsOver()
		k, ctx := d.clerk(), t.Context()
		turn := d.start(plainWish, "")
		d.finish(turn)
		id := turn.ConversationID
		_, err := k.HumanReplies(ctx, d.account.ID, d.agent.ID, id, "kims-id", "Kim here.")
		must(t, err)
		_, err = k.CustomerWrites(ctx, d.account.ID, d.agent.ID, id, "Thanks, Kim.")
		must(t, err)
		_, err = k.HandBack(ctx, d.account.ID, d.agent.ID, id, "kim")
		must(t, err)
		d.finish(d.start("And when do you open?", id))
		var got []string
		for _, m := range d.model.Requests()[0].Messages {
			if got = append(got, m.Role+": "+m.Text); len(m.ToolCalls) > 0 {
				t.Error("the model is shown a call of a tool that it does not have")
			}
		}
		want := "user: " + plainWish + "\nassistant: " + llm.HandedOver(words.English) + "\nassistant: Kim here.\nuser: Thanks, Kim.\nuser: And when do you open?"
		if strings.Join(got, "\n") != want {
			t.Errorf("the model is shown\n%s", strings.Join(got, "\n"))
		}
	})
}

// heard is a desk that writes down what it hears, or fails.
type heard struct {
	list []string
	fail error
}

func (h *heard) Said(_ context.Context, _ *store.DB, c *parley.Conversation, m *parley.Message) error {
	h.list = append(h.list, fmt.Sprintf("%s %d: %s", m.Author, m.Seq, m.Text()))
	return h.fail
}

func (h *heard) Moved(_ context.Context, _ *store.DB, c *parley.Conversation, from parley.ConversationStatus, by, reason string, _ time.Time) error {
	h.list = append(h.list, fmt.Sprintf("%s to %s by %s (%s)", from, c.Status, by, reason))
	return h.fail
}

func TestDeskHearsTheLastWordsBeforeAPerson(t *testing.T) {
	each(t, func(d *desk) {
		d.handsOver()
		h := &heard{}
		d.Engine.Desk = h
		d.conversation()
		if len(h.list) != 0 {
			t.Error("an answer like any other:", h.list)
		}
		d.finish(d.start(plainWish, ""))
		if want := "assistant 2: " + llm.HandedOver(words.English); len(h.list) != 1 || h.list[0] != want {
			t.Errorf("heard %q, want %q", h.list, want)
		}
	})
}

func TestDeskHearsWhatConcernsPeople(t *testing.T) {
	each(t, func(d *desk) {
		k, ctx, account, agent := d.clerk(), t.Context(), d.account.ID, d.agent.ID
		h := &heard{}
		k.Desk = h
		id := d.conversation()
		_, err := k.TakeOver(ctx, account, agent, id, "kim", "asked for", false)
		must(t, err)
		_, err = k.TakeOver(ctx, account, agent, id, "kim", "again", false)
		must(t, err)
		_, err = k.CustomerWrites(ctx, account, agent, id, "Anybody?")
		must(t, err)
		_, err = k.HumanReplies(ctx, account, agent, id, "kims-id", "Here.")
		must(t, err)
		h.fail = errors.New("the desk is full")
		for _, step := range []func() error{
			func() error { _, err := k.HandBack(ctx, account, agent, id, "kim"); return err },
			func() error { _, err := k.CustomerWrites(ctx, account, agent, id, "Lost?"); return err },
		} {
			if err := step(); !errors.Is(err, h.fail) {
				t.Error("it is done all the same:", err)
			}
		}
		h.fail, h.list = nil, h.list[:3]
		d.wantStatus(id, parley.TakenOver)
		_, err = k.HandBack(ctx, account, agent, id, "kim")
		must(t, err)
		_, err = k.Pause(ctx, account, agent, id, true)
		must(t, err)
		_, err = k.End(ctx, account, agent, id, "kim")
		must(t, err)
		want := []string{"ongoing to taken_over by kim (asked for)", "user 3: Anybody?", "human 4: Here.", "taken_over to ongoing by kim ()", "ongoing to ended by kim ()"}
		if !slices.Equal(h.list, want) {
			t.Errorf("heard %q, want %q", h.list, want)
		}
		if got := len(d.history(id)); got != 4 {
			t.Error(got, "messages: what the desk refuses must leave nothing")
		}
	})
}
