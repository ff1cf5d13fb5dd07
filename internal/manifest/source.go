package manifest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/store"
)

// sourceSpec is a source as manifests write it. It is recognized by its key, or by its id while no manifest manages it;
// with both, the source of the id gets the key. Which members an entry may have is up to its type (specKinds).
type sourceSpec struct {
	Key  string              `json:"key,omitempty" pattern:"@key"`
	ID   parley.SourceID     `json:"id,omitempty"`
	Type string              `json:"type,omitempty" enum:"text,qna,link,file"`
	Name httpapi.Opt[string] `json:"name,omitzero" min:"1" format:"name"`

	Content httpapi.Opt[string] `json:"content,omitzero" min:"1" max:"1048576"`

	Questions httpapi.Opt[[]string] `json:"questions,omitzero" min:"1" max:"50"`
	Answer    httpapi.Opt[string]   `json:"answer,omitzero" min:"1"`

	URL              httpapi.Opt[string]   `json:"url,omitzero" format:"url"`
	LinkType         httpapi.Opt[string]   `json:"linkType,omitzero" enum:"individual,crawl,sitemap"`
	ExcludePaths     httpapi.Opt[[]string] `json:"excludePaths,omitzero" max:"1000"`
	IncludeOnlyPaths httpapi.Opt[[]string] `json:"includeOnlyPaths,omitzero" max:"1000"`
	SlowScraping     httpapi.Opt[bool]     `json:"slowScraping,omitzero"`

	File   httpapi.Opt[string] `json:"file,omitzero" min:"1" max:"1000"` // its path, seen from the manifest
	SHA256 httpapi.Opt[string] `json:"sha256,omitzero" pattern:"^[0-9a-f]{64}$"`
	Data   []byte              `json:"data,omitempty"` // of the file, which whoever reads a manifest from a disk adds
}

// members lists the members of the entry that say something of the source.
func (s *sourceSpec) members() (list []string) {
	for _, m := range []struct {
		name      string
		isPresent bool
	}{
		{"name", s.Name.Present}, {"content", s.Content.Present}, {"questions", s.Questions.Present},
		{"answer", s.Answer.Present}, {"url", s.URL.Present}, {"linkType", s.LinkType.Present},
		{"excludePaths", s.ExcludePaths.Present}, {"includeOnlyPaths", s.IncludeOnlyPaths.Present},
		{"slowScraping", s.SlowScraping.Present}, {"file", s.File.Present}, {"sha256", s.SHA256.Present},
		{"data", s.Data != nil},
	} {
		if m.isPresent {
			list = append(list, m.name)
		}
	}
	return list
}

var sourceKind = kind[store.ManagedSource]{
	noun:   "source",
	key:    func(m *store.ManagedSource) string { return m.Key },
	id:     func(m *store.ManagedSource) string { return string(m.ID) },
	encode: func(m *store.ManagedSource) json.RawMessage { return jsonObject("name", m.Name) },
	blocked: func(m *store.ManagedSource) string {
		if m.Status == parley.SourceToBeDeleted {
			return "is being deleted"
		}
		return ""
	},
}

// sourceChange is what is still to be done with a source after the transaction.
type sourceChange struct {
	path      string
	agent     parley.AgentID
	id        parley.SourceID // of one that is removed
	isRemoved bool
	run       func(ctx context.Context, s *ingest.Service, caller parley.Caller) error
}

func (c sourceChange) apply(ctx context.Context, s *ingest.Service, caller parley.Caller) error {
	if !c.isRemoved {
		return c.run(ctx, s, caller)
	}
	_, err := s.Delete(ctx, caller.AgentRef(c.agent), c.id)
	if parley.IsCode(err, parley.CodeSourceNotFound) || parley.IsCode(err, parley.CodeSourceAlreadyDel) {
		return nil
	}
	return err
}

// sourcePlan is the agent's sources while a manifest is applied.
type sourcePlan struct {
	present map[string]bool // what the agent has already, by kind and content
	size    int64
}

// planSources plans the agent's sources. Removals come first: they free storage for what is added.
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
	p := &sourcePlan{present: map[string]bool{}, size: t.agent.Size}
	for _, u := range c.unlisted {
		if !u.isRemoved {
			p.addExisting(u.row)
			continue
		}
		p.size -= u.row.Size
		sourceKind.recordRemoval(t, u.row)
		r.pendingSources = append(r.pendingSources, sourceChange{agent: t.agent.ID, id: u.row.ID, isRemoved: true})
	}
	for i := range c.entries {
		if c.entries[i].existing != nil {
			p.addExisting(c.entries[i].existing)
		}
	}
	for i := range c.entries {
		if err := r.planSource(ctx, t, p, &c.entries[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *sourcePlan) addExisting(m *store.ManagedSource) {
	if k := specKinds[m.Kind]; k.presence != nil {
		p.present[k.presence(m)] = true
	}
}

// planSource plans one source. A new key is stored at once, the rest is done after the transaction.
func (r *applyRun) planSource(ctx context.Context, t *target, p *sourcePlan, e *entry[store.ManagedSource]) error {
	spec := &t.Sources.Value[e.index]
	k, isKnown := r.findSpecKind(e, spec)
	if !isKnown {
		return nil
	}
	if e.existing == nil {
		return r.createSource(t, p, k, e.path, spec)
	}
	change, err := k.compare(ctx, r, e, spec)
	if err != nil {
		return err
	}
	if len(change.after) > 0 {
		run := change.run
		r.pendingSources = append(r.pendingSources, sourceChange{path: e.path, agent: t.agent.ID, run: run})
	}
	if spec.Key != "" && spec.Key != e.existing.Key {
		change.set("key", e.existing.Key, spec.Key)
		if len(r.faults) == 0 {
			if err := r.tx.SetSourceKey(ctx, t.agent.Ref(), e.existing.ID, spec.Key); err != nil {
				return err
			}
		}
	}
	if len(change.after) > 0 {
		t.addChange("update", sourceKind.noun, cmp.Or(spec.Key, string(spec.ID)), mustJSON(change.before),
			mustJSON(change.after))
	}
	return r.checkStorage(e.path, p, change.growth)
}

// findSpecKind returns how manifests hold sources of an entry's type, which is that of the source if it names none.
// What does not go with the type is a fault.
func (r *applyRun) findSpecKind(e *entry[store.ManagedSource], spec *sourceSpec) (specKind, bool) {
	wanted := parley.SourceKind(cmp.Or(spec.Type, string(parley.SourceText)))
	if e.existing != nil {
		if spec.Type != "" && wanted != e.existing.Kind {
			r.faults.add(e.path+".type", "the source is of the type "+string(e.existing.Kind)+", which cannot change")
			return specKind{}, false
		}
		wanted = e.existing.Kind
	}
	k, isKnown := specKinds[wanted]
	if !isKnown {
		r.faults.add(e.path+".type", "manifests hold no sources of the type "+string(wanted))
		return k, false
	}
	isGood := true
	for _, member := range spec.members() {
		if !k.takes(member) {
			r.faults.add(e.path+"."+member, "does not go with the type "+string(wanted))
			isGood = false
		}
	}
	if n := utf8.RuneCountInString(spec.Name.Value); k.maxName > 0 && n > k.maxName {
		r.faults.add(e.path+".name", fmt.Sprintf("must have at most %d characters", k.maxName))
		isGood = false
	}
	return k, isGood
}

// createSource plans a source that the agent does not have.
func (r *applyRun) createSource(t *target, p *sourcePlan, k specKind, path string, spec *sourceSpec) error {
	missing := k.missing(spec)
	for _, member := range missing {
		r.faults.add(path+"."+member, "is required for a new source")
	}
	if spec.File.Present && spec.Data == nil { // whoever has read the manifest has not found it
		r.faults.add(path+".file", "cannot be read, and the agent does not have it")
		return nil
	}
	if len(missing) > 0 {
		return nil
	}
	draft := k.draft(spec)
	if draft.fault != nil {
		return r.faults.addError(path, draft.fault)
	}
	if p.present[draft.presence] {
		r.faults.add(path, draft.whyPresent)
	}
	p.present[draft.presence] = draft.presence != ""
	t.addChange("create", sourceKind.noun, spec.Key, nil, mustJSON(draft.after))
	agent, key := t.agent.ID, spec.Key
	r.pendingSources = append(r.pendingSources, sourceChange{path: path, agent: agent,
		run: func(ctx context.Context, s *ingest.Service, caller parley.Caller) error {
			return draft.put(ctx, s, caller, agent, key)
		}})
	return r.checkStorage(path, p, draft.size)
}

// checkStorage refuses what would outgrow the plan before anything is written.
func (r *applyRun) checkStorage(path string, p *sourcePlan, growth int64) error {
	p.size += growth
	if err := r.Plan.CheckStorage(p.size); err != nil && growth > 0 {
		return atPath(path, err)
	}
	return nil
}

// exportSources returns the agent's sources as manifests write them, the files that these name, and what manifests
// cannot hold.
func (s *Service) exportSources(ctx context.Context, a *parley.Agent) (list []sourceSpec, files []ExportedFile,
	leftOut []string, err error) {
	existing, err := s.DB.ManagedSources(ctx, a.Ref())
	if err != nil {
		return nil, nil, nil, err
	}
	taken := map[string]bool{}
	for i := range existing {
		m := &existing[i]
		k, isKnown := specKinds[m.Kind]
		if !isKnown || m.Status == parley.SourceToBeDeleted {
			leftOut = append(leftOut, fmt.Sprintf("the %s source %s (%s)", m.Kind, m.ID, m.Name))
			continue
		}
		spec := sourceSpec{Key: m.Key, Type: string(m.Kind)}
		if m.Key == "" {
			spec.ID = m.ID
		}
		err := k.export(ctx, s.DB, m, &spec)
		switch {
		case parley.IsCode(err, parley.CodeSourceNotFound): // it was deleted or changed meanwhile
			leftOut = append(leftOut, fmt.Sprintf("the source %s (%s), which was changing", m.ID, m.Name))
		case err != nil:
			return nil, nil, nil, err
		default:
			spec.renameDuplicate(taken, m.ID)
			list = append(list, spec)
		}
		if err == nil && spec.File.Present {
			files = append(files, ExportedFile{spec.File.Value, m.ID})
		}
	}
	return list, files, leftOut, nil
}

// renameDuplicate sets a path of its own for the file of a source beside the manifest.
func (s *sourceSpec) renameDuplicate(taken map[string]bool, id parley.SourceID) {
	if name := s.File.Value; taken[strings.ToLower(name)] {
		ending := path.Ext(name)
		s.File.Value = strings.TrimSuffix(name, ending) + "-" + string(id) + ending
	}
	taken[strings.ToLower(s.File.Value)] = s.File.Present
}
