package store_test

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// TestTurnsSeeTheCurrentAgent checks that whatever changes of an agent is seen by the turn that begins after it.
func TestTurnsSeeTheCurrentAgent(t *testing.T) {
	forEachDatabase(t, func(s *fixture) {
		a := s.Agent
		ref := a.Ref()
		read := func() *parley.Agent {
			t.Helper()
			got, err := s.AgentForTurn(s, ref, testTime)
			s.must(err)
			return got
		}
		first := read()
		if read() != first {
			t.Error("the record is read for every turn")
		}
		s.must(s.TouchAgent(s, ref, testTime.Add(time.Hour)))
		if read() != first {
			t.Error("the time of the last message has the record read again")
		}
		s.must(s.UpdateAgent(s, ref, func(a *parley.Agent) error { a.Name = "New"; return nil }))
		if read().Name != "New" {
			t.Error("a change of the settings is not seen")
		}
		version := read().PassageVersion
		s.must(s.Transact(s, sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.IncrementPassageVersion(s, ref)
			return err
		}))
		if read().PassageVersion != version+1 {
			t.Error("new passages are not seen")
		}
		refused := context.Canceled
		err := s.Transact(s, sqldb.Interactive, func(tx *store.DB) error {
			s.must(tx.UpdateAgent(s, ref, func(a *parley.Agent) error { a.Name = "Never"; return nil }))
			return refused
		})
		if err == nil || read().Name != "New" {
			t.Error("a change that was undone is seen", err)
		}
		s.must(s.DeleteAgent(s, ref, testTime))
		if _, err := s.AgentForTurn(s, ref, testTime); !parley.IsCode(err, parley.CodeAgentNotFound) {
			t.Error("a deleted agent answers", err)
		}
	})
}
