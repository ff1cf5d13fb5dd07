package store_test

import (
	"testing"
	"time"

	"parley"
)

func TestCitedTellsWhatBecameOfAVersion(t *testing.T) {
	each(t, func(w *world) {
		s := w.source("Guide", 100, noon)
		first := &parley.Version{ID: s.Wanted, AgentID: w.Agent.ID, SourceID: s.ID, Hash: "one", Text: "Größe", CreatedAt: noon}
		second := &parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: w.Agent.ID, SourceID: s.ID, Hash: "two", Text: "Maß", CreatedAt: noon.Add(time.Minute)}
		expect := func(step, hash string, gone bool, live, asked string) {
			w.Helper()
			c, err := w.Cited(w, w.Account.ID, w.Agent.ID, s.ID, hash)
			w.must(err)
			if c.Gone != gone || textOf(c.Live) != live || textOf(c.Asked) != asked {
				w.Errorf("%s: gone %v, live %q, asked %q", step, c.Gone, textOf(c.Live), textOf(c.Asked))
			}
		}
		goLive := func(id parley.VersionID, status parley.SourceStatus) {
			w.Helper()
			_, _, err := w.UpdateSource(w, w.Account.ID, w.Agent.ID, s.ID, func(s *parley.Source) error { s.Status, s.Live = status, id; return nil })
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

		other, sister := w.account("Other"), w.agent(w.Account, noon)
		_, err := w.Cited(w, other.ID, w.Agent.ID, s.ID, "one")
		w.fails(err, parley.CodeSourceNotFound)
		_, err = w.Cited(w, w.Account.ID, sister.ID, s.ID, "one")
		w.fails(err, parley.CodeSourceNotFound)

		goLive("", parley.SourceDeleted)
		expect("deleted", "one", true, "", "")
	})
}

func textOf(v *parley.Version) string {
	if v == nil {
		return ""
	}
	return v.Text
}
