package agents

import (
	"parley"
	"parley/internal/store"
)

// shelf is the agent's texts while a manifest is laid over them.
type shelf struct {
	byKey map[string]*store.ManagedSource
	byID  map[parley.SourceID]*store.ManagedSource
	texts map[string]bool // names with hashes
	named map[string]bool // keys and ids that the manifest has named
	size  int64
}

func newShelf(there []store.ManagedSource, size int64) *shelf {
	s := &shelf{map[string]*store.ManagedSource{}, map[parley.SourceID]*store.ManagedSource{}, map[string]bool{}, map[string]bool{}, size}
	for i := range there {
		m := &there[i]
		s.byID[m.ID] = m
		if m.Key != "" {
			s.byKey[m.Key] = m
		}
		if m.Kind == parley.SourceText {
			s.texts[m.Name+"\x00"+m.Hash] = true
		}
	}
	return s
}

// pruneTexts plans the end of texts that have a key and are not in the manifest, and gives those that stay and their size: what
// goes makes room for what comes.
func (w *work) pruneTexts(t *target, there []store.ManagedSource, size int64) ([]store.ManagedSource, int64) {
	kept := map[string]bool{}
	for _, in := range t.Sources.Value {
		kept["key "+in.Key], kept["id "+string(in.ID)] = true, true
	}
	var stay []store.ManagedSource
	for _, m := range there {
		if m.Key == "" || kept["key "+m.Key] || kept["id "+string(m.ID)] {
			stay = append(stay, m)
			continue
		}
		size -= m.Size
		t.changed("delete", "source", m.Key, object("name", m.Name), nil)
		w.texts = append(w.texts, text{agent: t.agent.ID, id: m.ID, gone: true})
	}
	return stay, size
}

// pick finds the source that an entry is about; nil is a new one. It is not ok when the entry is wrong.
func (w *work) pick(s *shelf, path string, in *ManifestSource) (there *store.ManagedSource, ok bool) {
	byKey, byID := s.byKey[in.Key], s.byID[in.ID]
	there = byKey
	if in.ID != "" {
		there = byID
	}
	switch {
	case in.Key == "" && in.ID == "":
		w.faults.say(path+".key", "is required")
	case in.Key != "" && s.named["key "+in.Key]:
		w.faults.say(path+".key", "another entry has this key")
	case in.ID != "" && byID == nil:
		w.faults.say(path+".id", "the agent has no such source; a key in its place makes one")
	case there != nil && s.named["id "+string(there.ID)]:
		w.faults.say(path+".id", "another entry is about this source")
	case byID != nil && byKey != nil && byID != byKey:
		w.faults.say(path+".key", "is the key of another source")
	case there != nil && there.Kind != parley.SourceText:
		w.faults.say(path, "is not a text but a "+string(there.Kind)+", which a manifest cannot change")
	case there != nil && there.Status == parley.SourceToBeDeleted:
		w.faults.say(path, "is being deleted")
	default:
		s.named["key "+in.Key] = true
		if there != nil {
			s.named["id "+string(there.ID)] = true
		}
		return there, true
	}
	return nil, false
}

// room refuses what would outgrow the plan before anything is written.
func (w *work) room(path string, s *shelf, grown int64) error {
	s.size += grown
	if err := w.Plan.Room(s.size); err != nil && grown > 0 {
		return at(path, err)
	}
	return nil
}
