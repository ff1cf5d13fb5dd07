package manifest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/store"
)

// sourceSpec is a text as manifests write it. It is recognized by its key, or by its id while no manifest manages it;
// with both, the source of the id gets the key.
type sourceSpec struct {
	Key     string              `json:"key,omitempty" pattern:"@key"`
	ID      parley.SourceID     `json:"id,omitempty"`
	Type    string              `json:"type,omitempty" enum:"text" default:"text"`
	Name    httpapi.Opt[string] `json:"name,omitzero" min:"1" max:"100" format:"name"`
	Content httpapi.Opt[string] `json:"content,omitzero" min:"1" max:"1048576"`
}

func newSourceSpec(m store.ManagedSource, content string) sourceSpec {
	s := sourceSpec{Key: m.Key, Type: string(parley.SourceText), Name: httpapi.Some(m.Name),
		Content: httpapi.Some(content)}
	if m.Key == "" {
		s.ID = m.ID
	}
	return s
}

var sourceKind = kind[store.ManagedSource]{
	noun:   "source",
	key:    func(m *store.ManagedSource) string { return m.Key },
	id:     func(m *store.ManagedSource) string { return string(m.ID) },
	encode: func(m *store.ManagedSource) json.RawMessage { return jsonObject("name", m.Name) },
	blocked: func(m *store.ManagedSource) string {
		switch {
		case m.Kind != parley.SourceText:
			return "is not a text but a " + string(m.Kind) + ", which a manifest cannot change"
		case m.Status == parley.SourceToBeDeleted:
			return "is being deleted"
		}
		return ""
	},
}

// textChange is what is still to be done with a source after the transaction.
type textChange struct {
	path      string
	agent     parley.AgentID
	key       string
	id        parley.SourceID // empty for a new one
	isRemoved bool
	change    ingest.TextChange
}

func (t textChange) apply(ctx context.Context, s *ingest.Service, caller parley.Caller) error {
	switch {
	case t.isRemoved:
		_, err := s.Delete(ctx, caller.AgentRef(t.agent), t.id)
		if parley.IsCode(err, parley.CodeSourceNotFound) || parley.IsCode(err, parley.CodeSourceAlreadyDel) {
			return nil
		}
		return err
	case t.id == "":
		return s.PutText(ctx, caller, t.agent, t.key, *t.change.Name, *t.change.Content)
	}
	_, err := s.ChangeText(ctx, caller, t.agent, t.id, t.change)
	return err
}

// sourcePlan is the agent's texts while a manifest is applied.
type sourcePlan struct {
	texts map[string]bool // names with hashes
	size  int64
}

// planSources plans the agent's texts. Removals come first: they free storage for what is added.
func (r *applyRun) planSources(ctx context.Context, t *target) error {
	if !t.Sources.Present {
		return nil
	}
	existing, err := r.tx.ManagedSources(ctx, t.agent.Ref())
	if err != nil {
		return err
	}
	listed := make([]entry[store.ManagedSource], len(t.Sources.Value))
	for i, s := range t.Sources.Value {
		path := t.path + ".sources." + strconv.Itoa(i)
		listed[i] = entry[store.ManagedSource]{path: path, index: i, key: s.Key, id: string(s.ID)}
	}
	c := reconcile(r.faults, sourceKind, listed, existing, r.Prune)
	p := &sourcePlan{texts: map[string]bool{}, size: t.agent.Size}
	for _, u := range c.unlisted {
		if !u.isRemoved {
			p.addText(u.row)
			continue
		}
		p.size -= u.row.Size
		sourceKind.recordRemoval(t, u.row)
		r.pendingTexts = append(r.pendingTexts, textChange{agent: t.agent.ID, id: u.row.ID, isRemoved: true})
	}
	for i := range c.entries {
		if c.entries[i].existing != nil {
			p.addText(c.entries[i].existing)
		}
	}
	for i := range c.entries {
		if err := r.planSource(ctx, t, p, &c.entries[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *sourcePlan) addText(m *store.ManagedSource) {
	if m.Kind == parley.SourceText {
		p.texts[m.Name+"\x00"+m.Hash] = true
	}
}

// planSource plans one text. A new key is stored at once, the rest is done after the transaction.
func (r *applyRun) planSource(ctx context.Context, t *target, p *sourcePlan, e *entry[store.ManagedSource]) error {
	spec := &t.Sources.Value[e.index]
	if e.existing == nil {
		r.createText(t, p, e.path, spec)
		return r.checkStorage(e.path, p, int64(len(spec.Content.Value)))
	}
	existing := e.existing
	oldParts, newParts := map[string]string{}, map[string]string{}
	change := ingest.TextChange{}
	if spec.Name.Present && spec.Name.Value != existing.Name {
		oldParts["name"], newParts["name"], change.Name = existing.Name, spec.Name.Value, &spec.Name.Value
	}
	growth := int64(0)
	if spec.Content.Present && contentHash(spec.Content.Value) != existing.Hash {
		v, err := r.tx.Version(ctx, t.agent.Ref(), existing.ID, existing.WantedVersion)
		if err != nil {
			return err
		}
		oldParts["content"], newParts["content"], change.Content = v.Text, spec.Content.Value, &spec.Content.Value
		growth = int64(len(spec.Content.Value)) - existing.Size
	}
	if len(newParts) > 0 {
		text := textChange{path: e.path, agent: t.agent.ID, id: existing.ID, change: change}
		r.pendingTexts = append(r.pendingTexts, text)
	}
	if spec.Key != "" && spec.Key != existing.Key {
		oldParts["key"], newParts["key"] = existing.Key, spec.Key
		if len(r.faults) == 0 {
			if err := r.tx.SetSourceKey(ctx, t.agent.Ref(), existing.ID, spec.Key); err != nil {
				return err
			}
		}
	}
	if len(newParts) > 0 {
		t.addChange("update", sourceKind.noun, cmp.Or(spec.Key, string(spec.ID)), mustJSON(oldParts), mustJSON(newParts))
	}
	return r.checkStorage(e.path, p, growth)
}

// createText plans a text that the agent does not have.
func (r *applyRun) createText(t *target, p *sourcePlan, path string, spec *sourceSpec) {
	for name, field := range map[string]httpapi.Opt[string]{"name": spec.Name, "content": spec.Content} {
		if !field.Present {
			r.faults.add(path+"."+name, "is required for a new source")
		}
	}
	text := spec.Name.Value + "\x00" + contentHash(spec.Content.Value)
	if p.texts[text] {
		r.faults.add(path,
			"the agent has this text under the same name already; to manage that one, write its id beside the key")
	}
	p.texts[text] = true
	after := mustJSON(map[string]string{"name": spec.Name.Value, "content": spec.Content.Value})
	t.addChange("create", sourceKind.noun, spec.Key, nil, after)
	change := ingest.TextChange{Name: &spec.Name.Value, Content: &spec.Content.Value}
	r.pendingTexts = append(r.pendingTexts, textChange{path: path, agent: t.agent.ID, key: spec.Key, change: change})
}

// checkStorage refuses what would outgrow the plan before anything is written.
func (r *applyRun) checkStorage(path string, p *sourcePlan, growth int64) error {
	p.size += growth
	if err := r.Plan.CheckStorage(p.size); err != nil && growth > 0 {
		return atPath(path, err)
	}
	return nil
}

func contentHash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// exportSources returns the agent's texts as manifests write them, and what manifests cannot hold.
func (s *Service) exportSources(ctx context.Context, a *parley.Agent) (list []sourceSpec, leftOut []string, err error) {
	existing, err := s.DB.ManagedSources(ctx, a.Ref())
	if err != nil {
		return nil, nil, err
	}
	for _, m := range existing {
		if m.Kind != parley.SourceText || m.Status == parley.SourceToBeDeleted {
			leftOut = append(leftOut, fmt.Sprintf("the %s source %s (%s)", m.Kind, m.ID, m.Name))
			continue
		}
		text, err := s.DB.Version(ctx, a.Ref(), m.ID, m.WantedVersion)
		switch {
		case parley.IsCode(err, parley.CodeSourceNotFound): // it was deleted or changed meanwhile
			leftOut = append(leftOut, fmt.Sprintf("the source %s (%s), which was changing", m.ID, m.Name))
		case err != nil:
			return nil, nil, err
		default:
			list = append(list, newSourceSpec(m, text.Text))
		}
	}
	return list, leftOut, nil
}
