package store_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

func TestCitedSources(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		s := w.createSource("Guide", 100, testTime)
		first := &parley.Version{ID: s.WantedVersion, AgentID: w.Agent.ID, SourceID: s.ID, Hash: "one", Text: "Größe",
			CreatedAt: testTime}
		second := &parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: w.Agent.ID, SourceID: s.ID,
			Hash: "two", Text: "Maß", CreatedAt: testTime.Add(time.Minute)}
		expect := func(step, hash string, isDeleted bool, live, asked string) {
			w.Helper()
			c, err := w.CitedSource(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID, hash)
			w.must(err)
			if c.Deleted != isDeleted || w.versionText(s.ID, c.LiveVersion) != live ||
				w.versionText(s.ID, c.RequestedVersion) != asked {
				w.Errorf("%s: gone %v, live %q, asked %q", step, c.Deleted, w.versionText(s.ID, c.LiveVersion),
					w.versionText(s.ID, c.RequestedVersion))
			}
		}
		goLive := func(id parley.VersionID, status parley.SourceStatus) {
			w.Helper()
			_, _, err := w.UpdateSource(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID, func(s *parley.Source) error {
				s.Status, s.LiveVersion = status, id
				return nil
			})
			w.must(err)
		}
		w.must(w.CreateVersion(w, w.Account.ID, first))
		expect("untrained", "", false, "", "")
		goLive(first.ID, parley.SourceTrained)
		expect("live", "", false, "Größe", "Größe")
		w.must(w.CreateVersion(w, w.Account.ID, second))
		goLive(second.ID, parley.SourceTrained)
		expect("changed", "one", false, "Maß", "Größe")
		expect("never there", "three", false, "Maß", "")

		other, sister := w.createAccount("Other"), w.createAgent(w.Account, testTime)
		_, err := w.CitedSource(w, other.ID.AgentRef(w.Agent.ID), s.ID, "one")
		w.wantCode(err, parley.CodeSourceNotFound)
		_, err = w.CitedSource(w, w.Account.ID.AgentRef(sister.ID), s.ID, "one")
		w.wantCode(err, parley.CodeSourceNotFound)

		goLive("", parley.SourceDeleted)
		expect("deleted", "one", true, "", "")
	})
}

func (w *fixture) versionText(source parley.SourceID, v *store.CitedVersion) string {
	w.Helper()
	if v == nil {
		return ""
	}
	all, err := w.VersionBytes(w, w.Account.ID.AgentRef(w.Agent.ID), source, v.ID, 0, v.Size+1)
	w.must(err)
	if len(all) != v.Size {
		w.Error(len(all), v.Size)
	}
	return string(all)
}

func TestSpanCountsInBytes(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		s := w.createSource("Guide", 100, testTime)
		v := &parley.Version{ID: s.WantedVersion, AgentID: w.Agent.ID, SourceID: s.ID, Hash: "one", Text: "Größe \\ 日本",
			CreatedAt: testTime}
		w.must(w.CreateVersion(w, w.Account.ID, v))
		for start := range len(v.Text) + 1 {
			for end := start; end <= len(v.Text); end++ {
				if got, err := w.VersionBytes(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID, v.ID, start,
					end); err != nil || string(got) != v.Text[start:end] {
					w.Fatalf("%d to %d: %q %v", start, end, got, err)
				}
			}
		}
		_, err := w.VersionBytes(w, w.Account.ID.AgentRef(w.Agent.ID), s.ID, "other", 0, 1)
		w.wantCode(err, parley.CodeSourceNotFound)
	})
}
