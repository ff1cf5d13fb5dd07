package manifest

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"parley"
	"parley/internal/httpapi"
)

// kind describes how manifests hold things of one type, and how they recognize those that exist.
type kind[T any] struct {
	noun   string // of a Change, and for people
	key    func(*T) string
	encode func(*T) json.RawMessage // as manifests write it

	id       func(*T) string // nil if entries cannot name an id
	name     func(*T) string // recognizes what has no key; nil if every entry needs a key
	position func(*T) int    // nil if there is no order
	group    func(*T) string // positions are counted within a group; nil is one group
	blocked  func(*T) string // why a manifest cannot change the thing, or nothing; may be nil

	entryName  func(json.RawMessage) string // the name that an entry has
	entryGroup func(json.RawMessage) string // the group that an entry belongs to
	resetting  []string                     // members that do not stay as they are when an entry does not mention them
}

// entry is one object of a section, with the thing that it is about.
type entry[T any] struct {
	path          string
	index         int // in the section
	text          json.RawMessage
	key, id, name string // what the entry is recognized by

	existing      *T              // nil if the thing is new
	existingIndex int             // among all that exist
	merged        json.RawMessage // what exists, with the entry laid over it
	position      int             // from now on
}

// unlistedRow is something that exists and that no entry is about.
type unlistedRow[T any] struct {
	row       *T
	isRemoved bool // pruning removes it
}

// comparison is what a section lists, compared with what exists.
type comparison[T any] struct {
	entries  []entry[T] // without those that have faults, in the order of the manifest
	unlisted []unlistedRow[T]
}

// reconcileSection reads the keys of a section's entries and compares them with what exists. Where the manifest is to
// prune, what has a key that the section does not list is removed; a section that is absent removes nothing.
func reconcileSection[T any](
	f faults, k kind[T], path string, section httpapi.Opt[[]json.RawMessage], existing []T, prune bool,
) comparison[T] {
	return reconcile(f, k, readEntries(f, k, path, section.Value), existing, prune && section.Present)
}

// reconcile finds for each entry the thing that it is about: the one of its id, else of its key, else one without a key
// that has its name, which then gets the entry's key. An entry without such a thing creates one.
func reconcile[T any](f faults, k kind[T], listed []entry[T], existing []T, prune bool) comparison[T] {
	m := newMatcher(k, existing)
	mentioned := map[string]bool{} // keys and ids, also of entries with faults
	var c comparison[T]
	for _, e := range listed {
		mentioned["key "+e.key], mentioned["id "+e.id] = true, true
		i, member, reason := m.match(&e)
		if reason != "" {
			f.add(e.path+member, reason)
			continue
		}
		m.keys[e.key] = true
		if e.existingIndex = i; i >= 0 {
			m.matched[i] = true
			e.existing = &existing[i]
		}
		if e.text != nil {
			e.merged, _ = mergeObjects(withoutMembers(k.existingJSON(&e), k.resetting), e.text) // both are objects
		}
		c.entries = append(c.entries, e)
	}
	k.assignPositions(c.entries, existing)
	for i := range existing {
		if m.matched[i] {
			continue
		}
		row := &existing[i]
		key := k.key(row)
		isMentioned := mentioned["key "+key] || k.id != nil && mentioned["id "+k.id(row)]
		c.unlisted = append(c.unlisted, unlistedRow[T]{row, prune && key != "" && !isMentioned})
	}
	return c
}

// readEntries reads the keys of a section's objects; what else they hold is checked when they are merged.
func readEntries[T any](f faults, k kind[T], path string, section []json.RawMessage) []entry[T] {
	var list []entry[T]
	for i, text := range section {
		e := entry[T]{path: path + "." + strconv.Itoa(i), index: i, text: text}
		var member, reason string
		if e.key, member, reason = parseKey(text); reason != "" {
			f.add(e.path+member, reason)
			continue
		}
		if k.entryName != nil {
			e.name = k.entryName(text)
		}
		list = append(list, e)
	}
	return list
}

// parseKey returns the key of an entry, or which of its members is wrong and why. An entry may have none.
func parseKey(text json.RawMessage) (key, member, reason string) {
	m, err := parseObject(text)
	switch {
	case err != nil || string(text) == "null":
		return "", "", "must be an object"
	case m["key"] == nil:
		return "", "", ""
	case json.Unmarshal(m["key"], &key) != nil || !parley.IsKey(key):
		return "", ".key", "must be text that matches " + parley.KeyPattern
	}
	return key, "", ""
}

type matcher[T any] struct {
	kind[T]
	existing    []T
	byKey, byID map[string]int
	matched     map[int]bool    // of existing
	keys        map[string]bool // of the entries before
}

func newMatcher[T any](k kind[T], existing []T) *matcher[T] {
	m := &matcher[T]{
		kind: k, existing: existing,
		byKey: map[string]int{}, byID: map[string]int{}, matched: map[int]bool{}, keys: map[string]bool{},
	}
	for i := range existing {
		if key := k.key(&existing[i]); key != "" {
			m.byKey[key] = i
		}
		if k.id != nil {
			m.byID[k.id(&existing[i])] = i
		}
	}
	return m
}

// match returns the index of the thing that an entry is about, -1 for a new one, or which member of the entry is wrong
// and why.
func (m *matcher[T]) match(e *entry[T]) (i int, member, reason string) {
	switch {
	case e.key == "" && e.id == "" && m.name == nil:
		return -1, ".key", "is required"
	case e.key != "" && m.keys[e.key]:
		return -1, ".key", "another entry has this key"
	}
	keyIndex, hasKey := m.byKey[e.key]
	idIndex, hasID := m.byID[e.id]
	switch {
	case e.id != "" && !hasID:
		return -1, ".id", "the agent has no such " + m.noun + "; a key in its place makes one"
	case e.id != "":
		i = idIndex
	case hasKey:
		i = keyIndex
	default:
		if i = m.findByName(e.name); i < 0 {
			member, reason = m.checkMissingKey(e)
			return -1, member, reason
		}
	}
	switch {
	case m.matched[i]:
		return -1, ".id", "another entry is about this " + m.noun
	case hasKey && keyIndex != i:
		return -1, ".key", "is the key of another " + m.noun
	case m.blocked != nil:
		reason = m.blocked(&m.existing[i])
	}
	return i, "", reason
}

// findByName returns the index of the first thing of that name that has no key and that no entry is about, or -1.
func (m *matcher[T]) findByName(name string) int {
	if m.name == nil || name == "" {
		return -1
	}
	for i := range m.existing {
		if t := &m.existing[i]; m.key(t) == "" && !m.matched[i] && m.name(t) == name {
			return i
		}
	}
	return -1
}

// checkMissingKey refuses an entry without a key whose name belongs to something that has one.
func (m *matcher[T]) checkMissingKey(e *entry[T]) (member, reason string) {
	if e.key != "" {
		return "", ""
	}
	for i := range m.existing {
		if key := m.key(&m.existing[i]); key != "" && m.name(&m.existing[i]) == e.name {
			return ".key", "is required: a " + m.noun + " of this name has the key " + key
		}
	}
	return "", ""
}

// assignPositions sets the positions of the entries, within each group.
func (k kind[T]) assignPositions(list []entry[T], existing []T) {
	if k.position == nil {
		return
	}
	if k.group == nil {
		k.group, k.entryGroup = func(*T) string { return "" }, func(json.RawMessage) string { return "" }
	}
	groups, next := map[string][]*entry[T]{}, map[string]int{}
	for i := range existing {
		name := k.group(&existing[i])
		next[name] = max(next[name], k.position(&existing[i])+1)
	}
	for i := range list {
		name := k.entryGroup(list[i].merged)
		groups[name] = append(groups[name], &list[i])
	}
	for name, group := range groups {
		k.assignGroupPositions(group, next[name])
	}
}

// assignGroupPositions leaves what exists at its position while the manifest keeps the order, and puts new entries
// last; otherwise it renumbers all.
func (k kind[T]) assignGroupPositions(group []*entry[T], next int) {
	last, inOrder, hasNew := -1, true, false
	for _, e := range group {
		if e.existing == nil {
			hasNew, e.position = true, next
			next++
			continue
		}
		inOrder = inOrder && !hasNew && e.existingIndex > last
		last, e.position = e.existingIndex, k.position(e.existing)
	}
	if inOrder {
		return
	}
	for i, e := range group {
		e.position = i
	}
}

// existingJSON returns the entry's thing as manifests write it, or nil for a new one.
func (k kind[T]) existingJSON(e *entry[T]) json.RawMessage {
	if e.existing == nil {
		return nil
	}
	return k.encode(e.existing)
}

// recordChange adds to the changes how an entry's thing will differ from what exists, and reports whether it will. The
// members of extra are added to the new values.
func (k kind[T]) recordChange(t *target, e *entry[T], after json.RawMessage, extra map[string]any) bool {
	if e.existing == nil {
		t.addChange("create", k.noun, e.key, nil, after)
		return true
	}
	oldParts, newParts := differences(k.existingJSON(e), after)
	if k.position != nil && e.position != k.position(e.existing) {
		oldParts, _ = mergeObjects(oldParts, jsonObject("position", k.position(e.existing)))
		newParts, _ = mergeObjects(newParts, jsonObject("position", e.position))
	}
	if len(extra) > 0 {
		oldParts, _ = mergeObjects(oldParts, nil)
		newParts, _ = mergeObjects(newParts, mustJSON(extra))
	}
	if newParts == nil {
		return false
	}
	t.addChange("update", k.noun, e.key, oldParts, newParts)
	return true
}

func (k kind[T]) recordRemoval(t *target, row *T) {
	t.addChange("delete", k.noun, k.key(row), k.encode(row), nil)
}

func withoutMembers(object json.RawMessage, names []string) json.RawMessage {
	if len(names) == 0 {
		return object
	}
	m, err := parseObject(object)
	if err != nil {
		return object
	}
	maps.DeleteFunc(m, func(name string, _ json.RawMessage) bool { return slices.Contains(names, name) })
	return mustJSON(m)
}

// plannedRow is a thing as it will be, with its entry. A thing without an entry may change because of those of others.
type plannedRow[T any] struct {
	entry[T]
	row          T
	wantsDefault httpapi.Opt[bool] // what the entry says of being the default
	hasEntry     bool
	isRemoved    bool
}

// faultPath names the member of the entry that is wrong, or the section if there is no entry.
func (p *plannedRow[T]) faultPath(section, member string) string {
	if p.hasEntry {
		return p.path + "." + member
	}
	return section
}

// unlistedRows returns what exists and has no entry, as it is.
func (k kind[T]) unlistedRows(c comparison[T]) (rows []plannedRow[T]) {
	for _, u := range c.unlisted {
		e := entry[T]{existing: u.row, key: k.key(u.row)}
		if k.position != nil {
			e.position = k.position(u.row)
		}
		rows = append(rows, plannedRow[T]{entry: e, row: *u.row, isRemoved: u.isRemoved})
	}
	return rows
}

// changedRows records what differs from what exists, and returns it.
func (k kind[T]) changedRows(t *target, all []plannedRow[T], name func(*T) string) (rows []T) {
	for i := range all {
		p := &all[i]
		e := p.entry
		e.key = cmp.Or(e.key, name(&p.row))
		if k.recordChange(t, &e, k.encode(&p.row), nil) {
			rows = append(rows, p.row)
		}
	}
	return rows
}

// defaultChoice decides which of several things is the default one.
type defaultChoice[T any] struct {
	appliesTo func(*T) bool // whether the thing may be this default
	isDefault func(*T) *bool
	noun      string
}

// choose makes the thing whose entry asks for it the default, in place of the one that is. Exactly one is.
func (c defaultChoice[T]) choose(f faults, all []plannedRow[T]) {
	now, next := -1, -1
	for i := range all {
		p := &all[i]
		if !c.appliesTo(&p.row) {
			continue
		}
		if *c.isDefault(&p.row) {
			now = i
		}
		switch {
		case !p.wantsDefault.Present || !p.wantsDefault.Value:
		case next >= 0:
			f.add(p.path+".default", "another entry is the default "+c.noun)
		default:
			next = i
		}
	}
	if next < 0 {
		if now >= 0 && all[now].wantsDefault.Present {
			f.add(all[now].path+".default", "one must be the default "+c.noun+"; say so of another one")
		}
		return
	}
	if now >= 0 {
		*c.isDefault(&all[now].row) = false
	}
	*c.isDefault(&all[next].row) = true
}
