package store_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestAnsweredTurnsAreTheNewestOfTheirAgent(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ended := func(state string, after time.Duration) parley.TurnID {
			fx.Helper()
			turn := &parley.Turn{ID: parley.TurnID(parley.NewUUID()), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
				ConversationID: fx.createEmptyConversation(),
				MessageID:      parley.NewMessageID(), Owner: "here", LeaseUntil: testTime.Add(time.Hour),
				StartedAt: testTime.Add(after)}
			fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
				if _, err := tx.CreateTurn(fx, turn); err != nil || state == "" {
					return err
				}
				return tx.CloseTurn(fx, turn, state, 0, &parley.Trace{TurnID: turn.ID, BackEnd: "builtin",
					ToolCalls: []string{"find done"}}, testTime.Add(after))
			}))
			return turn.ID
		}
		first, second := ended(store.TurnDone, time.Minute), ended(store.TurnDone, time.Hour)
		ended(store.TurnFailed, time.Hour)
		ended("", time.Hour)
		turns, err := fx.AnsweredTurns(fx, fx.Account.ID.AgentRef(fx.Agent.ID), 10)
		fx.must(err)
		if len(turns) != 2 || turns[0].TurnID != second || turns[1].TurnID != first || turns[1].BackEnd != "builtin" ||
			len(turns[1].ToolCalls) != 1 ||
			!turns[1].StartedAt.Equal(testTime.Add(time.Minute)) || turns[1].ConversationID == "" {
			fx.Errorf("%+v", turns)
		}
		if turns, err = fx.AnsweredTurns(fx, fx.Account.ID.AgentRef(fx.Agent.ID), 1); err != nil || len(turns) != 1 ||
			turns[0].TurnID != second {
			fx.Errorf("the newest: %v %+v", err, turns)
		}
		for _, stranger := range []parley.AccountID{fx.createAccount("Other").ID, ""} {
			if turns, err = fx.AnsweredTurns(fx, stranger.AgentRef(fx.Agent.ID), 10); err != nil || len(turns) != 0 {
				fx.Errorf("another account: %v %+v", err, turns)
			}
		}
	})
}

// TestAnsweredTurnsPlan checks that the newest turns are read in the order of their index: only those of one
// millisecond are sorted.
func TestAnsweredTurnsPlan(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		if fx.SQL().Dialect() == sqldb.Postgres {
			for _, statement := range []string{`insert into turns (id, account_id, agent_id, conversation_id,
				user_message_id, message_id, state, owner, lease_until, month, reserved, started_at)
				select i, 'a', 'g' || i % 4, i, '', '', 'done', '', 0, '', 0, i from generate_series(1, 20000) i`,
				"analyze turns"} {
				_, err := fx.SQL().Exec(fx, statement)
				fx.must(err)
			}
		}
		plan := strings.Join(fx.explain(store.AnsweredTurnsQuery(), "g1", "a", 50), "\n")
		if !strings.Contains(plan, "turns_done") || strings.Contains(plan, "B-TREE FOR ORDER BY") ||
			strings.Contains(strings.ReplaceAll(plan, "Incremental Sort", ""), "Sort  (") {
			fx.Error(plan)
		}
	})
}
