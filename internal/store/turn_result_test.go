package store_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestAnsweredTurnsAreTheNewestOfTheirAgent(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		ended := func(state string, after time.Duration) parley.TurnID {
			w.Helper()
			turn := &parley.Turn{ID: parley.TurnID(parley.NewUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID,
				ConversationID: w.createEmptyConversation(),
				MessageID:      parley.NewMessageID(), Owner: "here", LeaseUntil: testTime.Add(time.Hour),
				StartedAt: testTime.Add(after)}
			w.must(w.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
				if _, err := tx.CreateTurn(w, turn); err != nil || state == "" {
					return err
				}
				return tx.CloseTurn(w, turn, state, 0, &parley.Trace{TurnID: turn.ID, BackEnd: "builtin",
					ToolCalls: []string{"find done"}}, testTime.Add(after))
			}))
			return turn.ID
		}
		first, second := ended(store.TurnDone, time.Minute), ended(store.TurnDone, time.Hour)
		ended(store.TurnFailed, time.Hour)
		ended("", time.Hour)
		turns, err := w.AnsweredTurns(w, w.Account.ID.AgentRef(w.Agent.ID), 10)
		w.must(err)
		if len(turns) != 2 || turns[0].TurnID != second || turns[1].TurnID != first || turns[1].BackEnd != "builtin" ||
			len(turns[1].ToolCalls) != 1 ||
			!turns[1].StartedAt.Equal(testTime.Add(time.Minute)) || turns[1].ConversationID == "" {
			w.Errorf("%+v", turns)
		}
		if turns, err = w.AnsweredTurns(w, w.Account.ID.AgentRef(w.Agent.ID), 1); err != nil || len(turns) != 1 ||
			turns[0].TurnID != second {
			w.Errorf("the newest: %v %+v", err, turns)
		}
		for _, stranger := range []parley.AccountID{w.createAccount("Other").ID, ""} {
			if turns, err = w.AnsweredTurns(w, stranger.AgentRef(w.Agent.ID), 10); err != nil || len(turns) != 0 {
				w.Errorf("another account: %v %+v", err, turns)
			}
		}
	})
}
