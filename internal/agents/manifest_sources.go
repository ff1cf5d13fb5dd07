package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/store"
)

// ManifestSource is a text as manifests write it. It is known by its key, or by its id while no manifest manages it; with both,
// the source of the id gets the key.
type ManifestSource struct {
	Key     string              `json:"key,omitempty" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"`
	ID      parley.SourceID     `json:"id,omitempty"`
	Type    string              `json:"type,omitempty" enum:"text" default:"text"`
	Name    httpapi.Opt[string] `json:"name,omitzero" min:"1" max:"100"`
	Content httpapi.Opt[string] `json:"content,omitzero" min:"1" max:"1048576"`
}

// textChange is what is still to be done with a source when the transaction is over.
type textChange struct {
	path      string
	agent     parley.AgentID
	key       string
	id        parley.SourceID // empty for a new one
	isRemoved bool
	change    ingest.TextChange
}

func (t textChange) apply(ctx context.Context, desk *ingest.Service, account parley.Account, plan parley.Plan) error {
	switch {
	case t.isRemoved:
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
func (w *applyRun) planSources(ctx context.Context, t *target) error {
	if !t.Sources.Present {
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
	s := newSourcePlan(there, size)
	for i := range t.Sources.Value {
		if err := w.planSource(ctx, t, s, t.path+".sources."+strconv.Itoa(i), &t.Sources.Value[i]); err != nil {
			return err
		}
	}
	return nil
}

// planSource finds out what becomes of one text. A new key is given at once, the rest is done when the transaction is over.
func (w *applyRun) planSource(ctx context.Context, t *target, s *sourcePlan, path string, in *ManifestSource) error {
	there, ok := w.findSource(s, path, in)
	if !ok {
		return nil
	}
	if there == nil {
		w.newText(t, s, path, in)
		return w.checkRoom(path, s, int64(len(in.Content.Value)))
	}
	was, is := map[string]string{}, map[string]string{}
	change := ingest.TextChange{}
	if in.Name.Present && in.Name.Value != there.Name {
		was["name"], is["name"], change.Name = there.Name, in.Name.Value, &in.Name.Value
	}
	grown := int64(0)
	if in.Content.Present && contentHash(in.Content.Value) != there.Hash {
		v, err := w.tx.Version(ctx, w.Account.ID, t.agent.ID, there.ID, there.WantedVersion)
		if err != nil {
			return err
		}
		was["content"], is["content"], change.Content = v.Text, in.Content.Value, &in.Content.Value
		grown = int64(len(in.Content.Value)) - there.Size
	}
	if len(is) > 0 {
		w.pendingTexts = append(w.pendingTexts, textChange{path: path, agent: t.agent.ID, id: there.ID, change: change})
	}
	if in.Key != "" && in.Key != there.Key {
		was["key"], is["key"] = there.Key, in.Key
		if len(w.faults) == 0 {
			if err := w.tx.SetSourceKey(ctx, w.Account.ID, t.agent.ID, there.ID, in.Key); err != nil {
				return err
			}
		}
	}
	if len(is) > 0 {
		t.addChange("update", "source", sourceName(in), mustJSON(was), mustJSON(is))
	}
	return w.checkRoom(path, s, grown)
}

// newText plans a text that the agent does not have.
func (w *applyRun) newText(t *target, s *sourcePlan, path string, in *ManifestSource) {
	for name, field := range map[string]httpapi.Opt[string]{"name": in.Name, "content": in.Content} {
		if !field.Present {
			w.faults.add(path+"."+name, "is required for a new source")
		}
	}
	whole := in.Name.Value + "\x00" + contentHash(in.Content.Value)
	if s.textKeys[whole] {
		w.faults.add(path, "the agent has this text under the same name already; to manage that one, write its id beside the key")
	}
	s.textKeys[whole] = true
	after := mustJSON(map[string]string{"name": in.Name.Value, "content": in.Content.Value})
	t.addChange("create", "source", in.Key, nil, after)
	w.pendingTexts = append(w.pendingTexts, textChange{path: path, agent: t.agent.ID, key: in.Key, change: ingest.TextChange{Name: &in.Name.Value, Content: &in.Content.Value}})
}

func sourceName(in *ManifestSource) string {
	if in.Key != "" {
		return in.Key
	}
	return string(in.ID)
}

func contentHash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// showSource returns a source as manifests write it.
func showSource(m store.ManagedSource, content string) json.RawMessage {
	s := ManifestSource{Key: m.Key, Type: "text", Name: httpapi.Some(m.Name), Content: httpapi.Some(content)}
	if m.Key == "" {
		s.ID = m.ID
	}
	return mustJSON(s)
}
