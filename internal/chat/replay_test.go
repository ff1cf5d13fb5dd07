package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/model/scripted"
	"parley/internal/store"
)

// shownLines reads a turn to its end and returns what a client sees of it.
func shownLines(t *testing.T, turn *chat.Turn) (lines []string) {
	t.Helper()
	r := turn.Reader()
	defer r.Close()
	for {
		events, err := r.Next(t.Context())
		if err != nil {
			return lines
		}
		for _, e := range events {
			line := fmt.Sprint(e.Kind, " ", e.Text)
			if e.Call != nil {
				line += fmt.Sprintf("%s %s %s", e.Call.CallID, e.Call.Tool, e.Call.Output)
			}
			if e.Kind == chat.ToolCalled {
				line += string(e.Call.Input)
			}
			if e.Finish != nil {
				m := *e.Finish.Message
				m.Seq = 0 // known only to the store
				line += fmt.Sprintf("%s %d %+v", e.Finish.Reason, e.Finish.Credits, m)
			}
			lines = append(lines, line)
		}
	}
}

func (d *testEngine) wantReplay(turn *chat.Turn) {
	d.t.Helper()
	again, err := d.ReplayTurn(d.t.Context(), d.account.ID.AgentRef(d.agent.ID), turn.ID)
	must(d.t, err)
	if again.MessageID != turn.MessageID || again.UserMessageID != turn.UserMessageID ||
		again.ConversationID != turn.ConversationID || again.UserID != turn.UserID {
		d.t.Errorf("%+v is not %+v", again.Turn, turn.Turn)
	}
	if got, want := shownLines(d.t, again), shownLines(d.t, turn); !slices.Equal(got, want) {
		d.t.Errorf("told again:\n%q\nat first:\n%q", got, want)
	}
	must(d.t, again.WaitForText(d.t.Context()))
}

func TestATurnIsToldAgainAsItWas(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.setTools(weatherTool, locationTool)
		d.model.AddScript(scripted.Text("Let me look. "), scripted.NewToolCall("weather", `{"city":"Rome"}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Text("Sunny."), scripted.Stop()).
			AddScript(scripted.NewToolCall("where_am_i", `{}`),
				scripted.FinishWithToolCalls()).AddScript(scripted.Text("In Rome."), scripted.Stop())
		first := d.start("Weather in Rome?", "")
		d.finish(first)
		d.wantReplay(first)

		asks := d.start("And where am I?", first.ConversationID)
		call := d.finish(asks).Message.Parts[0].ToolCallID
		d.wantReplay(asks)
		must(t, d.SubmitToolResult(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(first.ConversationID),
			call, json.RawMessage(`"Rome"`)))
		d.wantReplay(asks) // without the result, which came later
	})
}

func TestATurnWithoutAnAnswerIsNotTold(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Step{Err: errors.New("down")}).AddScript(scripted.Text("One"),
			scripted.Step{Barrier: gate}, scripted.Stop())
		failed := d.start("Hello", "")
		if _, err := failed.Wait(t.Context()); err == nil {
			t.Error("it did not fail")
		}
		if _, err := d.ReplayTurn(t.Context(), d.account.ID.AgentRef(d.agent.ID), failed.ID); !errors.Is(err,
			chat.ErrNoAnswer) {
			t.Error("a failed turn:", err)
		}
		open := d.start("Hello", failed.ConversationID)
		_, err := d.ReplayTurn(t.Context(), d.account.ID.AgentRef(d.agent.ID), open.ID)
		if !parley.IsCode(err, parley.CodeKeyInUse) {
			t.Error("an open turn:", err)
		}
		gate.Release()
		d.finish(open)
		for _, ids := range [][2]string{{"other", string(d.agent.ID)}, {string(d.account.ID), "other"}} {
			_, err := d.ReplayTurn(t.Context(), parley.AccountID(ids[0]).AgentRef(parley.AgentID(ids[1])), open.ID)
			if !parley.IsCode(err, parley.CodeConversationNotFound) {
				t.Error("another's turn:", err)
			}
		}
	})
}

// The message and the mark of its key are stored together: whoever comes after finds the turn, whatever became of the
// request.
func TestATurnIsKnownByItsKey(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		claim := func(token string) store.Claim {
			return store.Claim{Account: d.account.ID, Key: "k", Hash: "body", Token: token}
		}
		if record, err := d.db.ClaimIdempotencyKey(t.Context(), claim("first"), d.clock.now()); record != nil || err != nil {
			t.Fatal(record, err)
		}
		d.model.AddScript(scripted.Text("Hi."), scripted.Stop())
		turn, err := d.Start(store.WithClaim(t.Context(), claim("first")), d.account, d.plan, d.agent.ID,
			chat.Request{Message: "Hello", Channel: parley.ChannelAPI})
		must(t, err)
		d.finish(turn)
		record, err := d.db.ClaimIdempotencyKey(t.Context(), claim("second"), d.clock.now())
		if err != nil || record == nil || record.Subject != "turn:"+string(turn.ID) {
			t.Fatalf("%+v %v", record, err)
		}
		d.wantReplay(turn)

		_, err = d.Start(store.WithClaim(t.Context(), claim("nobody's")), d.account, d.plan, d.agent.ID,
			chat.Request{Message: "Hello", Channel: parley.ChannelAPI})
		if !parley.IsCode(err, parley.CodeKeyInUse) {
			t.Error("a claim that was lost:", err)
		}
		if n := len(d.model.Requests()); n > 2 {
			t.Error("the model was asked", n, "times")
		}
		d.wantCredits(parley.Credit, 0)
		d.wantNoOpenTurn()
	})
}
