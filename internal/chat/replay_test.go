package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

// shownLines reads a turn to its end and returns what a client gets.
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
				m.Seq = 0 // only the store knows it
				line += fmt.Sprintf("%s %d %+v", e.Finish.Reason, e.Finish.Credits, m)
			}
			lines = append(lines, line)
		}
	}
}

func (te *testEngine) wantReplay(turn *chat.Turn) {
	te.t.Helper()
	again, err := te.ReplayTurn(te.t.Context(), te.account.ID.AgentRef(te.agent.ID), turn.ID)
	check.Must(te.t, err)
	if again.MessageID != turn.MessageID || again.UserMessageID != turn.UserMessageID ||
		again.ConversationID != turn.ConversationID || again.UserID != turn.UserID {
		te.t.Errorf("%+v is not %+v", again.Turn, turn.Turn)
	}
	if got, want := shownLines(te.t, again), shownLines(te.t, turn); !slices.Equal(got, want) {
		te.t.Errorf("replayed:\n%q\nat first:\n%q", got, want)
	}
	check.Must(te.t, again.WaitForText(te.t.Context()))
}

func TestTurnIsReplayedUnchanged(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.setTools(weatherTool, locationTool)
		te.model.AddScript(scripted.Text("Let me look. "), scripted.NewToolCall("weather", `{"city":"Rome"}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Text("Sunny."), scripted.Stop()).
			AddScript(scripted.NewToolCall("where_am_i", `{}`),
				scripted.FinishWithToolCalls()).AddScript(scripted.Text("In Rome."), scripted.Stop())
		first := te.start("Weather in Rome?", "")
		te.finish(first)
		te.wantReplay(first)

		asks := te.start("And where am I?", first.ConversationID)
		call := te.finish(asks).Message.Parts[0].ToolCallID
		te.wantReplay(asks)
		check.Must(t,
			te.SubmitToolResult(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(first.ConversationID),
				call, json.RawMessage(`"Rome"`)))
		te.wantReplay(asks) // without the result, which arrived later
	})
}

func TestTurnWithoutAnAnswerIsNotReplayed(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Step{Err: errors.New("down")}).AddScript(scripted.Text("One"),
			scripted.Step{Barrier: barrier}, scripted.Stop())
		failed := te.start("Hello", "")
		if _, err := failed.Wait(t.Context()); err == nil {
			t.Error("it did not fail")
		}
		if _, err := te.ReplayTurn(t.Context(), te.account.ID.AgentRef(te.agent.ID), failed.ID); !errors.Is(err,
			chat.ErrNoAnswer) {
			t.Error("a failed turn:", err)
		}
		open := te.start("Hello", failed.ConversationID)
		_, err := te.ReplayTurn(t.Context(), te.account.ID.AgentRef(te.agent.ID), open.ID)
		if !parley.IsCode(err, parley.CodeKeyInUse) {
			t.Error("an open turn:", err)
		}
		barrier.Release()
		te.finish(open)
		for _, ids := range [][2]string{{"other", string(te.agent.ID)}, {string(te.account.ID), "other"}} {
			_, err := te.ReplayTurn(t.Context(), parley.AccountID(ids[0]).AgentRef(parley.AgentID(ids[1])), open.ID)
			if !parley.IsCode(err, parley.CodeConversationNotFound) {
				t.Error("another's turn:", err)
			}
		}
	})
}

// The message and its idempotency key are stored together, so that a repeated request finds the turn, whatever happened
// to the first request.
func TestTurnIsFoundByItsKey(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		claim := func(token string) store.Claim {
			return store.Claim{Account: te.account.ID, Key: "k", Hash: "body", Token: token}
		}
		if record, err := te.db.ClaimIdempotencyKey(t.Context(), claim("first"), te.clock.Now()); record != nil ||
			err != nil {
			t.Fatal(record, err)
		}
		te.model.AddScript(scripted.Text("Hi."), scripted.Stop())
		turn, err := te.Start(store.WithClaim(t.Context(), claim("first")), te.caller(), te.agent.ID,
			chat.Request{Message: "Hello", Channel: parley.ChannelAPI})
		check.Must(t, err)
		te.finish(turn)
		record, err := te.db.ClaimIdempotencyKey(t.Context(), claim("second"), te.clock.Now())
		if err != nil || record == nil || record.Subject != "turn:"+string(turn.ID) {
			t.Fatalf("%+v %v", record, err)
		}
		te.wantReplay(turn)

		_, err = te.Start(store.WithClaim(t.Context(), claim("nobody's")), te.caller(), te.agent.ID,
			chat.Request{Message: "Hello", Channel: parley.ChannelAPI})
		if !parley.IsCode(err, parley.CodeKeyInUse) {
			t.Error("a claim that was lost:", err)
		}
		if n := len(te.model.Requests()); n > 2 {
			t.Error("the model was called", n, "times")
		}
		te.wantCredits(parley.Credit, 0)
		te.wantNoOpenTurn()
	})
}
