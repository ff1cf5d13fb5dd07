package agents

import (
	"encoding/json"
	"slices"

	"parley/internal/wire"
)

// order gives each entry its place. What is there keeps its own while the manifest keeps its order, and new entries come last;
// otherwise all are numbered anew. A kind without places has no order.
func (k kind[T]) order(list []entry[T], there []T) {
	if k.place == nil {
		return
	}
	last, next, inOrder, fresh := -1, 0, true, false
	for i := range there {
		next = max(next, k.place(&there[i])+1)
	}
	for i := range list {
		e := &list[i]
		if e.there == nil {
			fresh, e.place = true, next
			next++
			continue
		}
		inOrder = inOrder && !fresh && e.rank > last
		last, e.place = e.rank, k.place(e.there)
	}
	for i := range list {
		if !inOrder {
			list[i].place = i
		}
	}
}

// gone lists what has a key that the section does not name.
func (k kind[T]) gone(section wire.Opt[[]json.RawMessage], list []entry[T], there []T, prune bool) (gone []T) {
	if !prune || !section.Set {
		return nil
	}
	for i := range there {
		if !slices.ContainsFunc(list, func(e entry[T]) bool { return e.rank == i }) {
			gone = append(gone, there[i])
		}
	}
	return gone
}

// compare notes what differs between an entry and what is there, and reports whether anything does. extra adds members that
// are not shown: to what is there, and to what comes.
func (k kind[T]) compare(t *target, e entry[T], after json.RawMessage, extra map[string]any) bool {
	if e.there == nil {
		t.changed("create", k.part, e.key, nil, after)
		return true
	}
	was, is := differences(e.before(k), after)
	if k.place != nil && e.place != k.place(e.there) {
		was, _ = overlay(was, object("position", k.place(e.there)))
		is, _ = overlay(is, object("position", e.place))
	}
	if len(extra) > 0 {
		was, _ = overlay(was, nil)
		is, _ = overlay(is, encoded(extra))
	}
	if is == nil {
		return false
	}
	t.changed("update", k.part, e.key, was, is)
	return true
}
