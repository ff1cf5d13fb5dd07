package agents

import (
	"encoding/json"
	"slices"

	"parley/internal/httpapi"
)

// assignPositions returns each entry its place. What is there keeps its own while the manifest keeps its order, and new entries come last;
// otherwise all are numbered anew. A kind without places has no order.
func (k entryKind[T]) assignPositions(list []entry[T], there []T) {
	if k.position == nil {
		return
	}
	last, next, inOrder, fresh := -1, 0, true, false
	for i := range there {
		next = max(next, k.position(&there[i])+1)
	}
	for i := range list {
		e := &list[i]
		if e.current == nil {
			fresh, e.position = true, next
			next++
			continue
		}
		inOrder = inOrder && !fresh && e.currentIndex > last
		last, e.position = e.currentIndex, k.position(e.current)
	}
	for i := range list {
		if !inOrder {
			list[i].position = i
		}
	}
}

// removed lists what has a key that the section does not name.
func (k entryKind[T]) removed(section httpapi.Opt[[]json.RawMessage], list []entry[T], there []T, prune bool) (gone []T) {
	if !prune || !section.Present {
		return nil
	}
	for i := range there {
		if !slices.ContainsFunc(list, func(e entry[T]) bool { return e.currentIndex == i }) {
			gone = append(gone, there[i])
		}
	}
	return gone
}

// recordChange notes what differs between an entry and what is there, and reports whether anything does. extra adds members that
// are not shown: to what is there, and to what comes.
func (k entryKind[T]) recordChange(t *target, e entry[T], after json.RawMessage, extra map[string]any) bool {
	if e.current == nil {
		t.addChange("create", k.part, e.key, nil, after)
		return true
	}
	was, is := differences(e.currentJSON(k), after)
	if k.position != nil && e.position != k.position(e.current) {
		was, _ = mergeObjects(was, jsonObject("position", k.position(e.current)))
		is, _ = mergeObjects(is, jsonObject("position", e.position))
	}
	if len(extra) > 0 {
		was, _ = mergeObjects(was, nil)
		is, _ = mergeObjects(is, mustJSON(extra))
	}
	if is == nil {
		return false
	}
	t.addChange("update", k.part, e.key, was, is)
	return true
}
