package agents

import (
	"parley"
	"parley/internal/store"
)

// sourcePlan is the agent's texts while a manifest is laid over them.
type sourcePlan struct {
	byKey     map[string]*store.ManagedSource
	byID      map[parley.SourceID]*store.ManagedSource
	textKeys  map[string]bool // names with hashes
	mentioned map[string]bool // keys and ids that the manifest has named
	size      int64
}

func newSourcePlan(there []store.ManagedSource, size int64) *sourcePlan {
	s := &sourcePlan{map[string]*store.ManagedSource{}, map[parley.SourceID]*store.ManagedSource{}, map[string]bool{}, map[string]bool{}, size}
	for i := range there {
		m := &there[i]
		s.byID[m.ID] = m
		if m.Key != "" {
			s.byKey[m.Key] = m
		}
		if m.Kind == parley.SourceText {
			s.textKeys[m.Name+"\x00"+m.Hash] = true
		}
	}
	return s
}

// pruneTexts plans the end of texts that have a key and are not in the manifest, and gives those that stay and their size: what
// goes makes room for what comes.
func (w *applyRun) pruneTexts(t *target, there []store.ManagedSource, size int64) ([]store.ManagedSource, int64) {
	mentioned := map[string]bool{}
	for _, in := range t.Sources.Value {
		mentioned["key "+in.Key], mentioned["id "+string(in.ID)] = true, true
	}
	var stay []store.ManagedSource
	for _, m := range there {
		if m.Key == "" || mentioned["key "+m.Key] || mentioned["id "+string(m.ID)] {
			stay = append(stay, m)
			continue
		}
		size -= m.Size
		t.addChange("delete", "source", m.Key, jsonObject("name", m.Name), nil)
		w.pendingTexts = append(w.pendingTexts, textChange{agent: t.agent.ID, id: m.ID, isRemoved: true})
	}
	return stay, size
}

// findSource finds the source that an entry is about; nil is a new one. It is not ok when the entry is wrong.
func (w *applyRun) findSource(s *sourcePlan, path string, in *ManifestSource) (there *store.ManagedSource, ok bool) {
	byKey, byID := s.byKey[in.Key], s.byID[in.ID]
	there = byKey
	if in.ID != "" {
		there = byID
	}
	switch {
	case in.Key == "" && in.ID == "":
		w.faults.add(path+".key", "is required")
	case in.Key != "" && s.mentioned["key "+in.Key]:
		w.faults.add(path+".key", "another entry has this key")
	case in.ID != "" && byID == nil:
		w.faults.add(path+".id", "the agent has no such source; a key in its place makes one")
	case there != nil && s.mentioned["id "+string(there.ID)]:
		w.faults.add(path+".id", "another entry is about this source")
	case byID != nil && byKey != nil && byID != byKey:
		w.faults.add(path+".key", "is the key of another source")
	case there != nil && there.Kind != parley.SourceText:
		w.faults.add(path, "is not a text but a "+string(there.Kind)+", which a manifest cannot change")
	case there != nil && there.Status == parley.SourceToBeDeleted:
		w.faults.add(path, "is being deleted")
	default:
		s.mentioned["key "+in.Key] = true
		if there != nil {
			s.mentioned["id "+string(there.ID)] = true
		}
		return there, true
	}
	return nil, false
}

// checkRoom refuses what would outgrow the plan before anything is written.
func (w *applyRun) checkRoom(path string, s *sourcePlan, grown int64) error {
	s.size += grown
	if err := w.Plan.CheckStorage(s.size); err != nil && grown > 0 {
		return atPath(path, err)
	}
	return nil
}
