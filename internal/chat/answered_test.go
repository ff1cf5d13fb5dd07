package chat_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

// newSQLiteEngine returns an engine on a new SQLite database: only that one has a writer that turns wait for.
func newSQLiteEngine(t *testing.T) *testEngine {
	return newTestEngine(t, dbs.NewSQLiteStore(t))
}

// started is what Start has returned.
type started struct {
	turn *chat.Turn
	err  error
}

// startBehind starts a turn while something else has the writer until the turn's answer is known.
func (te *testEngine) startBehind(message string, in parley.ConversationID,
	meanwhile func(tx *store.DB) error) started {
	te.t.Helper()
	result, busy, release := make(chan started, 1), make(chan struct{}), make(chan struct{})
	other, tellBusy := make(chan error, 1), sync.OnceFunc(func() { close(busy) })
	go func() {
		other <- te.db.Transact(te.t.Context(), sqldb.Interactive, func(tx *store.DB) error {
			tellBusy()
			<-release
			return meanwhile(tx)
		})
	}()
	check.Receive(te.t, "a busy writer", busy)
	go func() {
		turn, err := te.tryStart(message, in)
		result <- started{turn, err}
	}()
	check.Eventually(te.t, "the outcome of a turn", func() bool { return te.HasOutcomes(1) })
	close(release)
	check.Must(te.t, check.Receive(te.t, "the end of the writer's transaction", other))
	return check.Receive(te.t, "the turn", result)
}

func doNothing(*store.DB) error { return nil }

// dumpQueries read the rows without ids and times.
var dumpQueries = []string{
	`select json_array(status, message_count, last_seq, last_activity >= created_at, streamed)
	from conversations order by created_at, id`,
	`select json_array(seq, author, state, parts, type, turn_id is not null, model, finish_reason, credits, latency_ms)
	from messages order by conversation_id, seq`,
	`select json_array(state, month, reserved, charged, ended_at is not null, owner, lease_until > started_at, trace)
	from turns order by id`,
	`select json_array(agent_id = '', month, used, reserved) from credit_usage order by 1`,
	`select json_array(agent_id = '', kind, model, used, charges) from credit_models order by 1`,
	`select json_array(kind, amount, month) from credit_ledger order by turn_id`,
	`select json_array(seq, kind, payload) from events order by seq`,
	`select json_array(event_seq, open_turns) from accounts`,
	`select json_array(total, api) from conversation_counts`,
	`select json_array(last_message_at is not null) from agents`,
}

// dump returns the rows of all that a turn writes.
func (te *testEngine) dump() string {
	te.t.Helper()
	var lines []string
	for _, query := range dumpQueries {
		rows, err := sqldb.All(te.t.Context(), te.db.SQL(), sqldb.Column[string], query)
		check.Must(te.t, err)
		lines = append(lines, rows...)
	}
	return strings.Join(lines, "\n")
}

// A turn whose answer is known before its first transaction has run is stored at once, and its rows are those that two
// transactions write.
func TestTurnStoredAtOnce(t *testing.T) {
	var dumps []string
	for _, atOnce := range []bool{false, true} {
		te := newSQLiteEngine(t)
		talk := parley.ConversationID("")
		for _, message := range []string{"One", "Two"} {
			turn := started{}
			if atOnce {
				turn = te.startBehind(message, talk, doNothing)
			} else {
				turn.turn, turn.err = te.tryStart(message, talk)
			}
			check.Must(t, turn.err)
			te.finish(turn.turn)
			talk = turn.turn.ConversationID
		}
		te.wantHistory(talk, "user complete: One", "assistant complete: One", "user complete: Two",
			"assistant complete: Two")
		te.wantCredits(2*parley.Credit, 0)
		te.wantNoOpenTurn()
		dumps = append(dumps, te.dump())
	}
	if dumps[0] != dumps[1] {
		t.Errorf("stored at once:\n%s\nin two transactions:\n%s", dumps[1], dumps[0])
	}
}

// What refuses a turn refuses one that is stored at once as well, and nothing of it is stored.
func TestTurnStoredAtOnceIsRefused(t *testing.T) {
	te := newSQLiteEngine(t)
	first := te.start("One", "")
	te.finish(first)
	ref := te.account.ID.AgentRef(te.agent.ID)
	before := te.dump()
	end := func(tx *store.DB) error {
		c, err := tx.LockConversation(t.Context(), ref.ConversationRef(first.ConversationID))
		if err != nil {
			return err
		}
		c.Status = parley.ConversationEnded
		return tx.SaveConversationStatus(t.Context(), c, 1, "customer")
	}
	got := te.startBehind("Two", first.ConversationID, end)
	if !parley.IsCode(got.err, parley.CodeNotOngoing) {
		t.Errorf("of a conversation that has ended: %v", got.err)
	}
	if after := strings.Replace(te.dump(), "ended", "ongoing", 1); after != before {
		t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
	}
	limit := parley.Credit
	te.plan.CreditsPerMonth = &limit
	// Where a limit is all but reached, the model is called only after the credits are reserved.
	if _, err := te.tryStart("Three", ""); !parley.IsCode(err, parley.CodeCreditsExhausted) {
		t.Errorf("without credits: %v", err)
	}
	limit = 2 * parley.Credit
	spend := func(tx *store.DB) error {
		_, _, err := tx.ReserveCredits(t.Context(), ref, "2026-11", parley.Credit)
		return err
	}
	if got := te.startBehind("Four", "", spend); !parley.IsCode(got.err, parley.CodeCreditsExhausted) {
		t.Errorf("with credits that another answer takes first: %v", got.err)
	}
	te.wantCredits(parley.Credit, parley.Credit)
	te.wantNoOpenTurn()
}

// Of a conversation that is paused meanwhile only the message is stored.
func TestTurnStoredAtOnceOfAPausedConversation(t *testing.T) {
	te := newSQLiteEngine(t)
	te.model.AddScript(scripted.Text("Good morning."), scripted.Stop())
	first := te.start("One", "")
	te.finish(first)
	pause := func(tx *store.DB) error {
		c, err := tx.LockConversation(t.Context(),
			te.account.ID.AgentRef(te.agent.ID).ConversationRef(first.ConversationID))
		if err != nil {
			return err
		}
		c.Paused = true
		return tx.SaveConversationStatus(t.Context(), c, 0, "")
	}
	got := te.startBehind("Two", first.ConversationID, pause)
	check.Must(t, got.err)
	if f := te.finish(got.turn); f.Message != nil {
		t.Errorf("answered with %+v", f.Message)
	}
	history := te.history(first.ConversationID)
	if want := "user complete: Two"; len(history) != 3 || !slices.Contains(history, want) {
		t.Errorf("history %q", history)
	}
	te.wantCredits(parley.Credit, 0)
	te.wantNoOpenTurn()
}
