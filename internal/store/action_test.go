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

func (w *world) action(key, name string) *parley.Action {
	return &parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID, Key: key, Kind: parley.ActionHTTP, Name: name,
		Description: "d", Triggers: []string{"track {number}"}, Inputs: []parley.ActionInput{{Name: "number", Type: "string", Required: true}},
		Config: json.RawMessage(`{"url":"https://a.example/"}`), Secrets: "sealed", Enabled: true, CreatedAt: noon, UpdatedAt: noon}
}

func (w *world) procedure(key, name string) *parley.Procedure {
	return &parley.Procedure{ID: parley.ProcedureID(parley.NewUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID, Key: key, Name: name, Description: "d",
		Triggers: []string{"refund"}, Inputs: []parley.ActionInput{{Name: "order", Type: "integer"}},
		Steps: []parley.ProcedureStep{{Say: "hello"}, {Action: "track", With: map[string]string{"number": "{order}"}}}, Enabled: true, CreatedAt: noon, UpdatedAt: noon}
}

func TestActionsAreCountedAndKeepTheirIDs(t *testing.T) {
	each(t, func(w *world) {
		a, p := w.action("track", "track_order"), w.procedure("refund", "refund")
		w.must(w.PutAction(w, a))
		w.must(w.PutProcedure(w, p))
		if got := w.reload(); got.Tools != 2 || got.ConfigVersion != 3 {
			w.Errorf("%d tools, version %d", got.Tools, got.ConfigVersion)
		}
		again := w.action("track", "track")
		again.Enabled, again.CreatedAt, again.UpdatedAt = false, noon.Add(time.Hour), noon.Add(time.Hour)
		w.must(w.PutAction(w, again))
		if again.ID != a.ID || !again.CreatedAt.Equal(noon) {
			w.Errorf("the action was born again: %+v", again)
		}
		actions, err := w.Actions(w, w.Account.ID, w.Agent.ID)
		w.must(err)
		procedures, err := w.Procedures(w, w.Account.ID, w.Agent.ID)
		w.must(err)
		if diff := cmp.Diff([]parley.Action{*again}, actions) + cmp.Diff([]parley.Procedure{*p}, procedures); diff != "" {
			w.Error(diff)
		}
		if got := w.reload(); got.Tools != 1 || !got.UpdatedAt.Equal(noon.Add(time.Hour)) {
			w.Errorf("%d tools at %v", got.Tools, got.UpdatedAt)
		}
		w.must(w.DropAction(w, w.Account.ID, w.Agent.ID, "track", noon))
		w.must(w.DropProcedure(w, w.Account.ID, w.Agent.ID, "refund", noon))
		w.fails(w.DropAction(w, w.Account.ID, w.Agent.ID, "track", noon), parley.CodeNotFound)
		w.fails(w.DropProcedure(w, w.Account.ID, w.Agent.ID, "refund", noon), parley.CodeNotFound)
		if got := w.reload().Tools; got != 0 {
			w.Error(got, "tools are left")
		}
	})
}

func TestToolNamesAreUnique(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.PutAction(w, w.action("a", "track")))
		w.fails(w.PutAction(w, w.action("b", "track")), parley.CodeAlreadyExists)
		w.fails(w.PutProcedure(w, w.procedure("c", "track")), parley.CodeAlreadyExists)
		w.must(w.PutAction(w, w.action("a", "track")))
		taken := 0
		for _, err := range together(6, func(i int) error {
			if i%2 == 0 {
				return w.PutAction(w, w.action("x"+string(rune('0'+i)), "same"))
			}
			return w.PutProcedure(w, w.procedure("x"+string(rune('0'+i)), "same"))
		}) {
			if parley.IsCode(err, parley.CodeAlreadyExists) {
				taken++
			} else if err != nil {
				w.Error(err)
			}
		}
		if got := w.reload().Tools; taken != 5 || got != 2 {
			w.Errorf("%d refused, %d tools", taken, got)
		}
	})
}

func TestActionsAreTheirOwnersOnly(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.PutAction(w, w.action("a", "track")))
		other := w.account("Other")
		foreign := w.action("a", "mine")
		foreign.AccountID = other.ID
		w.fails(w.PutAction(w, foreign), parley.CodeAgentNotFound)
		w.fails(w.DropAction(w, other.ID, w.Agent.ID, "a", noon), parley.CodeAgentNotFound)
		if list, err := w.Actions(w, other.ID, w.Agent.ID); err != nil || len(list) != 0 {
			w.Error(list, err)
		}
	})
}

func TestActionsAreWrittenAllOrNone(t *testing.T) {
	each(t, func(w *world) {
		refused := errors.New("refused")
		err := w.Transact(w, 0, func(tx *store.DB) error {
			if err := tx.PutAction(w, w.action("a", "track")); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			w.Error(err)
		}
		if got := w.reload().Tools; got != 0 {
			w.Error(got)
		}
	})
}
