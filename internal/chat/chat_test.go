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

	"go.uber.org/goleak"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

// testEngine is an engine on a real database with one account, one agent and a scripted model.
type testEngine struct {
	*chat.Engine
	t       *testing.T
	db      *store.DB
	model   *scripted.Model
	account parley.Account
	plan    parley.Plan
	agent   parley.Agent
	clock   *clock
}

type clock struct {
	mu      sync.Mutex
	current time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = c.current.Add(by)
}

func forEachDatabase(t *testing.T, f func(d *testEngine)) {
	t.Helper()
	dbs.ForEachDatabase(t, func(t *testing.T, raw *sqldb.DB) { f(newTestEngine(t, raw)) })
}

func newTestEngine(t *testing.T, raw *sqldb.DB) *testEngine {
	t.Helper()
	must(t, sqldb.Migrate(t.Context(), raw, store.Migrations()))
	c := &clock{current: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	d := &testEngine{t: t, db: store.New(raw), model: &scripted.Model{}, clock: c}
	d.account = parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Ours", Plan: "unlimited",
		CreatedAt: c.now()}
	d.agent = parley.Agent{ID: parley.NewAgentID(), AccountID: d.account.ID, Name: "Help", Model: "auto",
		Visibility: "private",
		RateLimit:  parley.DefaultDeviceLimit(), ConfigVersion: 1, CreatedAt: c.now(), UpdatedAt: c.now()}
	must(t, d.db.CreateAccount(t.Context(), &d.account))
	must(t, d.db.CreateAgent(t.Context(), &d.agent))
	d.Engine = d.newEngine("this server")
	return d
}

func (d *testEngine) newEngine(owner string) *chat.Engine {
	table := model.NewRegistry(model.RegistryConfig{Builtin: d.model})
	return &chat.Engine{DB: d.db, Indexes: &retrieval.Indexes{DB: d.db.SQL()}, Models: table, Now: d.clock.now,
		Logger: slog.New(slog.DiscardHandler), Owner: owner}
}

func must(t *testing.T, err error) {
	t.Helper()
}

func (d *testEngine) tryStart(message string, in parley.ConversationID) (*chat.Turn, error) {
	return d.Start(d.t.Context(), d.account, d.plan, d.agent.ID,
		chat.Request{Message: message, ConversationID: in, Channel: parley.ChannelAPI})
}

func (d *testEngine) start(message string, in parley.ConversationID) *chat.Turn {
	d.t.Helper()
	turn, err := d.tryStart(message, in)
	must(d.t, err)
	return turn
}

func (d *testEngine) finish(turn *chat.Turn) *chat.Finish {
	d.t.Helper()
	f, err := turn.Wait(d.t.Context())
	must(d.t, err)
	return f
}

// history returns the stored messages as "author state: text".
func (d *testEngine) history(c parley.ConversationID) []string {
	d.t.Helper()
	page, err := d.db.Messages(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(c),
		parley.PageRequest{Limit: 100})
	must(d.t, err)
	var lines []string
	for i, m := range page.Items {
		if m.Seq != int64(i+1) {
			d.t.Errorf("message %d has sequence %d", i+1, m.Seq)
		}
		lines = append(lines, string(m.Author)+" "+string(m.State)+": "+m.Text())
	}
	return lines
}

func (d *testEngine) wantHistory(c parley.ConversationID, want ...string) {
	d.t.Helper()
	if got := d.history(c); !slices.Equal(got, want) {
		d.t.Errorf("history:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (d *testEngine) wantCredits(used, reserved parley.Credits) {
	d.t.Helper()
	u, r, err := d.db.AccountCreditUsage(d.t.Context(), d.account.ID, "2026-11")
	must(d.t, err)
	if u != used || r != reserved {
		d.t.Errorf("credits used %d, reserved %d; want %d, %d", u, r, used, reserved)
	}
}

func (d *testEngine) wantNoOpenTurn() {
	d.t.Helper()
	var inTurns, inAccount int
	must(d.t, d.db.SQL().QueryRow(d.t.Context(), `select count(*) from turns where state = 'open'`).Scan(&inTurns))
	must(d.t, d.db.SQL().QueryRow(d.t.Context(), `select open_turns from accounts where id = ?`,
		d.account.ID).Scan(&inAccount))
	if inTurns != 0 || inAccount != 0 {
		d.t.Errorf("%d open turns, the account counts %d; want none", inTurns, inAccount)
	}
}

func wantCode(t *testing.T, err error, code parley.Code) {
	t.Helper()
	if !parley.IsCode(err, code) {
		t.Errorf("error %v, want %s", err, code)
	}
}

func TestAnswerIsStoredBeforeItsEndIsTold(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.model.AddScript(scripted.Text("Good "), scripted.Text("morning."), scripted.Stop())
		turn := d.start("Hello", "")
		r := turn.Reader()
		defer r.Close()
		var text string
		for {
			events, err := r.Next(t.Context())
			if err == io.EOF {
				break
			}
			must(t, err)
			for _, e := range events {
				text += e.Text
				if e.Kind == chat.Finished {
					d.wantHistory(turn.ConversationID, "user complete: Hello", "assistant complete: Good morning.")
					d.wantCredits(parley.Credit, 0)
					if e.Finish.Message.ID != turn.MessageID || e.Finish.Reason != "stop" || e.Finish.Credits != parley.Credit {
						t.Errorf("finish %+v", e.Finish)
					}
				}
			}
		}
		if text != "Good morning." {
			t.Errorf("streamed %q", text)
		}
		d.wantNoOpenTurn()
	})
}

func TestContinuingShowsTheModelWhatWasSaid(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.start("one", "")
		d.finish(turn)
		d.finish(d.start("two", turn.ConversationID))
		asked := d.model.Requests()[1].Messages
		var got []string
		for _, m := range asked {
			got = append(got, m.Role+":"+m.Text)
		}
		if want := []string{"user:one", "assistant:one", "user:two"}; !slices.Equal(got, want) {
			t.Errorf("asked %q, want %q", got, want)
		}
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: one", "user complete: two",
			"assistant complete: two")
	})
}

func TestSecondMessageWaitsForTheLiveTurn(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Text("first"), scripted.Step{Barrier: gate}, scripted.Stop())
		turn := d.start("one", "")
		reader := turn.Reader()
		defer reader.Close()
		<-gate.Reached()
		second := make(chan error)
		go func() {
			next, err := d.tryStart("two", turn.ConversationID)
			if err == nil {
				_, err = next.Wait(t.Context())
			}
			second <- err
		}()
		gate.Release()
		must(t, <-second)
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: first", "user complete: two",
			"assistant complete: two")
	})
}

func TestSecondMessageGivesUp(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.QueueTimeout = time.Millisecond
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Step{Barrier: gate}, scripted.Text("first"), scripted.Stop())
		turn := d.start("one", "")
		_, err := d.tryStart("two", turn.ConversationID)
		wantCode(t, err, parley.CodeConversationBusy)
		gate.Release()
		d.finish(turn)
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: first")
	})
}

func TestClientThatLeavesLosesNothing(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Text("half "), scripted.Step{Barrier: gate}, scripted.Text("whole"), scripted.Stop())
		turn := d.start("one", "")
		turn.Reader().Close()
		gate.Release()
		<-turn.Done()
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: half whole")
	})
}

func TestNewMessageCancelsAnAbandonedTurn(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: gate}, scripted.Stop())
		turn := d.start("one", "")
		reader := turn.Reader()
		<-gate.Reached()
		second := make(chan error)
		go func() {
			next, err := d.tryStart("two", turn.ConversationID)
			if err == nil {
				_, err = next.Wait(t.Context())
			}
			second <- err
		}()
		reader.Close()
		must(t, <-second)
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half", "user complete: two",
			"assistant complete: two")
		d.wantCredits(2*parley.Credit, 0)
		d.wantNoOpenTurn()
	})
}

func TestFailureKeepsTheMessageAndChargesNothing(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.model.AddScript(scripted.Step{Err: errors.New("the provider's secret words")})
		turn := d.start("one", "")
		err := turn.WaitForText(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		fail := parley.AsError(err)
		if fail.Details["conversationId"] != string(turn.ConversationID) ||
			fail.Details["userMessageId"] != string(turn.UserMessageID) || strings.Contains(fail.Message, "secret") {
			t.Errorf("told %q %v", fail.Message, fail.Details)
		}
		<-turn.Done()

		d.model.AddScript(scripted.Text("half"), scripted.Step{Err: errors.New("cut")})
		turn = d.start("two", turn.ConversationID)
		must(t, turn.WaitForText(t.Context()))
		_, err = turn.Wait(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		d.wantHistory(turn.ConversationID, "user complete: one", "user complete: two")
		d.wantCredits(0, 0)
		d.wantNoOpenTurn()
	})
}

func TestPanicOfABackEndFailsItsTurnOnly(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.model.StepsFor = func(model.Request) []scripted.Step { panic("boom") }
		_, err := d.start("one", "").Wait(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		d.model.StepsFor = nil
		d.finish(d.start("two", ""))
	})
}

func TestEndlessAnswerIsCut(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.model.AddScript(scripted.Step{RepeatedText: strings.Repeat("word ", 10_000)})
		f := d.finish(d.start("one", ""))
		if n := len(f.Message.Text()); n > 512<<10 || n < 450_000 || f.Reason != "error" ||
			f.Message.State != parley.MessageInterrupted || f.Credits != 0 {
			t.Errorf("%d bytes kept as %s, reason %s, %d credits", n, f.Message.State, f.Reason, f.Credits)
		}
	})
}

func TestCreditsRunOut(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		two := 2 * parley.Credit
		d.account.Credits = &two
		d.finish(d.start("one", ""))
		d.finish(d.start("two", ""))
		_, err := d.tryStart("three", "")
		wantCode(t, err, parley.CodeCreditsExhausted)
		d.wantCredits(two, 0)
		d.clock.advance(11 * 24 * time.Hour) // the next month
		d.finish(d.start("three", ""))
	})
}

func TestAgentCreditsRunOut(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		one := int64(1)
		must(t, d.db.UpdateAgent(t.Context(), d.account.ID.AgentRef(d.agent.ID), func(a *parley.Agent) error {
			a.CreditLimit = &one
			return nil
		}))
		d.finish(d.start("one", ""))
		_, err := d.tryStart("two", "")
		wantCode(t, err, parley.CodeAgentCredits)
	})
}

func TestCreditsAreExactUnderConcurrency(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		limit := 10 * parley.Credit
		d.account.Credits = &limit
		var mu sync.Mutex
		var answered, refused int
		var all sync.WaitGroup
		for range 24 {
			all.Go(func() {
				turn, err := d.tryStart("hello", "")
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
		d.wantCredits(limit, 0)
	})
}

func TestOpenTurnsAreCapped(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.MaxOpenTurns = 1
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Step{Barrier: gate}, scripted.Text("x"), scripted.Stop())
		turn := d.start("one", "")
		_, err := d.tryStart("two", "")
		wantCode(t, err, parley.CodeTooManyRequests)
		gate.Release()
		d.finish(turn)
		d.finish(d.start("two", ""))
	})
}

func TestConversationThatMayNotGoOn(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.start("one", "")
		d.finish(turn)
		for _, status := range []string{"ended", "taken_over"} {
			_, err := d.db.SQL().Exec(t.Context(), `update conversations set status = ? where id = ?`, status,
				turn.ConversationID)
			must(t, err)
			_, err = d.tryStart("two", turn.ConversationID)
			wantCode(t, err, parley.CodeNotOngoing)
		}
		_, err := d.db.SQL().Exec(t.Context(), `update conversations set status = 'ongoing', paused = 1 where id = ?`,
			turn.ConversationID)
		must(t, err)
		f := d.finish(d.start("three", turn.ConversationID))
		if f.Message != nil || f.Reason != "stop" || f.Credits != 0 {
			t.Errorf("a paused conversation answered %+v", f)
		}
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant complete: one", "user complete: three")
	})
}

func TestConversationsOfOthersAreUnknown(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.start("one", "")
		d.finish(turn)
		other := d.agent
		other.ID = parley.NewAgentID()
		must(t, d.db.CreateAgent(t.Context(), &other))
		for _, id := range []parley.ConversationID{"nonsense", parley.ConversationID(parley.NewTimedUUID()),
			turn.ConversationID} {
			_, err := d.Start(t.Context(), d.account, d.plan, other.ID, chat.Request{Message: "x", ConversationID: id})
			wantCode(t, err, parley.CodeConversationNotFound)
		}
		_, err := d.Start(t.Context(), parley.Account{ID: "another"}, d.plan, d.agent.ID,
			chat.Request{Message: "x", ConversationID: turn.ConversationID})
		wantCode(t, err, parley.CodeAgentNotFound)
	})
}

// A server that was killed with many turns open does not leave the users of most of them waiting.
func TestRecoveryClosesAllThatIsLost(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		var turns []*chat.Turn
		for range 130 { // more than are closed at a time
			d.model.AddScript(scripted.Step{Barrier: gate}, scripted.Text("late"), scripted.Stop())
			turns = append(turns, d.start("one", ""))
		}
		defer func() {
			gate.Release()
			for _, turn := range turns {
				<-turn.Done()
			}
		}()
		d.clock.advance(time.Minute) // nobody renews the leases
		other := d.newEngine("another server")
		other.LeaseDuration = 24 * time.Hour // its next look is in eight hours
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- other.Run(ctx) }()
		for look, open := time.NewTicker(5*time.Millisecond), 1; open > 0; <-look.C { // the test's own time limit ends it
			var err error
			open, err = sqldb.One(ctx, d.db.SQL(), sqldb.Column[int], `select count(*) from turns where state = 'open'`)
			must(t, err)
		}
		stop()
		must(t, <-done)
		d.wantNoOpenTurn()
		d.wantCredits(0, 0)
	})
}

func TestRecoveryClosesOnlyWhatIsLost(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Step{Barrier: gate}, scripted.Text("late"), scripted.Stop())
		turn := d.start("one", "")
		other := d.newEngine("another server")
		if n, err := other.Recover(t.Context()); n != 0 || err != nil {
			t.Fatalf("a live turn was recovered: %d, %v", n, err)
		}
		d.clock.advance(time.Minute) // nobody renews the lease
		if n, err := other.Recover(t.Context()); n != 1 || err != nil {
			t.Fatalf("recovered %d, %v; want 1", n, err)
		}
		d.wantNoOpenTurn()
		d.wantCredits(0, 0)
		gate.Release()
		if _, err := turn.Wait(t.Context()); err == nil {
			t.Error("a turn that was recovered told its client that it is stored")
		}
		d.wantHistory(turn.ConversationID, "user complete: one")
		d.finish(d.start("two", turn.ConversationID))
	})
}

func TestMessageAfterACrashClosesTheLostTurn(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Step{Barrier: gate}, scripted.Text("late"), scripted.Stop())
		turn := d.start("one", "")
		d.clock.advance(time.Minute)
		other := d.newEngine("another server")
		next, err := other.Start(t.Context(), d.account, d.plan, d.agent.ID,
			chat.Request{Message: "two", ConversationID: turn.ConversationID, Channel: parley.ChannelAPI})
		must(t, err)
		_, err = next.Wait(t.Context())
		must(t, err)
		d.wantHistory(turn.ConversationID, "user complete: one", "user complete: two", "assistant complete: two")
		gate.Release()
		<-turn.Done()
	})
}

func TestDrain(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: gate}, scripted.Stop())
		turn := d.start("one", "")
		<-gate.Reached()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		d.Drain(ctx)
		f := d.finish(turn)
		if f.Reason != "error" || f.Message.State != parley.MessageInterrupted {
			t.Errorf("finish %+v", f)
		}
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half")
		d.wantCredits(0, 0)
		d.wantNoOpenTurn()
		_, err := d.tryStart("two", "")
		wantCode(t, err, parley.CodeUnderMaintenance)
	})
}

func TestDeletedAgentGetsNoAnswerBack(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Step{Barrier: gate}, scripted.Text("late"), scripted.Stop())
		turn := d.start("one", "")
		must(t, d.db.DeleteAgent(t.Context(), d.account.ID.AgentRef(d.agent.ID), d.clock.now()))
		gate.Release()
		_, err := turn.Wait(t.Context())
		wantCode(t, err, parley.CodeAgentNotFound)
		var n int
		must(t, d.db.SQL().QueryRow(t.Context(), `select count(*) from messages where author = 'assistant'`).Scan(&n))
		if n != 0 {
			t.Error("an answer was stored for a deleted agent")
		}
		d.wantNoOpenTurn()
	})
}

func TestAMessageOnAnotherServerCancelsAnAbandonedTurn(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		if d.db.SQL().Dialect() != sqldb.Postgres {
			return // a file has one server: there is nobody to ask
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { must(t, d.Run(ctx)) })
		defer running.Wait()
		defer stop()
		d.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: scripted.NewBarrier()}, scripted.Stop())
		turn := d.start("one", "")
		must(t, turn.WaitForText(t.Context()))
		turn.Reader().Close()
		other := d.newEngine("another server")
		next, err := other.Start(t.Context(), d.account, d.plan, d.agent.ID,
			chat.Request{Message: "two", ConversationID: turn.ConversationID, Channel: parley.ChannelAPI})
		must(t, err)
		d.finish(next)
		d.wantHistory(turn.ConversationID, "user complete: one", "assistant interrupted: half", "user complete: two",
			"assistant complete: two")
	})
}
