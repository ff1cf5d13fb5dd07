package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func TestSourceChangesItsAgentsCounters(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		s := fx.createSource("Guide", 100, testTime)
		expect := func(step string, size int64, counts parley.SourceCounts, version int64, status parley.AgentStatus) {
			fx.Helper()
			a := fx.reloadAgent()
			if a.Size != size || a.Sources != counts || a.PassageVersion != version || a.Status() != status {
				fx.Errorf("%s: size %d, %+v, passage version %d, %s", step, a.Size, a.Sources, a.PassageVersion, a.Status())
			}
		}
		expect("created", 100, parley.SourceCounts{Pending: 1}, 0, parley.AgentTraining)

		update := func(change func(*parley.Source)) int64 {
			fx.Helper()
			_, version, err := fx.UpdateSource(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID, func(s *parley.Source) error {
				change(s)
				return nil
			})
			fx.must(err)
			return version
		}
		trained := testTime.Add(time.Minute)
		update(func(s *parley.Source) {
			s.Status, s.LiveVersion, s.UpdatedAt = parley.SourceTrained, s.WantedVersion, trained
		})
		expect("trained", 100, parley.SourceCounts{Live: 1}, 1, parley.AgentTrained)
		if at := fx.reloadAgent().LastTrainedAt; at == nil || !at.Equal(trained) {
			fx.Error("last trained at", at)
		}
		update(func(s *parley.Source) { s.Status, s.Size = parley.SourceUpdated, 130 })
		expect("updated", 130, parley.SourceCounts{Pending: 1}, 1, parley.AgentTraining)
		update(func(s *parley.Source) { s.Status, s.Failure = parley.SourceFailed, "because" })
		expect("failed", 130, parley.SourceCounts{Failed: 1}, 1, parley.AgentFailed)
		version := update(func(s *parley.Source) { s.Status, s.LiveVersion = parley.SourceDeleted, "" })
		expect("deleted", 0, parley.SourceCounts{}, 2, parley.AgentUntrained)
		if version != 2 {
			fx.Error("passage version", version)
		}
		_, err := fx.DB.Source(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID)
		fx.wantCode(err, parley.CodeSourceNotFound)
		_, _, err = fx.UpdateSource(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID, func(*parley.Source) error { return nil })
		fx.wantCode(err, parley.CodeSourceNotFound)
	})
}

func TestSourceIsFoundByItsOwnerOnly(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		s := fx.createSource("Guide", 1, testTime)
		got, err := fx.DB.Source(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID)
		fx.must(err)
		if diff := cmp.Diff(s, got); diff != "" {
			fx.Error(diff)
		}
		other, sibling := fx.createAccount("Other"), fx.createAgent(fx.Account, testTime)
		_, err = fx.DB.Source(fx, other.ID.AgentRef(fx.Agent.ID), s.ID)
		fx.wantCode(err, parley.CodeSourceNotFound)
		_, err = fx.DB.Source(fx, fx.Account.ID.AgentRef(sibling.ID), s.ID)
		fx.wantCode(err, parley.CodeSourceNotFound)
		_, _, err = fx.UpdateSource(fx, other.ID.AgentRef(fx.Agent.ID), s.ID, func(*parley.Source) error { return nil })
		fx.wantCode(err, parley.CodeAgentNotFound)
		_, _, err = fx.UpdateSource(fx, fx.Account.ID.AgentRef(sibling.ID), s.ID, func(*parley.Source) error { return nil })
		fx.wantCode(err, parley.CodeSourceNotFound)
		v := &parley.Version{ID: s.WantedVersion, AgentID: fx.Agent.ID, SourceID: s.ID, Hash: "h", Text: "Größe ☂",
			CreatedAt: testTime}
		fx.must(fx.CreateVersion(fx, fx.Account.ID, v))
		read, err := fx.Version(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID, v.ID)
		fx.must(err)
		if diff := cmp.Diff(v, read); diff != "" {
			fx.Error(diff)
		}
		_, err = fx.Version(fx, other.ID.AgentRef(fx.Agent.ID), s.ID, v.ID)
		fx.wantCode(err, parley.CodeSourceNotFound)

		deletedAgent := fx.createAgent(fx.Account, testTime)
		fx.must(fx.DeleteAgent(fx, fx.Account.ID.AgentRef(deletedAgent.ID), testTime))
		orphan := *s
		orphan.ID, orphan.AgentID = "orphan", deletedAgent.ID
		fx.wantCode(fx.Transact(fx, 0, func(tx *store.DB) error {
			_, err := tx.CreateSource(fx, &orphan)
			return err
		}), parley.CodeAgentNotFound)
	})
}

func TestSourcesAreFilteredAndPaged(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for i, name := range []string{"Öffnungszeiten", "Prices", "Öl und ÖFFNUNG", "100%", "prices of öffnung"} {
			fx.createSource(name, 1, testTime.Add(time.Duration(i/2)*time.Second))
		}
		walk := func(f store.SourceFilter, limit int) (all []string, total int) {
			fx.Helper()
			for ask := (parley.PageRequest{Limit: limit}); ; {
				page, err := fx.Sources(fx, fx.Account.ID.AgentRef(fx.Agent.ID), f, ask)
				fx.must(err)
				total = page.Total
				for _, s := range page.Items {
					all = append(all, s.Name)
				}
				if ask.After = page.Next; page.Next == nil {
					return all, total
				}
			}
		}
		for _, c := range []struct {
			filter store.SourceFilter
			found  int
		}{
			{store.SourceFilter{}, 5},
			{store.SourceFilter{Name: "ÖFFNUNG"}, 3},
			{store.SourceFilter{Name: "prices"}, 2},
			{store.SourceFilter{Name: "%"}, 1},
			{store.SourceFilter{Kinds: []parley.SourceKind{parley.SourceText, parley.SourceLink}}, 5},
			{store.SourceFilter{Kinds: []parley.SourceKind{parley.SourceLink}}, 0},
			{store.SourceFilter{Kinds: []parley.SourceKind{parley.SourceLink}, Name: "prices"}, 0},
		} {
			whole, total := walk(c.filter, 100)
			if len(whole) != c.found || total != c.found {
				fx.Errorf("%+v: %q of %d", c.filter, whole, total)
			}
			for _, limit := range []int{1, 2} {
				if parts, _ := walk(c.filter, limit); !cmp.Equal(parts, whole) {
					fx.Errorf("%+v by %d: %q, in one page %q", c.filter, limit, parts, whole)
				}
			}
		}
	})
}

func TestPassagesOfTheLiveVersionAreNotErased(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.insertMarkedRows("sources", fx.tableColumns()["sources"], fx.Agent.ID, "s", 1)
		fx.insertMarkedRows("passages", fx.tableColumns()["passages"], fx.Agent.ID, "planted", 2)
		for _, q := range []string{`update passages set source_id = 's0', version_id = id`,
			`update sources set live_version = 'planted0'`} {
			_, err := fx.SQL().Exec(fx, q)
			fx.must(err)
		}
		for _, version := range []parley.VersionID{"planted0", "planted1"} {
			fx.must(fx.ErasePassages(fx, parley.AgentRef{Account: "other", Agent: fx.Agent.ID}, "s0", version))
			fx.must(fx.ErasePassages(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "another", version))
		}
		if n := fx.queryCount(`select count(*) from passages`); n != 2 {
			fx.Errorf("%d passages left by others", n)
		}
		fx.must(fx.ErasePassages(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "s0", "planted0"))
		fx.must(fx.ErasePassages(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "s0", "planted1"))
		if n, live := fx.queryCount(`select count(*) from passages`),
			fx.queryCount(`select count(*) from passages where id = 'planted0'`); n != 1 || live != 1 {
			fx.Errorf("%d passages, %d of the live version", n, live)
		}
	})
}
