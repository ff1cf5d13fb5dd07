package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func TestAgentVersionsHoldWhatWasBeforeAndAfterEachChange(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ref := fx.Agent.Ref()
		ctx := store.WithActor(fx, "user:kim")
		change := func(f func(a *parley.Agent)) *parley.Agent {
			t.Helper()
			fx.must(fx.UpdateAgent(ctx, ref, func(a *parley.Agent) error {
				f(a)
				a.ConfigVersion++
				a.UpdatedAt = a.UpdatedAt.Add(time.Minute)
				return nil
			}))
			a, err := fx.DB.Agent(fx, ref, testTime)
			fx.must(err)
			return a
		}
		before, err := fx.DB.Agent(fx, ref, testTime)
		fx.must(err)
		days := int64(30)
		after := change(func(a *parley.Agent) {
			a.Instructions, a.RetentionDays, a.Voice = "Sell.", &days, []byte(`{"a":1}`)
		})
		change(func(a *parley.Agent) { a.IdentitySecret = "other" }) // is no setting of the history
		failed := errors.New("failed")
		err = fx.UpdateAgent(ctx, ref, func(a *parley.Agent) error { a.Name = "No"; return failed })
		if !errors.Is(err, failed) {
			t.Error(err)
		}
		list, err := fx.AgentVersions(fx, ref)
		want := []parley.AgentVersion{
			{Version: after.ConfigVersion, At: after.UpdatedAt, Actor: "user:kim",
				Changed: []string{"instructions", "retentionDays", "voiceSettings"}},
			{Version: before.ConfigVersion, At: before.UpdatedAt, Changed: []string{}},
		}
		if diff := cmp.Diff(want, list); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
		for _, a := range []*parley.Agent{before, after} {
			v, err := fx.AgentVersion(fx, ref, a.ConfigVersion)
			fx.must(err)
			if diff := cmp.Diff(a.VersionedSettings(), v.Settings); diff != "" {
				t.Error(diff)
			}
		}
		if _, err := fx.AgentVersion(fx, fx.createAccount("Other").ID.AgentRef(ref.Agent), 1); !parley.IsCode(err,
			parley.CodeNotFound) {
			t.Errorf("another account's: %v", err)
		}
		for i := range store.MaxAgentVersions + 3 {
			change(func(a *parley.Agent) { a.Name = fmt.Sprint("Agent ", i) })
		}
		list, err = fx.AgentVersions(fx, ref)
		oldest, err2 := fx.AgentVersion(fx, ref, before.ConfigVersion)
		if err != nil || len(list) != store.MaxAgentVersions || !parley.IsCode(err2, parley.CodeNotFound) {
			t.Error(err, len(list), oldest, err2)
		}
	})
}
