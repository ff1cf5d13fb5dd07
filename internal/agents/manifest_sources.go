package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"parley"
	"parley/internal/ingest"
	"parley/internal/store"
	"parley/internal/wire"
)

// ManifestSource is a text as manifests write it. It is known by its key, or by its id while no manifest manages it; with both,
// the source of the id gets the key.
type ManifestSource struct {
	Key     string           `json:"key,omitempty" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"`
	ID      parley.SourceID  `json:"id,omitempty"`
	Type    string           `json:"type,omitempty" enum:"text" default:"text"`
	Name    wire.Opt[string] `json:"name,omitzero" min:"1" max:"100"`
	Content wire.Opt[string] `json:"content,omitzero" min:"1" max:"1048576"`
}

// text is what is still to be done with a source when the transaction is over.
type text struct {
	path   string
	agent  parley.AgentID
	key    string
	id     parley.SourceID // empty for a new one
	gone   bool
	change ingest.TextChange
}

func (t text) put(ctx context.Context, desk *ingest.Desk, account parley.Account, plan parley.Plan) error {
	switch {
	case t.gone:
		_, err := desk.Delete(ctx, account, t.agent, t.id)
		if parley.IsCode(err, parley.CodeSourceNotFound) || parley.IsCode(err, parley.CodeSourceAlreadyDel) {
			return nil
		}
		return err
	case t.id == "":
		return desk.PutText(ctx, account, plan, t.agent, t.key, *t.change.Name, *t.change.Content)
	}
	_, err := desk.ChangeText(ctx, account, plan, t.agent, t.id, t.change)
	return err
}

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

// planSources finds out what becomes of the agent's texts.
func (w *work) planSources(ctx context.Context, t *target) error {
	if !t.Sources.Set {
		return nil
	}
	var there []store.ManagedSource
	var err error
	if !t.isNew {
		if there, err = w.tx.ManagedSources(ctx, w.Account.ID, t.agent.ID); err != nil {
			return err
		}
	}
	size := t.agent.Size
	if w.Prune {
		there, size = w.pruneTexts(t, there, size)
	}
	s := newShelf(there, size)
	for i := range t.Sources.Value {
		if err := w.planSource(ctx, t, s, t.path+".sources."+strconv.Itoa(i), &t.Sources.Value[i]); err != nil {
			return err
		}
	}
	return nil
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

// planSource finds out what becomes of one text. A new key is given at once, the rest is done when the transaction is over.
func (w *work) planSource(ctx context.Context, t *target, s *shelf, path string, in *ManifestSource) error {
	there, ok := w.pick(s, path, in)
	if !ok {
		return nil
	}
	if there == nil {
		w.newText(t, s, path, in)
		return w.room(path, s, int64(len(in.Content.Value)))
	}
	was, is := map[string]string{}, map[string]string{}
	change := ingest.TextChange{}
	if in.Name.Set && in.Name.Value != there.Name {
		was["name"], is["name"], change.Name = there.Name, in.Name.Value, &in.Name.Value
	}
	grown := int64(0)
	if in.Content.Set && hashOf(in.Content.Value) != there.Hash {
		v, err := w.tx.Version(ctx, w.Account.ID, t.agent.ID, there.ID, there.Wanted)
		if err != nil {
			return err
		}
		was["content"], is["content"], change.Content = v.Text, in.Content.Value, &in.Content.Value
		grown = int64(len(in.Content.Value)) - there.Size
	}
	if len(is) > 0 {
		w.texts = append(w.texts, text{path: path, agent: t.agent.ID, id: there.ID, change: change})
	}
	if in.Key != "" && in.Key != there.Key {
		was["key"], is["key"] = there.Key, in.Key
		if len(w.faults) == 0 {
			if err := w.tx.KeySource(ctx, w.Account.ID, t.agent.ID, there.ID, in.Key); err != nil {
				return err
			}
		}
	}
	if len(is) > 0 {
		t.changed("update", "source", nameOf(in), encoded(was), encoded(is))
	}
	return w.room(path, s, grown)
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

// newText plans a text that the agent does not have.
func (w *work) newText(t *target, s *shelf, path string, in *ManifestSource) {
	for name, field := range map[string]wire.Opt[string]{"name": in.Name, "content": in.Content} {
		if !field.Set {
			w.faults.say(path+"."+name, "is required for a new source")
		}
	}
	whole := in.Name.Value + "\x00" + hashOf(in.Content.Value)
	if s.texts[whole] {
		w.faults.say(path, "the agent has this text under the same name already; to manage that one, write its id beside the key")
	}
	s.texts[whole] = true
	after := encoded(map[string]string{"name": in.Name.Value, "content": in.Content.Value})
	t.changed("create", "source", in.Key, nil, after)
	w.texts = append(w.texts, text{path: path, agent: t.agent.ID, key: in.Key, change: ingest.TextChange{Name: &in.Name.Value, Content: &in.Content.Value}})
}

// room refuses what would outgrow the plan before anything is written.
func (w *work) room(path string, s *shelf, grown int64) error {
	s.size += grown
	if most := w.Plan.StoragePerAgent; most != nil && grown > 0 && s.size > *most {
		return at(path, parley.Failf(parley.CodeSourceSize, "The %s plan allows %d bytes of sources for an agent; this one would bring them to %d.", w.Plan.Name, *most, s.size))
	}
	return nil
}

func nameOf(in *ManifestSource) string {
	if in.Key != "" {
		return in.Key
	}
	return string(in.ID)
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// showSource gives a source as manifests write it.
func showSource(m store.ManagedSource, content string) json.RawMessage {
	s := ManifestSource{Key: m.Key, Type: "text", Name: wire.Some(m.Name), Content: wire.Some(content)}
	if m.Key == "" {
		s.ID = m.ID
	}
	return encoded(s)
}
