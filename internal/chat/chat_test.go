package chat_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

// testEngine is an engine on a real database with one account, one agent and a scripted model.
type testEngine struct {
	*chat.Engine
	t       *testing.T
	db      *store.DB
	model   *scripted.Model
	account parley.Account
	plan    parley.Plan
	agent   parley.Agent
	clock   *clock.Clock
}

func forEachDatabase(t *testing.T, f func(te *testEngine)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestEngine(t, db)) })
}

func newTestEngine(t *testing.T, db *store.DB) *testEngine {
	t.Helper()
	c := clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	te := &testEngine{t: t, db: db, model: &scripted.Model{}, clock: c}
	te.account = parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Ours", Plan: "unlimited",
		CreatedAt: c.Now()}
	te.agent = parley.Agent{ID: parley.NewAgentID(), AccountID: te.account.ID, Name: "Help", Model: "auto",
		Visibility: "private",
		RateLimit:  parley.DefaultDeviceLimit(), ConfigVersion: 1, CreatedAt: c.Now(), UpdatedAt: c.Now()}
	check.Must(t, te.db.CreateAccount(t.Context(), &te.account))
	check.Must(t, te.db.CreateAgent(t.Context(), &te.agent))
	te.Engine = te.newEngine("this server")
	return te
}

func (te *testEngine) caller() parley.Caller {
	return parley.Caller{Account: te.account, Plan: te.plan}
}

func (te *testEngine) newEngine(owner string) *chat.Engine {
	table := model.NewRegistry(model.RegistryConfig{Builtin: te.model})
	return &chat.Engine{DB: te.db, Indexes: &retrieval.Indexes{DB: te.db.SQL()}, Models: table, Now: te.clock.Now,
		Logger: slog.New(slog.DiscardHandler), Owner: owner}
}

func (te *testEngine) tryStart(message string, in parley.ConversationID) (*chat.Turn, error) {
	return te.Start(te.t.Context(), te.caller(), te.agent.ID,
		chat.Request{Message: message, ConversationID: in, Channel: parley.ChannelAPI})
}

func (te *testEngine) start(message string, in parley.ConversationID) *chat.Turn {
	te.t.Helper()
	turn, err := te.tryStart(message, in)
	check.Must(te.t, err)
	return turn
}

func (te *testEngine) finish(turn *chat.Turn) *chat.Finish {
	te.t.Helper()
	f, err := turn.Wait(te.t.Context())
	check.Must(te.t, err)
	return f
}

// history returns the stored messages as "author state: text".
func (te *testEngine) history(c parley.ConversationID) []string {
	te.t.Helper()
	page, err := te.db.Messages(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c),
		parley.PageRequest{Limit: 100})
	check.Must(te.t, err)
	var lines []string
	for i, m := range page.Items {
		if m.Seq != int64(i+1) {
			te.t.Errorf("message %d has sequence %d", i+1, m.Seq)
		}
		lines = append(lines, string(m.Author)+" "+string(m.State)+": "+m.Text())
	}
	return lines
}

func (te *testEngine) wantHistory(c parley.ConversationID, want ...string) {
	te.t.Helper()
	if got := te.history(c); !slices.Equal(got, want) {
		te.t.Errorf("history:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (te *testEngine) wantCredits(used, reserved parley.Credits) {
	te.t.Helper()
	u, r, err := te.db.AccountCreditUsage(te.t.Context(), te.account.ID, "2026-11")
	check.Must(te.t, err)
	if u != used || r != reserved {
		te.t.Errorf("credits used %d, reserved %d; want %d, %d", u, r, used, reserved)
	}
}

func (te *testEngine) wantNoOpenTurn() {
	te.t.Helper()
	var inTurns, inAccount int
	check.Must(te.t,
		te.db.SQL().QueryRow(te.t.Context(), `select count(*) from turns where state = 'open'`).Scan(&inTurns))
	check.Must(te.t, te.db.SQL().QueryRow(te.t.Context(), `select open_turns from accounts where id = ?`,
		te.account.ID).Scan(&inAccount))
	if inTurns != 0 || inAccount != 0 {
		te.t.Errorf("%d open turns, the account counts %d; want none", inTurns, inAccount)
	}
}

func TestAnswerIsStoredBeforeItsEndIsSent(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.AddScript(scripted.Text("Good "), scripted.Text("morning."), scripted.Stop())
		turn := te.start("Hello", "")
		r := turn.Reader()
		defer r.Close()
		var text string
		for {
			events, err := r.Next(t.Context())
			if err == io.EOF {
				break
			}
			check.Must(t, err)
			for _, e := range events {
				text += e.Text
				if e.Kind == chat.Finished {
					te.wantHistory(turn.ConversationID, "user complete: Hello", "assistant complete: Good morning.")
					te.wantCredits(parley.Credit, 0)
					if e.Finish.Message.ID != turn.MessageID || e.Finish.Reason != "stop" || e.Finish.Credits != parley.Credit {
						t.Errorf("finish %+v", e.Finish)
					}
				}
			}
		}
		if text != "Good morning." {
			t.Errorf("streamed %q", text)
		}
		te.wantNoOpenTurn()
	})
}

func TestModelSeesEarlierMessages(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.start("one", "")
		te.finish(turn)
		te.finish(te.start("two", turn.ConversationID))
		sent := te.model.Requests()[1].Messages
		var got []string
		for _, m := range sent {
			got = append(got, m.Role+":"+m.Text)
		}
		if want := []string{"user:one", "assistant:one", "user:two"}; !slices.Equal(got, want) {
			t.Errorf("the model got %q, want %q", got, want)
		}
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: one", "user complete: two",
			"assistant complete: two")
	})
}

func TestSecondMessageWaitsForTheLiveTurn(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text("first"), scripted.Step{Barrier: barrier}, scripted.Stop())
		turn := te.start("one", "")
		reader := turn.Reader()
		defer reader.Close()
		check.Receive(te.t, "a model at its barrier", barrier.Reached())
		second := make(chan error)
		go func() {
			next, err := te.tryStart("two", turn.ConversationID)
			if err == nil {
				_, err = next.Wait(t.Context())
			}
			second <- err
		}()
		barrier.Release()
		check.Must(t, check.Receive(te.t, "the second message", second))
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: first", "user complete: two",
			"assistant complete: two")
	})
}

func TestSecondMessageTimesOut(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.QueueTimeout = time.Millisecond
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("first"), scripted.Stop())
		turn := te.start("one", "")
		_, err := te.tryStart("two", turn.ConversationID)
		check.WantCode(t, err, parley.CodeConversationBusy)
		barrier.Release()
		te.finish(turn)
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: first")
	})
}

func TestDisconnectedClientLosesNothing(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text("half "), scripted.Step{Barrier: barrier}, scripted.Text("whole"), scripted.Stop())
		turn := te.start("one", "")
		turn.Reader().Close()
		barrier.Release()
		check.Receive(te.t, "the end of the turn", turn.Done())
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: half whole")
	})
}

func TestNewMessageCancelsAnAbandonedTurn(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: barrier}, scripted.Stop())
		turn := te.start("one", "")
		reader := turn.Reader()
		check.Receive(te.t, "a model at its barrier", barrier.Reached())
		second := make(chan error)
		go func() {
			next, err := te.tryStart("two", turn.ConversationID)
			if err == nil {
				_, err = next.Wait(t.Context())
			}
			second <- err
		}()
		reader.Close()
		check.Must(t, check.Receive(te.t, "the second message", second))
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half", "user complete: two",
			"assistant complete: two")
		te.wantCredits(2*parley.Credit, 0)
		te.wantNoOpenTurn()
	})
}

func TestFailureKeepsTheMessageAndChargesNothing(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.AddScript(scripted.Step{Err: errors.New("the provider's secret words")})
		turn := te.start("one", "")
		err := turn.WaitForText(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		fail := parley.AsError(err)
		if fail.Details["conversationId"] != string(turn.ConversationID) ||
			fail.Details["userMessageId"] != string(turn.UserMessageID) || strings.Contains(fail.Message, "secret") {
			t.Errorf("got %q %v", fail.Message, fail.Details)
		}
		check.Receive(te.t, "the end of the turn", turn.Done())

		te.model.AddScript(scripted.Text("half"), scripted.Step{Err: errors.New("cut")})
		turn = te.start("two", turn.ConversationID)
		check.Must(t, turn.WaitForText(t.Context()))
		_, err = turn.Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		te.wantHistory(turn.ConversationID, "user complete: one", "user complete: two")
		te.wantCredits(0, 0)
		te.wantNoOpenTurn()
	})
}

func TestPanicOfAModelFailsOnlyItsTurn(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.StepsFor = func(model.Request) []scripted.Step { panic("boom") }
		_, err := te.start("one", "").Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		te.model.StepsFor = nil
		te.finish(te.start("two", ""))
	})
}

func TestEndlessAnswerIsCut(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.AddScript(scripted.Step{RepeatedText: strings.Repeat("word ", 10_000)})
		f := te.finish(te.start("one", ""))
		if n := len(f.Message.Text()); n > 512<<10 || n < 450_000 || f.Reason != "error" ||
			f.Message.State != parley.MessageInterrupted || f.Credits != 0 {
			t.Errorf("%d bytes stored as %s, reason %s, %d credits", n, f.Message.State, f.Reason, f.Credits)
		}
	})
}

func TestCreditsRunOut(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		two := 2 * parley.Credit
		te.account.Credits = &two
		te.finish(te.start("one", ""))
		te.finish(te.start("two", ""))
		_, err := te.tryStart("three", "")
		check.WantCode(t, err, parley.CodeCreditsExhausted)
		te.wantCredits(two, 0)
		te.clock.Advance(11 * 24 * time.Hour) // the next month
		te.finish(te.start("three", ""))
	})
}

func TestAgentCreditsRunOut(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		one := int64(1)
		check.Must(t, te.db.UpdateAgent(t.Context(), te.account.ID.AgentRef(te.agent.ID), func(a *parley.Agent) error {
			a.CreditLimit = &one
			return nil
		}))
		te.finish(te.start("one", ""))
		_, err := te.tryStart("two", "")
		check.WantCode(t, err, parley.CodeAgentCredits)
	})
}

func TestCreditsAreExactUnderConcurrency(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		limit := 10 * parley.Credit
		te.account.Credits = &limit
		var mu sync.Mutex
		var answered, refused int
		var all sync.WaitGroup
		for range 24 {
			all.Go(func() {
				turn, err := te.tryStart("hello", "")
				if err == nil {
					_, err = turn.Wait(t.Context())
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					answered++
				case parley.IsCode(err, parley.CodeCreditsExhausted):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if answered != 10 || refused != 14 {
			t.Errorf("%d answered, %d refused; want 10, 14", answered, refused)
		}
		te.wantCredits(limit, 0)
	})
}

func TestOpenTurnsAreCapped(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.MaxOpenTurns = 1
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("x"), scripted.Stop())
		turn := te.start("one", "")
		_, err := te.tryStart("two", "")
		check.WantCode(t, err, parley.CodeTooManyRequests)
		barrier.Release()
		te.finish(turn)
		te.finish(te.start("two", ""))
	})
}

func TestConversationThatCannotContinue(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.start("one", "")
		te.finish(turn)
		for _, status := range []string{"ended", "taken_over"} {
			_, err := te.db.SQL().Exec(t.Context(), `update conversations set status = ? where id = ?`, status,
				turn.ConversationID)
			check.Must(t, err)
			_, err = te.tryStart("two", turn.ConversationID)
			check.WantCode(t, err, parley.CodeNotOngoing)
		}
		_, err := te.db.SQL().Exec(t.Context(), `update conversations set status = 'ongoing', paused = 1 where id = ?`,
			turn.ConversationID)
		check.Must(t, err)
		f := te.finish(te.start("three", turn.ConversationID))
		if f.Message != nil || f.Reason != "stop" || f.Credits != 0 {
			t.Errorf("a paused conversation answered %+v", f)
		}
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: one", "user complete: three")
	})
}

func TestConversationsOfOthersAreNotFound(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.start("one", "")
		te.finish(turn)
		other := te.agent
		other.ID = parley.NewAgentID()
		check.Must(t, te.db.CreateAgent(t.Context(), &other))
		for _, id := range []parley.ConversationID{"nonsense", parley.ConversationID(parley.NewTimedUUID()),
			turn.ConversationID} {
			_, err := te.Start(t.Context(), te.caller(), other.ID, chat.Request{Message: "x", ConversationID: id})
			check.WantCode(t, err, parley.CodeConversationNotFound)
		}
		_, err := te.Start(t.Context(), parley.Caller{Account: parley.Account{ID: "another"}, Plan: te.plan}, te.agent.ID,
			chat.Request{Message: "x", ConversationID: turn.ConversationID})
		check.WantCode(t, err, parley.CodeAgentNotFound)
	})
}

// After a server was killed with many open turns, all of them are closed soon.
func TestRecoveryClosesAllLostTurns(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		var turns []*chat.Turn
		for range 130 { // more than are closed in one step
			te.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("late"), scripted.Stop())
			turns = append(turns, te.start("one", ""))
		}
		defer func() {
			barrier.Release()
			for _, turn := range turns {
				check.Receive(te.t, "the end of the turn", turn.Done())
			}
		}()
		te.clock.Advance(time.Minute) // nobody renews the leases
		other := te.newEngine("another server")
		other.LeaseDuration = 24 * time.Hour // the next check is in eight hours
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- other.Run(ctx) }()
		check.Eventually(t, "the end of all turns", func() bool {
			open, err := sqldb.One(ctx, te.db.SQL(), sqldb.Column[int], `select count(*) from turns where state = 'open'`)
			check.Must(t, err)
			return open == 0
		})
		stop()
		check.Must(t, check.Receive(te.t, "the end of the engine", done))
		te.wantNoOpenTurn()
		te.wantCredits(0, 0)
	})
}

func TestRecoveryClosesOnlyLostTurns(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("late"), scripted.Stop())
		turn := te.start("one", "")
		other := te.newEngine("another server")
		if n, err := other.Recover(t.Context()); n != 0 || err != nil {
			t.Fatalf("a live turn was recovered: %d, %v", n, err)
		}
		te.clock.Advance(time.Minute) // nobody renews the lease
		if n, err := other.Recover(t.Context()); n != 1 || err != nil {
			t.Fatalf("recovered %d, %v; want 1", n, err)
		}
		te.wantNoOpenTurn()
		te.wantCredits(0, 0)
		barrier.Release()
		if _, err := turn.Wait(t.Context()); err == nil {
			t.Error("a recovered turn reported to its client that it is stored")
		}
		te.wantHistory(turn.ConversationID, "user complete: one")
		te.finish(te.start("two", turn.ConversationID))
	})
}

func TestMessageAfterACrashClosesTheLostTurn(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("late"), scripted.Stop())
		turn := te.start("one", "")
		te.clock.Advance(time.Minute)
		other := te.newEngine("another server")
		next, err := other.Start(t.Context(), te.caller(), te.agent.ID,
			chat.Request{Message: "two", ConversationID: turn.ConversationID, Channel: parley.ChannelAPI})
		check.Must(t, err)
		_, err = next.Wait(t.Context())
		check.Must(t, err)
		te.wantHistory(turn.ConversationID, "user complete: one", "user complete: two", "assistant complete: two")
		barrier.Release()
		check.Receive(te.t, "the end of the turn", turn.Done())
	})
}

func TestDrain(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: barrier}, scripted.Stop())
		turn := te.start("one", "")
		check.Receive(te.t, "a model at its barrier", barrier.Reached())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		te.Drain(ctx)
		f := te.finish(turn)
		if f.Reason != "error" || f.Message.State != parley.MessageInterrupted {
			t.Errorf("finish %+v", f)
		}
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half")
		te.wantCredits(0, 0)
		te.wantNoOpenTurn()
		_, err := te.tryStart("two", "")
		check.WantCode(t, err, parley.CodeUnderMaintenance)
	})
}

func TestDeletedAgentStoresNoAnswer(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		barrier := scripted.NewBarrier()
		te.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("late"), scripted.Stop())
		turn := te.start("one", "")
		check.Must(t, te.db.DeleteAgent(t.Context(), te.account.ID.AgentRef(te.agent.ID), te.clock.Now()))
		barrier.Release()
		_, err := turn.Wait(t.Context())
		check.WantCode(t, err, parley.CodeAgentNotFound)
		var n int
		check.Must(t, te.db.SQL().QueryRow(t.Context(), `select count(*) from messages where author = 'assistant'`).Scan(&n))
		if n != 0 {
			t.Error("an answer was stored for a deleted agent")
		}
		te.wantNoOpenTurn()
	})
}

func TestMessageOnAnotherServerCancelsAnAbandonedTurn(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		if te.db.SQL().Dialect() != sqldb.Postgres {
			return // a SQLite file has only one server
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { check.Must(t, te.Run(ctx)) })
		defer running.Wait()
		defer stop()
		te.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: scripted.NewBarrier()}, scripted.Stop())
		turn := te.start("one", "")
		check.Must(t, turn.WaitForText(t.Context()))
		turn.Reader().Close()
		other := te.newEngine("another server")
		next, err := other.Start(t.Context(), te.caller(), te.agent.ID,
			chat.Request{Message: "two", ConversationID: turn.ConversationID, Channel: parley.ChannelAPI})
		check.Must(t, err)
		te.finish(next)
		te.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half", "user complete: two",
			"assistant complete: two")
	})
}
