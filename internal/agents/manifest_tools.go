package agents

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

func (e *entry[T]) before(k kind[T]) json.RawMessage {
	if e.there == nil {
		return nil
	}
	return k.show(e.there)
}

// pair finds for each entry of a section what is there under its key, in the order of the manifest.
func (k kind[T]) pair(f faults, path string, section []json.RawMessage, there []T) []entry[T] {
	var list []entry[T]
	seen := map[string]bool{}
	for i, text := range section {
		e := entry[T]{path: path + "." + strconv.Itoa(i), index: i, rank: -1}
		var at, fault string
		if e.key, at, fault = keyOf(text); fault == "" && seen[e.key] {
			at, fault = ".key", "another entry has this key"
		}
		if fault != "" {
			f.say(e.path+at, fault)
			continue
		}
		seen[e.key] = true
		e.rank = slices.IndexFunc(there, func(t T) bool { return k.key(&t) == e.key })
		if e.rank >= 0 {
			e.there = &there[e.rank]
		}
		e.given, _ = overlay(e.before(k), text) // both are objects
		list = append(list, e)
	}
	k.order(list, there)
	return list
}

// sharedNames finds actions and procedures that would have the same name: a model calls both by name. Only those of the manifest
// are named; two others cannot be alike.
func (w *work) sharedNames(t *target) {
	owners := map[string]string{}
	for _, a := range t.actions.all {
		w.nameOnce(owners, a.Name, t.actions.paths[a.Key])
	}
	for _, p := range t.procedures.all {
		w.nameOnce(owners, p.Name, t.procedures.paths[p.Key])
	}
}

// nameOnce takes the name for the entry at the path; what the manifest does not hold has none.
func (w *work) nameOnce(owners map[string]string, name, path string) {
	other, taken := owners[name]
	if !taken || other == "" {
		owners[name] = path
	}
	if taken {
		if path == "" {
			path = other
		}
		w.faults.say(path+".name", "is the name of another action or procedure of the agent")
	}
}

// tools are an agent's actions or procedures on their way.
type tools[T any] struct {
	all   []T               // as they will be
	paths map[string]string // by key, of those in the manifest
	put   []T               // to be written
	drop  []string          // keys of those to go first: what is pruned, and what gives its name away
}

// stay adds what is there and neither in the manifest nor pruned.
func (s *tools[T]) stay(k kind[T], list []entry[T], there, gone []T) {
	for i := range there {
		key := k.key(&there[i])
		if slices.ContainsFunc(list, func(e entry[T]) bool { return e.key == key }) || slices.ContainsFunc(gone, func(g T) bool { return k.key(&g) == key }) {
			continue
		}
		s.all = append(s.all, there[i])
	}
}

// writeTools brings actions and procedures into the database.
func (w *work) writeTools(ctx context.Context, t *target) error {
	w.sharedNames(t)
	if len(w.faults) > 0 {
		return nil
	}
	account, agent := w.Account.ID, t.agent.ID
	if len(t.actions.drop)+len(t.procedures.drop)+len(t.actions.put)+len(t.procedures.put) > 0 {
		w.record(t, "agent.updated")
	}
	for _, key := range t.actions.drop {
		if err := w.tx.DropAction(ctx, account, agent, key, t.now); err != nil {
			return err
		}
	}
	for _, key := range t.procedures.drop {
		if err := w.tx.DropProcedure(ctx, account, agent, key, t.now); err != nil {
			return err
		}
	}
	for i := range t.actions.put {
		if err := w.tx.PutAction(ctx, &t.actions.put[i]); err != nil {
			return err
		}
	}
	for i := range t.procedures.put {
		if err := w.tx.PutProcedure(ctx, &t.procedures.put[i]); err != nil {
			return err
		}
	}
	return nil
}
