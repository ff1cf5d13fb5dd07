package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
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

func (te *testEngine) retry(c parley.ConversationID, message parley.MessageID) (*chat.Turn, error) {
	return te.Start(te.t.Context(), te.caller(), te.agent.ID,
		chat.Request{ConversationID: c, Retry: message, Channel: parley.ChannelAPI})
}

// wantTexts compares the texts of the conversation's messages, in order.
func (te *testEngine) wantTexts(c parley.ConversationID, want ...string) {
	te.t.Helper()
	page, err := te.db.Messages(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c),
		parley.PageRequest{Limit: 100})
	check.Must(te.t, err)
	if len(page.Items) != len(want) || page.Total != len(want) {
		te.t.Fatalf("%d messages of %d, want %q", len(page.Items), page.Total, want)
	}
	for i, m := range page.Items {
		if m.Text() != want[i] {
			te.t.Errorf("message %d is %q, want %q", i, m.Text(), want[i])
		}
	}
	counted, err := te.db.Conversation(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c))
	if check.Must(te.t, err); counted.MessageCount != len(want) {
		te.t.Errorf("the conversation counts %d messages, want %d", counted.MessageCount, len(want))
	}
}

func TestRetryReplacesLaterMessages(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		first := te.start("one", "")
		te.finish(first)
		second := te.start("two", first.ConversationID)
		te.finish(second)
		te.model.AddScript(scripted.Text("better"), scripted.Stop())
		again, err := te.retry(first.ConversationID, first.MessageID)
		check.Must(t, err)
		if f := te.finish(again); f.Credits != parley.Credit || again.UserMessageID != first.UserMessageID ||
			again.MessageID == first.MessageID {
			t.Errorf("retried %s as %s for %d credits", again.UserMessageID, again.MessageID, f.Credits)
		}
		te.wantTexts(first.ConversationID, "one", "better")
		if sent := te.model.Requests()[2].Messages; len(sent) != 1 || sent[0].Text != "one" {
			t.Errorf("the model got %+v", sent)
		}
		for _, missing := range []parley.MessageID{first.MessageID, second.MessageID, second.UserMessageID,
			"msg_unheard_of"} {
			_, err = te.retry(first.ConversationID, missing)
			check.WantCode(t, err, parley.CodeRetryNotFound)
		}
		te.wantCredits(3*parley.Credit, 0)
	})
}

func TestRetryOfAFailedTurnNamesTheUsersMessage(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.AddScript(scripted.Step{Err: errors.New("no")})
		turn := te.start("one", "")
		_, err := turn.Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		again, err := te.retry(turn.ConversationID, turn.UserMessageID)
		check.Must(t, err)
		te.finish(again)
		te.wantTexts(turn.ConversationID, "one", "one")
		again, err = te.retry(turn.ConversationID, turn.MessageID) // the id that a stream gave to the answer that failed
		check.Must(t, err)
		te.finish(again)
		te.wantTexts(turn.ConversationID, "one", "one")
	})
}

func TestFailedRetryKeepsTheOldAnswer(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.start("one", "")
		te.finish(turn)
		te.model.AddScript(scripted.Text("half"), scripted.Step{Err: errors.New("cut")})
		again, err := te.retry(turn.ConversationID, turn.MessageID)
		check.Must(t, err)
		_, err = again.Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		te.wantTexts(turn.ConversationID, "one", "one")

		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: barrier}, scripted.Stop())
		again, err = te.retry(turn.ConversationID, turn.MessageID)
		check.Must(t, err)
		check.Receive(te.t, "a model at its barrier", barrier.Reached())
		te.Stop(te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID))
		_, err = again.Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		te.wantTexts(turn.ConversationID, "one", "one")
		te.wantNoOpenTurn()
	})
}

// startForVisitor begins an answer in the chat of a site.
func (te *testEngine) startForVisitor(ctx context.Context, req chat.Request) *chat.Turn {
	te.t.Helper()
	req.Channel, req.VisitorID, req.Streamed = parley.ChannelWidget, "visitor", true
	turn, err := te.Start(ctx, te.caller(), te.agent.ID, req)
	check.Must(te.t, err)
	return turn
}

func TestBrokenAnswerThatAVisitorReadsStays(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		half := []scripted.Step{scripted.Text("half"), {Err: errors.New("cut")}}
		te.model.AddScript(half...)
		turn := te.startForVisitor(t.Context(), chat.Request{Message: "one"})
		check.Must(t, turn.WaitForText(t.Context()))
		_, err := turn.Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half")
		te.wantCredits(0, 0)
		te.wantNoOpenTurn()

		te.model.AddScript(scripted.Text("whole"), scripted.Stop())
		again := te.startForVisitor(t.Context(), chat.Request{ConversationID: turn.ConversationID, Retry: turn.MessageID})
		te.finish(again)
		te.wantTexts(turn.ConversationID, "one", "whole")
		te.model.AddScript(half...)
		again = te.startForVisitor(t.Context(), chat.Request{ConversationID: turn.ConversationID, Retry: again.MessageID})
		_, err = again.Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		te.wantTexts(turn.ConversationID, "one", "whole")
	})
}

// A request that is sent again under its key after its answer broke off has its message once, and one answer.
func TestRepeatAfterABrokenAnswerOfAVisitor(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.AddScript(scripted.Text("half"), scripted.Step{Err: errors.New("cut")})
		turn := te.startForVisitor(t.Context(), chat.Request{Message: "one"})
		check.Receive(te.t, "the end of the turn", turn.Done())
		claim := store.Claim{Account: te.account.ID, Key: "k", Token: "t", FailedTurn: turn.ID}
		_, err := te.db.ClaimIdempotencyKey(t.Context(), claim, te.clock.Now())
		check.Must(t, err)
		te.model.AddScript(scripted.Text("hal"), scripted.Step{Err: errors.New("cut")})
		second := te.startForVisitor(store.WithClaim(t.Context(), claim), chat.Request{Message: "one"})
		check.Receive(te.t, "the end of the second turn", second.Done())
		te.wantTexts(turn.ConversationID, "one", "half")
		te.model.AddScript(scripted.Text("whole"), scripted.Stop())
		claim.FailedTurn = second.ID
		third := te.startForVisitor(store.WithClaim(t.Context(), claim), chat.Request{Message: "one"})
		te.finish(third)
		te.wantTexts(turn.ConversationID, "one", "whole")
	})
}

// startSeen begins an answer in the chat of a site, and returns once what is seen of it is stored.
func (te *testEngine) startSeen(steps ...scripted.Step) *chat.Turn {
	te.t.Helper()
	te.model.AddScript(steps...)
	turn := te.startForVisitor(te.t.Context(), chat.Request{Message: "one"})
	check.Eventually(te.t, "what is seen is stored", func() bool {
		parts, err := te.db.TurnProgress(te.t.Context(), &turn.Turn)
		check.Must(te.t, err)
		return len(parts) == 1
	})
	return turn
}

// What a visitor has read of an answer stays when its server dies, as it was stored at last.
func TestAnswerOfADeadServerStays(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		check.Must(t, te.db.UpdateAgent(t.Context(), te.agent.Ref(), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		te.ProgressInterval = time.Millisecond
		barrier := scripted.NewBarrier()
		turn := te.startSeen(scripted.Text("Write to kim@shop.example"), scripted.Step{Barrier: barrier},
			scripted.Text(" late"), scripted.Stop())
		te.clock.Advance(time.Minute) // nobody renews the lease
		if n, err := te.newEngine("another server").Recover(t.Context()); n != 1 || err != nil {
			t.Fatalf("recovered %d, %v; want 1", n, err)
		}
		te.wantNoOpenTurn()
		te.wantCredits(0, 0)
		want := []string{"user complete: one", "assistant interrupted: Write to [email]"}
		te.wantHistory(turn.ConversationID, want...)
		barrier.Release()
		check.Receive(te.t, "the end of the turn", turn.Done())
		te.wantHistory(turn.ConversationID, want...)
		te.model.AddScript(scripted.Text("whole"), scripted.Stop())
		te.finish(te.startForVisitor(t.Context(),
			chat.Request{ConversationID: turn.ConversationID, Retry: turn.MessageID}))
		te.wantTexts(turn.ConversationID, "one", "whole")
	})
}

func TestRetryNeedsAUsersMessage(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.start("one", "")
		te.finish(turn)
		_, err := te.db.SQL().Exec(t.Context(), `delete from messages where id = ?`, turn.UserMessageID)
		check.Must(t, err)
		_, err = te.retry(turn.ConversationID, turn.MessageID)
		check.WantCode(t, err, parley.CodeRetryNoUser)
	})
}

func TestRetryOfAContinuedAnswerBeginsAtTheQuestion(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.startClientCall()
		check.Must(t, te.submitResult(turn, te.pendingCall(turn), `{"city":"Rome"}`))
		next, err := te.continueTurn(turn.ConversationID)
		check.Must(t, err)
		te.finish(next)
		te.model.AddScript(scripted.Text("Somewhere."), scripted.Stop())
		again, err := te.retry(turn.ConversationID, next.MessageID)
		check.Must(t, err)
		te.finish(again)
		te.wantTexts(turn.ConversationID, "Where am I?", "Somewhere.")
	})
}

func TestConcurrentRetriesReplaceOnce(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.start("one", "")
		te.finish(turn)
		outcomes := make([]error, 8)
		var all sync.WaitGroup
		for i := range outcomes {
			all.Go(func() {
				again, err := te.retry(turn.ConversationID, turn.MessageID)
				if err == nil {
					_, err = again.Wait(t.Context())
				}
				outcomes[i] = err
			})
		}
		all.Wait()
		done := 0
		for _, err := range outcomes {
			if err == nil {
				done++
			} else {
				check.WantCode(t, err, parley.CodeRetryNotFound)
			}
		}
		if done != 1 {
			t.Errorf("%d of 8 retries of one message succeeded", done)
		}
		te.wantTexts(turn.ConversationID, "one", "one")
	})
}

// An answer that a full database cannot store fails at once, keeps the message and costs nothing. Its turn is closed as
// soon as there is space, before its lease runs out.
func TestAnswerFailsOnAFullDatabase(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		if te.db.SQL().Dialect() != sqldb.SQLite {
			return // PostgreSQL has no quota
		}
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text(strings.Repeat("a long answer ", 20_000)), scripted.Step{Barrier: barrier},
			scripted.Stop())
		question := strings.Repeat("a long question ", 1000)
		turn := te.start(question, "")
		te.fillDatabase()
		barrier.Release()
		ctx, stop := context.WithTimeout(t.Context(), testkit.WaitTimeout)
		defer stop()
		_, err := turn.Wait(ctx)
		check.WantCode(t, err, parley.CodeUnderMaintenance)
		if e := parley.AsError(err); e.RetryAfter <= 0 || e.Details["conversationId"] != string(turn.ConversationID) {
			t.Errorf("got %+v", e)
		}
		check.Must(t, te.db.SQL().SetQuota(t.Context(), 0))
		te.LeaseDuration = 300 * time.Millisecond // the clock of the test does not move, so it never runs out
		running, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- te.Run(running) }()
		testkit.Eventually(t, "the turn's end", func() bool {
			var open int
			check.Must(t, te.db.SQL().QueryRow(t.Context(), `select count(*) from turns where state = 'open'`).Scan(&open))
			return open == 0
		})
		end()
		check.Must(t, check.Receive(te.t, "the end of the engine", ended))
		te.wantHistory(turn.ConversationID, "user complete: "+question)
		te.wantCredits(0, 0)
		te.wantNoOpenTurn()
		te.finish(te.start("two", turn.ConversationID))
	})
}

// fillDatabase fills the database until no page is free.
func (te *testEngine) fillDatabase() {
	te.t.Helper()
	ctx, db := te.t.Context(), te.db.SQL()
	if _, err := db.Exec(ctx, `create table filler (bytes blob)`); err != nil {
		te.t.Fatal(err)
	}
	var pages int
	check.Must(te.t, db.QueryRow(ctx, `select page_count from pragma_page_count()`).Scan(&pages))
	check.Must(te.t, db.SetQuota(ctx, pages))
	for size := 1 << 20; size > 1<<10; {
		if _, err := db.Exec(ctx, `insert into filler values (zeroblob(?))`, size); err != nil {
			size /= 2
		}
	}
}
