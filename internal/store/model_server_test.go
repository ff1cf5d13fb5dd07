package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestModelServersAreStoredInFull(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		other := fx.createAccount("Other")
		keySetAt := testTime
		m := &parley.ModelServer{ID: parley.ModelServerID(parley.NewUUID()), AccountID: fx.Account.ID,
			Kind: parley.ModelServerChat, Name: "Local", Format: parley.WireFormatOpenAI, URL: "https://model.example/v1",
			SealedKey: "v1.sealed", KeySetAt: &keySetAt, KeySetBy: "user:kim", Model: "qwen3",
			ModelNames: []string{"auto", "gpt-5-mini"}, ContextTokens: 8192, Dimensions: 7, CreatedAt: testTime,
			UpdatedAt: testTime}
		change := func(f func(tx *store.DB) error) {
			t.Helper()
			before, err := fx.ModelServerRevision(fx)
			fx.must(err)
			fx.must(fx.Transact(fx, sqldb.Interactive, f))
			if after, err := fx.ModelServerRevision(fx); err != nil || after == before {
				t.Errorf("revision %q after %q, %v", after, before, err)
			}
		}
		expect := func(want ...parley.ModelServer) {
			t.Helper()
			list, err := fx.ModelServers(fx, fx.Account.ID)
			fx.must(err)
			if diff := cmp.Diff(want, list); diff != "" {
				t.Error(diff)
			}
		}
		change(func(tx *store.DB) error { return tx.CreateModelServer(fx, m) })
		expect(*m)

		failed := testTime.Add(time.Minute)
		m.State = parley.ModelServerState{CheckedAt: &failed, FailingSince: &failed, LastError: "down"}
		fx.must(fx.SaveModelServerState(fx, m))
		expect(*m)

		stale := *m
		m.Name, m.ModelNames, m.SealedKey, m.UpdatedAt = "Far", nil, "", testTime.Add(time.Hour)
		change(func(tx *store.DB) error { return tx.ChangeModelServer(fx, m) })
		fx.must(fx.SaveModelServerState(fx, &stale)) // of the server as it was before
		if got, err := fx.ModelServer(fx, fx.Account.ID, m.ID); err != nil || got.Name != "Far" || got.SealedKey != "" ||
			len(got.ModelNames) != 0 || got.State != (parley.ModelServerState{}) {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := fx.ModelServer(fx, other.ID, m.ID); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("another account's: %v", err)
		}
		if err := fx.DeleteModelServer(fx, other.ID, m.ID); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("another account's: %v", err)
		}
		change(func(tx *store.DB) error { return tx.DeleteModelServer(fx, fx.Account.ID, m.ID) })
		expect()
	})
}

func TestAgentsAreCountedByModel(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.createAgent(fx.createAccount("Other"), testTime)
		uses, err := fx.ModelUses(fx, fx.Account.ID)
		names, err2 := fx.AgentNamesByModel(fx, fx.Account.ID, []string{"gpt-5-mini", "auto"}, 5)
		if err != nil || err2 != nil || len(uses) != 1 || uses[0] != (store.ModelUse{Model: "auto", Agents: 1}) ||
			len(names) != 1 || names[0] != "Guide" {
			t.Errorf("%+v, %v, %v, %v", uses, names, err, err2)
		}
	})
}
