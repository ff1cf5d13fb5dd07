package manifest

import (
	"cmp"

	"parley/internal/httpapi"
)

// plannedRow is a thing as it will be, with its entry. A thing without an entry may change because of those of others.
type plannedRow[T any] struct {
	entry[T]
	row          T
	wantsDefault httpapi.Opt[bool] // what the entry says of being the default
	hasEntry     bool
	isRemoved    bool
}

// faultPath names the member of the entry that is wrong, or the section where there is no entry.
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
