package agents

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

func (e *entry[T]) currentJSON(k entryKind[T]) json.RawMessage {
	if e.current == nil {
		return nil
	}
	return k.encode(e.current)
}

// matchEntries finds for each entry of a section what is there under its key, in the order of the manifest.
func (k entryKind[T]) matchEntries(f faults, path string, section []json.RawMessage, there []T) []entry[T] {
	var list []entry[T]
	seen := map[string]bool{}
	for i, text := range section {
		e := entry[T]{path: path + "." + strconv.Itoa(i), index: i, currentIndex: -1}
		var at, fault string
		if e.key, at, fault = parseKey(text); fault == "" && seen[e.key] {
			at, fault = ".key", "another entry has this key"
		}
		if fault != "" {
			f.add(e.path+at, fault)
			continue
		}
		seen[e.key] = true
		e.currentIndex = slices.IndexFunc(there, func(t T) bool { return k.key(&t) == e.key })
		if e.currentIndex >= 0 {
			e.current = &there[e.currentIndex]
		}
		e.merged, _ = mergeObjects(e.currentJSON(k), text) // both are objects
		list = append(list, e)
	}
	k.assignPositions(list, there)
	return list
}

// checkUniqueToolNames finds actions and procedures that would have the same name: a model calls both by name. Only those of the manifest
// are named; two others cannot be alike.
func (w *applyRun) checkUniqueToolNames(t *target) {
	owners := map[string]string{}
	for _, a := range t.actions.final {
		w.claimName(owners, a.Name, t.actions.paths[a.Key])
	}
	for _, p := range t.procedures.final {
		w.claimName(owners, p.Name, t.procedures.paths[p.Key])
	}
}

// claimName takes the name for the entry at the path; what the manifest does not hold has none.
func (w *applyRun) claimName(owners map[string]string, name, path string) {
	other, taken := owners[name]
	if !taken || other == "" {
		owners[name] = path
	}
	if taken {
		if path == "" {
			path = other
		}
		w.faults.add(path+".name", "is the name of another action or procedure of the agent")
	}
}

// toolPlan are an agent's actions or procedures on their way.
type toolPlan[T any] struct {
	final      []T               // as they will be
	paths      map[string]string // by key, of those in the manifest
	toWrite    []T               // to be written
	keysToDrop []string          // keys of those to go first: what is pruned, and what gives its name away
}

// addUnmentioned adds what is there and neither in the manifest nor pruned.
func (s *toolPlan[T]) addUnmentioned(k entryKind[T], list []entry[T], there, gone []T) {
	for i := range there {
		key := k.key(&there[i])
		if slices.ContainsFunc(list, func(e entry[T]) bool { return e.key == key }) || slices.ContainsFunc(gone, func(g T) bool { return k.key(&g) == key }) {
			continue
		}
		s.final = append(s.final, there[i])
	}
}

// writeTools brings actions and procedures into the database.
func (w *applyRun) writeTools(ctx context.Context, t *target) error {
	w.checkUniqueToolNames(t)
	if len(w.faults) > 0 {
		return nil
	}
	account, agent := w.Account.ID, t.agent.ID
	if len(t.actions.keysToDrop)+len(t.procedures.keysToDrop)+len(t.actions.toWrite)+len(t.procedures.toWrite) > 0 {
		w.recordOnce(t, "agent.updated")
	}
	for _, key := range t.actions.keysToDrop {
		if err := w.tx.DropAction(ctx, account, agent, key, t.now); err != nil {
			return err
		}
	}
	for _, key := range t.procedures.keysToDrop {
		if err := w.tx.DropProcedure(ctx, account, agent, key, t.now); err != nil {
			return err
		}
	}
	for i := range t.actions.toWrite {
		if err := w.tx.PutAction(ctx, &t.actions.toWrite[i]); err != nil {
			return err
		}
	}
	for i := range t.procedures.toWrite {
		if err := w.tx.PutProcedure(ctx, &t.procedures.toWrite[i]); err != nil {
			return err
		}
	}
	return nil
}
