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

func (fx *fixture) newAction(key, name string) *parley.Action {
	return &parley.Action{ID: parley.ActionID(parley.NewUUID()), AccountID: fx.Account.ID, AgentID: fx.Agent.ID, Key: key,
		Kind: parley.ActionHTTP, Name: name,
		Description: "d", Triggers: []string{"track {number}"},
		Inputs: []parley.ActionInput{{Name: "number", Type: "string", Required: true}},
		Config: json.RawMessage(`{"url":"https://a.example/"}`), Secrets: "sealed",
		SecretNotes: map[string]parley.SecretNote{"KEY": {At: testTime, By: "user:kim"}}, Enabled: true,
		CreatedAt: testTime, UpdatedAt: testTime}
}

func (fx *fixture) newProcedure(key, name string) *parley.Procedure {
	return &parley.Procedure{ID: parley.ProcedureID(parley.NewUUID()), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
		Key: key, Name: name, Description: "d",
		Triggers: []string{"refund"}, Inputs: []parley.ActionInput{{Name: "order", Type: "integer"}},
		Steps: []parley.ProcedureStep{{Text: "hello"}, {Action: "track",
			Input: map[string]string{"number": "{order}"}}}, Enabled: true, CreatedAt: testTime, UpdatedAt: testTime}
}

func TestActionsAreCountedAndKeepTheirIDs(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		a, p := fx.newAction("track", "track_order"), fx.newProcedure("refund", "refund")
		fx.must(fx.PutAction(fx, a))
		fx.must(fx.PutProcedure(fx, p))
		if got := fx.reloadAgent(); got.Tools != 2 || got.ConfigVersion != 3 {
			fx.Errorf("%d tools, version %d", got.Tools, got.ConfigVersion)
		}
		again := fx.newAction("track", "track")
		again.Enabled, again.CreatedAt, again.UpdatedAt = false, testTime.Add(time.Hour), testTime.Add(time.Hour)
		fx.must(fx.PutAction(fx, again))
		if again.ID != a.ID || !again.CreatedAt.Equal(testTime) {
			fx.Errorf("the action has another id or time of creation: %+v", again)
		}
		actions, err := fx.Actions(fx, fx.Account.ID.AgentRef(fx.Agent.ID))
		fx.must(err)
		procedures, err := fx.Procedures(fx, fx.Account.ID.AgentRef(fx.Agent.ID))
		fx.must(err)
		if diff := cmp.Diff([]parley.Action{*again}, actions) + cmp.Diff([]parley.Procedure{*p}, procedures); diff != "" {
			fx.Error(diff)
		}
		if got := fx.reloadAgent(); got.Tools != 1 || !got.UpdatedAt.Equal(testTime.Add(time.Hour)) {
			fx.Errorf("%d tools at %v", got.Tools, got.UpdatedAt)
		}
		fx.must(fx.DropAction(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "track", testTime))
		fx.must(fx.DropProcedure(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "refund", testTime))
		fx.wantCode(fx.DropAction(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "track", testTime), parley.CodeNotFound)
		fx.wantCode(fx.DropProcedure(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "refund", testTime), parley.CodeNotFound)
		if got := fx.reloadAgent().Tools; got != 0 {
			fx.Error(got, "tools are left")
		}
	})
}

func TestToolNamesAreUnique(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.must(fx.PutAction(fx, fx.newAction("a", "track")))
		fx.wantCode(fx.PutAction(fx, fx.newAction("b", "track")), parley.CodeAlreadyExists)
		fx.wantCode(fx.PutProcedure(fx, fx.newProcedure("c", "track")), parley.CodeAlreadyExists)
		fx.must(fx.PutAction(fx, fx.newAction("a", "track")))
		taken := 0
		for _, err := range runConcurrently(6, func(i int) error {
			if i%2 == 0 {
				return fx.PutAction(fx, fx.newAction("x"+string(rune('0'+i)), "same"))
			}
			return fx.PutProcedure(fx, fx.newProcedure("x"+string(rune('0'+i)), "same"))
		}) {
			if parley.IsCode(err, parley.CodeAlreadyExists) {
				taken++
			} else if err != nil {
				fx.Error(err)
			}
		}
		if got := fx.reloadAgent().Tools; taken != 5 || got != 2 {
			fx.Errorf("%d refused, %d tools", taken, got)
		}
	})
}

func TestActionsAreVisibleToTheirOwnerOnly(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.must(fx.PutAction(fx, fx.newAction("a", "track")))
		other := fx.createAccount("Other")
		foreign := fx.newAction("a", "mine")
		foreign.AccountID = other.ID
		fx.wantCode(fx.PutAction(fx, foreign), parley.CodeAgentNotFound)
		fx.wantCode(fx.DropAction(fx, other.ID.AgentRef(fx.Agent.ID), "a", testTime), parley.CodeAgentNotFound)
		if list, err := fx.Actions(fx, other.ID.AgentRef(fx.Agent.ID)); err != nil || len(list) != 0 {
			fx.Error(list, err)
		}
	})
}

func TestActionsAreRolledBack(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		refused := errors.New("refused")
		err := fx.Transact(fx, 0, func(tx *store.DB) error {
			if err := tx.PutAction(fx, fx.newAction("a", "track")); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			fx.Error(err)
		}
		if got := fx.reloadAgent().Tools; got != 0 {
			fx.Error(got)
		}
	})
}
