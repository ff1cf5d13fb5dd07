package agents

import (
	"encoding/json"
	"slices"
	"strconv"
)

// named is a kind whose things need no key: one without it is known by its name.
type named[T any] struct {
	kind[T]
	name func(*T) string              // of what is there
	word func(json.RawMessage) string // the same, of an entry
	noun string                       // "team", for people

	silent []string                     // members that do not stay as they are when an entry is silent about them
	group  func(*T) string              // places are counted within a group; nil is one group
	within func(json.RawMessage) string // the same, of an entry
}

// pairNamed finds for each entry what is there under its key, else what has its name and no key yet: with a key that nobody has,
// the entry gives it to that one.
func (k named[T]) pairNamed(f faults, path string, section []json.RawMessage, there []T) []entry[T] {
	var list []entry[T]
	taken, seen := map[int]bool{}, map[string]bool{}
	for i, text := range section {
		e := entry[T]{path: path + "." + strconv.Itoa(i), index: i}
		var at, fault string
		if e.key, at, fault = keyOf(text); fault == "is required" {
			fault = ""
		}
		if fault == "" && e.key != "" && seen[e.key] {
			at, fault = ".key", "another entry has this key"
		}
		name := k.word(text)
		e.rank = k.find(there, taken, e.key, name)
		if e.rank < 0 && fault == "" && e.key == "" {
			at, fault = k.owned(there, name)
		}
		if fault != "" {
			f.say(e.path+at, fault)
			continue
		}
		if e.rank >= 0 {
			e.there, taken[e.rank] = &there[e.rank], true
		}
		seen[e.key] = true
		e.given, _ = overlay(without(e.before(k.kind), k.silent), text) // both are objects
		list = append(list, e)
	}
	k.places(list, there)
	return list
}

// places gives each entry its place within its group.
func (k named[T]) places(list []entry[T], there []T) {
	if k.group == nil {
		return
	}
	groups, of := map[string][]entry[T]{}, map[string][]T{}
	for i := range there {
		name := k.group(&there[i])
		of[name] = append(of[name], there[i])
	}
	for _, e := range list {
		name := k.within(e.given)
		groups[name] = append(groups[name], e)
	}
	for name, group := range groups {
		k.order(group, of[name])
		for _, e := range group {
			list[slices.IndexFunc(list, func(o entry[T]) bool { return o.index == e.index })].place = e.place
		}
	}
}

// find gives the place of what an entry is about among what is there, or -1.
func (k named[T]) find(there []T, taken map[int]bool, key, name string) int {
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

// owned finds fault with an entry without a key whose name belongs to something that has one.
func (k named[T]) owned(there []T, name string) (at, fault string) {
	for i := range there {
		if key := k.key(&there[i]); key != "" && k.name(&there[i]) == name {
			return ".key", "is required: a " + k.noun + " of this name has the key " + key
		}
	}
	return "", ""
}

// known is what people call the thing of an entry.
func (e *entry[T]) known(name string) string {
	if e.key != "" {
		return e.key
	}
	return name
}

// without gives the object without some of its members.
func without(object json.RawMessage, names []string) json.RawMessage {
	m, err := membersOf(object)
	if err != nil {
		return object
	}
	for _, name := range names {
		delete(m, name)
	}
	return encoded(m)
}
