package agents

import (
	"encoding/json"
	"slices"
	"strconv"
)

// namedKind is a kind whose things need no key: one without it is known by its name.
type namedKind[T any] struct {
	entryKind[T]
	name      func(*T) string              // of what is there
	entryName func(json.RawMessage) string // the same, of an entry
	noun      string                       // "team", for people

	unmergedMembers []string                     // members that do not stay as they are when an entry is silent about them
	groupOf         func(*T) string              // places are counted within a group; nil is one group
	entryGroup      func(json.RawMessage) string // the same, of an entry
}

// matchNamed finds for each entry what is there under its key, else what has its name and no key yet: with a key that nobody has,
// the entry gives it to that one.
func (k namedKind[T]) matchNamed(f faults, path string, section []json.RawMessage, there []T) []entry[T] {
	var list []entry[T]
	taken, seen := map[int]bool{}, map[string]bool{}
	for i, text := range section {
		e := entry[T]{path: path + "." + strconv.Itoa(i), index: i}
		var at, fault string
		if e.key, at, fault = parseKey(text); fault == "is required" {
			fault = ""
		}
		if fault == "" && e.key != "" && seen[e.key] {
			at, fault = ".key", "another entry has this key"
		}
		name := k.entryName(text)
		e.currentIndex = k.findCurrent(there, taken, e.key, name)
		if e.currentIndex < 0 && fault == "" && e.key == "" {
			at, fault = k.keyFault(there, name)
		}
		if fault != "" {
			f.add(e.path+at, fault)
			continue
		}
		if e.currentIndex >= 0 {
			e.current, taken[e.currentIndex] = &there[e.currentIndex], true
		}
		seen[e.key] = true
		e.merged, _ = mergeObjects(withoutMembers(e.currentJSON(k.entryKind), k.unmergedMembers), text) // both are objects
		list = append(list, e)
	}
	k.assignGroupPositions(list, there)
	return list
}

// assignGroupPositions returns each entry its place within its group.
func (k namedKind[T]) assignGroupPositions(list []entry[T], there []T) {
	if k.groupOf == nil {
		return
	}
	groups, of := map[string][]entry[T]{}, map[string][]T{}
	for i := range there {
		name := k.groupOf(&there[i])
		of[name] = append(of[name], there[i])
	}
	for _, e := range list {
		name := k.entryGroup(e.merged)
		groups[name] = append(groups[name], e)
	}
	for name, group := range groups {
		k.assignPositions(group, of[name])
		for _, e := range group {
			list[slices.IndexFunc(list, func(o entry[T]) bool { return o.index == e.index })].position = e.position
		}
	}
}

// findCurrent returns the place of what an entry is about among what is there, or -1.
func (k namedKind[T]) findCurrent(there []T, taken map[int]bool, key, name string) int {
	if i := slices.IndexFunc(there, func(t T) bool { return key != "" && k.key(&t) == key }); i >= 0 {
		return i
	}
	for i := range there {
		if k.key(&there[i]) == "" && !taken[i] && name != "" && k.name(&there[i]) == name {
			return i
		}
	}
	return -1
}

// keyFault finds fault with an entry without a key whose name belongs to something that has one.
func (k namedKind[T]) keyFault(there []T, name string) (at, fault string) {
	for i := range there {
		if key := k.key(&there[i]); key != "" && k.name(&there[i]) == name {
			return ".key", "is required: a " + k.noun + " of this name has the key " + key
		}
	}
	return "", ""
}

// displayName is what people call the thing of an entry.
func (e *entry[T]) displayName(name string) string {
	if e.key != "" {
		return e.key
	}
	return name
}

// withoutMembers returns the object without some of its members.
func withoutMembers(object json.RawMessage, names []string) json.RawMessage {
	m, err := parseObject(object)
	if err != nil {
		return object
	}
	for _, name := range names {
		delete(m, name)
	}
	return mustJSON(m)
}
