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
