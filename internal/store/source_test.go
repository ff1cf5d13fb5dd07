package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func TestSourceMovesItsAgentsCounters(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		s := w.createSource("Guide", 100, testTime)
		expect := func(step string, size int64, counts parley.SourceCounts, version int64, status parley.AgentStatus) {
			w.Helper()
			a := w.reloadAgent()
			if a.Size != size || a.Sources != counts || a.PassageVersion != version || a.Status() != status {
				w.Errorf("%s: size %d, %+v, passage version %d, %s", step, a.Size, a.Sources, a.PassageVersion, a.Status())
			}
		}
		expect("created", 100, parley.SourceCounts{Pending: 1}, 0, parley.AgentTraining)

		update := func(change func(*parley.Source)) int64 {
			w.Helper()
			_, version, err := w.UpdateSource(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID, func(s *parley.Source) error {
				change(s)
				return nil
			})
			w.must(err)
			return version
		}
		trained := testTime.Add(time.Minute)
		update(func(s *parley.Source) {
			s.Status, s.LiveVersion, s.UpdatedAt = parley.SourceTrained, s.WantedVersion, trained
		})
		expect("trained", 100, parley.SourceCounts{Live: 1}, 1, parley.AgentTrained)
		if at := w.reloadAgent().LastTrainedAt; at == nil || !at.Equal(trained) {
			w.Error("last trained at", at)
		}
		update(func(s *parley.Source) { s.Status, s.Size = parley.SourceUpdated, 130 })
		expect("updated", 130, parley.SourceCounts{Pending: 1}, 1, parley.AgentTraining)
		update(func(s *parley.Source) { s.Status, s.Failure = parley.SourceFailed, "because" })
		expect("failed", 130, parley.SourceCounts{Failed: 1}, 1, parley.AgentFailed)
		version := update(func(s *parley.Source) { s.Status, s.LiveVersion = parley.SourceDeleted, "" })
		expect("deleted", 0, parley.SourceCounts{}, 2, parley.AgentUntrained)
		if version != 2 {
			w.Error("passage version", version)
		}
		_, err := w.DB.Source(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID)
		w.wantCode(err, parley.CodeSourceNotFound)
		_, _, err = w.UpdateSource(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID, func(*parley.Source) error { return nil })
		w.wantCode(err, parley.CodeSourceNotFound)
	})
}

func TestSourceIsFoundByItsOwnerOnly(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		s := w.createSource("Guide", 1, testTime)
		got, err := w.DB.Source(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID)
		w.must(err)
		if diff := cmp.Diff(s, got); diff != "" {
			w.Error(diff)
		}
		other, sister := w.createAccount("Other"), w.createAgent(w.Account, testTime)
		_, err = w.DB.Source(w, other.ID.AgentRef(w.Agent.ID), s.ID)
		w.wantCode(err, parley.CodeSourceNotFound)
		_, err = w.DB.Source(w, w.Account.ID.AgentRef(sister.ID), s.ID)
		w.wantCode(err, parley.CodeSourceNotFound)
		_, _, err = w.UpdateSource(w, other.ID.AgentRef(w.Agent.ID), s.ID, func(*parley.Source) error { return nil })
		w.wantCode(err, parley.CodeAgentNotFound)
		_, _, err = w.UpdateSource(w, w.Account.ID.AgentRef(sister.ID), s.ID, func(*parley.Source) error { return nil })
		w.wantCode(err, parley.CodeSourceNotFound)
		v := &parley.Version{ID: s.WantedVersion, AgentID: w.Agent.ID, SourceID: s.ID, Hash: "h", Text: "Größe ☂",
			CreatedAt: testTime}
		w.must(w.CreateVersion(w, w.Account.ID, v))
		read, err := w.Version(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID, v.ID)
		w.must(err)
		if diff := cmp.Diff(v, read); diff != "" {
			w.Error(diff)
		}
		_, err = w.Version(w, other.ID.AgentRef(w.Agent.ID), s.ID, v.ID)
		w.wantCode(err, parley.CodeSourceNotFound)

		deletedAgent := w.createAgent(w.Account, testTime)
		w.must(w.DeleteAgent(w, w.Account.ID.AgentRef(deletedAgent.ID), testTime))
		orphan := *s
		orphan.ID, orphan.AgentID = "orphan", deletedAgent.ID
		w.wantCode(w.Transact(w, 0, func(tx *store.DB) error {
			_, err := tx.CreateSource(w, &orphan)
			return err
		}), parley.CodeAgentNotFound)
	})
}

func TestSourcesAreFilteredAndPaged(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		for i, name := range []string{"Öffnungszeiten", "Prices", "Öl und ÖFFNUNG", "100%", "prices of öffnung"} {
			w.createSource(name, 1, testTime.Add(time.Duration(i/2)*time.Second))
		}
		walk := func(f store.SourceFilter, limit int) (all []string, total int) {
			w.Helper()
			for ask := (parley.PageRequest{Limit: limit}); ; {
				page, err := w.Sources(w, w.Account.ID.AgentRef(w.Agent.ID), f, ask)
				w.must(err)
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
				w.Errorf("%+v: %q of %d", c.filter, whole, total)
			}
			for _, limit := range []int{1, 2} {
				if parts, _ := walk(c.filter, limit); !cmp.Equal(parts, whole) {
					w.Errorf("%+v by %d: %q, in one page %q", c.filter, limit, parts, whole)
				}
			}
		}
	})
}

func TestPassagesOfTheLiveVersionAreKept(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		w.insertMarkedRows("sources", w.tableColumns()["sources"], w.Agent.ID, "s", 1)
		w.insertMarkedRows("passages", w.tableColumns()["passages"], w.Agent.ID, "planted", 2)
		for _, q := range []string{`update passages set source_id = 's0', version_id = id`,
			`update sources set live_version = 'planted0'`} {
			_, err := w.SQL().Exec(w, q)
			w.must(err)
		}
		for _, version := range []parley.VersionID{"planted0", "planted1"} {
			w.must(w.ErasePassages(w, parley.AgentRef{Account: "other", Agent: w.Agent.ID}, "s0", version))
			w.must(w.ErasePassages(w, w.Account.ID.AgentRef(w.Agent.ID), "another", version))
		}
		if n := w.queryCount(`select count(*) from passages`); n != 2 {
			w.Errorf("%d passages left by others", n)
		}
		w.must(w.ErasePassages(w, w.Account.ID.AgentRef(w.Agent.ID), "s0", "planted0"))
		w.must(w.ErasePassages(w, w.Account.ID.AgentRef(w.Agent.ID), "s0", "planted1"))
		if n, live := w.queryCount(`select count(*) from passages`),
			w.queryCount(`select count(*) from passages where id = 'planted0'`); n != 1 || live != 1 {
			w.Errorf("%d passages, %d of the live version", n, live)
		}
	})
}
