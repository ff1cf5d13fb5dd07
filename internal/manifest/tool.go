package manifest

import (
	"cmp"
	"context"
	"encoding/json"

	"parley"
	"parley/internal/httpapi"
)

// toolKind is a kind of things that a model calls by name: actions or procedures.
type toolKind[T any] struct {
	kind[T]
	toolName func(*T) string
}

// toolPlan holds what becomes of an agent's actions or procedures.
type toolPlan[T any] struct {
	final      []T               // as they will be
	unlisted   []T               // those of final that the manifest does not list
	paths      map[string]string // by key, of those that it lists
	toWrite    []T
	keysToDrop []string // of those to delete first: what is removed, and what no longer has its name
}

// planTools plans the actions or procedures of an agent. build returns the row of an entry and members to show of it as
// changed, or nil if the entry has faults.
func planTools[T any](
	r *applyRun, t *target, k toolKind[T], section httpapi.Opt[[]json.RawMessage], existing []T,
	build func(t *target, e *entry[T]) (row *T, extra map[string]any, err error),
) (toolPlan[T], error) {
	p := toolPlan[T]{paths: map[string]string{}}
	c := reconcileSection(r.faults, k.kind, t.path+"."+k.noun+"s", section, existing, r.Prune)
	for i := range c.entries {
		e := &c.entries[i]
		p.paths[e.key] = e.path
		row, extra, err := build(t, e)
		if err != nil {
			return p, err
		}
		if row == nil {
			continue
		}
		p.final = append(p.final, *row)
		if k.recordChange(t, e, k.encode(row), extra) {
			p.toWrite = append(p.toWrite, *row)
		}
		if e.existing != nil && k.toolName(e.existing) != k.toolName(row) {
			p.keysToDrop = append(p.keysToDrop, e.key)
		}
	}
	for _, u := range c.unlisted {
		if !u.isRemoved {
			p.unlisted = append(p.unlisted, *u.row)
			continue
		}
		k.recordRemoval(t, u.row)
		p.keysToDrop = append(p.keysToDrop, k.key(u.row))
	}
	p.final = append(p.final, p.unlisted...)
	return p, nil
}

// checkToolNames refuses actions and procedures that would have the same name: a model calls both by name. The fault is
// at an entry of the manifest; two that it does not list cannot be alike.
func (r *applyRun) checkToolNames(t *target) {
	paths := map[string]string{}
	for _, a := range t.actions.final {
		r.checkToolName(paths, a.Name, t.actions.paths[a.Key])
	}
	for _, p := range t.procedures.final {
		r.checkToolName(paths, p.Name, t.procedures.paths[p.Key])
	}
}

// checkToolName records the path of the entry that has the name; what the manifest does not list has none.
func (r *applyRun) checkToolName(paths map[string]string, name, path string) {
	other, isTaken := paths[name]
	if !isTaken || other == "" {
		paths[name] = path
	}
	if isTaken {
		r.faults.add(cmp.Or(path, other)+".name", "is the name of another action or procedure of the agent")
	}
}

func (r *applyRun) writeTools(ctx context.Context, t *target) error {
	r.checkToolNames(t)
	if len(r.faults) > 0 {
		return nil
	}
	if len(t.actions.keysToDrop)+len(t.procedures.keysToDrop)+len(t.actions.toWrite)+len(t.procedures.toWrite) > 0 {
		r.recordOnce(t, parley.EventAgentUpdated)
	}
	for _, key := range t.actions.keysToDrop {
		if err := r.tx.DropAction(ctx, t.agent.Ref(), key, t.now); err != nil {
			return err
		}
	}
	for _, key := range t.procedures.keysToDrop {
		if err := r.tx.DropProcedure(ctx, t.agent.Ref(), key, t.now); err != nil {
			return err
		}
	}
	for i := range t.actions.toWrite {
		if err := r.tx.PutAction(ctx, &t.actions.toWrite[i]); err != nil {
			return err
		}
	}
	for i := range t.procedures.toWrite {
		if err := r.tx.PutProcedure(ctx, &t.procedures.toWrite[i]); err != nil {
			return err
		}
	}
	return nil
}
