package store_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func (w *fixture) newAction(key, name string) *parley.Action {
	return &parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID, Key: key,
		Kind: parley.ActionHTTP, Name: name,
		Description: "d", Triggers: []string{"track {number}"},
		Inputs: []parley.ActionInput{{Name: "number", Type: "string", Required: true}},
		Config: json.RawMessage(`{"url":"https://a.example/"}`), Secrets: "sealed", Enabled: true, CreatedAt: testTime,
		UpdatedAt: testTime}
}

func (w *fixture) newProcedure(key, name string) *parley.Procedure {
	return &parley.Procedure{ID: parley.ProcedureID(parley.NewUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID,
		Key: key, Name: name, Description: "d",
		Triggers: []string{"refund"}, Inputs: []parley.ActionInput{{Name: "order", Type: "integer"}},
		Steps: []parley.ProcedureStep{{Text: "hello"}, {Action: "track",
			Input: map[string]string{"number": "{order}"}}}, Enabled: true, CreatedAt: testTime, UpdatedAt: testTime}
}

func TestActionsAreCountedAndKeepTheirIDs(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		a, p := w.newAction("track", "track_order"), w.newProcedure("refund", "refund")
		w.must(w.PutAction(w, a))
		w.must(w.PutProcedure(w, p))
		if got := w.reloadAgent(); got.Tools != 2 || got.ConfigVersion != 3 {
			w.Errorf("%d tools, version %d", got.Tools, got.ConfigVersion)
		}
		again := w.newAction("track", "track")
		again.Enabled, again.CreatedAt, again.UpdatedAt = false, testTime.Add(time.Hour), testTime.Add(time.Hour)
		w.must(w.PutAction(w, again))
		if again.ID != a.ID || !again.CreatedAt.Equal(testTime) {
			w.Errorf("the action was born again: %+v", again)
		}
		actions, err := w.Actions(w, w.Account.ID.AgentRef(w.Agent.ID))
		w.must(err)
		procedures, err := w.Procedures(w, w.Account.ID.AgentRef(w.Agent.ID))
		w.must(err)
		if diff := cmp.Diff([]parley.Action{*again}, actions) + cmp.Diff([]parley.Procedure{*p}, procedures); diff != "" {
			w.Error(diff)
		}
		if got := w.reloadAgent(); got.Tools != 1 || !got.UpdatedAt.Equal(testTime.Add(time.Hour)) {
			w.Errorf("%d tools at %v", got.Tools, got.UpdatedAt)
		}
		w.must(w.DropAction(w, w.Account.ID.AgentRef(w.Agent.ID), "track", testTime))
		w.must(w.DropProcedure(w, w.Account.ID.AgentRef(w.Agent.ID), "refund", testTime))
		w.wantCode(w.DropAction(w, w.Account.ID.AgentRef(w.Agent.ID), "track", testTime), parley.CodeNotFound)
		w.wantCode(w.DropProcedure(w, w.Account.ID.AgentRef(w.Agent.ID), "refund", testTime), parley.CodeNotFound)
		if got := w.reloadAgent().Tools; got != 0 {
			w.Error(got, "tools are left")
		}
	})
}

func TestToolNamesAreUnique(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		w.must(w.PutAction(w, w.newAction("a", "track")))
		w.wantCode(w.PutAction(w, w.newAction("b", "track")), parley.CodeAlreadyExists)
		w.wantCode(w.PutProcedure(w, w.newProcedure("c", "track")), parley.CodeAlreadyExists)
		w.must(w.PutAction(w, w.newAction("a", "track")))
		taken := 0
		for _, err := range runConcurrently(6, func(i int) error {
			if i%2 == 0 {
				return w.PutAction(w, w.newAction("x"+string(rune('0'+i)), "same"))
			}
			return w.PutProcedure(w, w.newProcedure("x"+string(rune('0'+i)), "same"))
		}) {
			if parley.IsCode(err, parley.CodeAlreadyExists) {
				taken++
			} else if err != nil {
				w.Error(err)
			}
		}
		if got := w.reloadAgent().Tools; taken != 5 || got != 2 {
			w.Errorf("%d refused, %d tools", taken, got)
		}
	})
}

func TestActionsAreTheirOwnersOnly(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		w.must(w.PutAction(w, w.newAction("a", "track")))
		other := w.createAccount("Other")
		foreign := w.newAction("a", "mine")
		foreign.AccountID = other.ID
		w.wantCode(w.PutAction(w, foreign), parley.CodeAgentNotFound)
		w.wantCode(w.DropAction(w, other.ID.AgentRef(w.Agent.ID), "a", testTime), parley.CodeAgentNotFound)
		if list, err := w.Actions(w, other.ID.AgentRef(w.Agent.ID)); err != nil || len(list) != 0 {
			w.Error(list, err)
		}
	})
}

func TestActionsAreWrittenAllOrNone(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		refused := errors.New("refused")
		err := w.Transact(w, 0, func(tx *store.DB) error {
			if err := tx.PutAction(w, w.newAction("a", "track")); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			w.Error(err)
		}
		if got := w.reloadAgent().Tools; got != 0 {
			w.Error(got)
		}
	})
}
