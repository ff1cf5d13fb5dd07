package agents

import "slices"

// defaultPicker settles which of several things is the default.
type defaultPicker[T any] struct {
	appliesTo func(*T) bool // whether the thing may be this default
	isDefault func(*T) *bool
	noun      string
}

// choose makes the thing whose entry says so the default, in place of the one that is. Exactly one is.
func (c defaultPicker[T]) choose(f faults, all []plannedRow[T]) {
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

// faultPath names the member of the entry that is at fault, or the section where no entry is about it.
func (p *plannedRow[T]) faultPath(section, member string) string {
	if p.hasEntry {
		return p.path + "." + member
	}
	return section
}

// unmentionedRows returns what is there and has no entry, as it is.
func unmentionedRows[T any](k entryKind[T], list []entry[T], there []T) (all []plannedRow[T]) {
	for i := range there {
		if !slices.ContainsFunc(list, func(e entry[T]) bool { return e.currentIndex == i }) {
			e := entry[T]{currentIndex: i, current: &there[i], key: k.key(&there[i])}
			if k.position != nil {
				e.position = k.position(e.current)
			}
			all = append(all, plannedRow[T]{entry: e, row: there[i]})
		}
	}
	return all
}

// changedRows notes what differs from what is there, and gives it.
func changedRows[T any](t *target, k entryKind[T], all []plannedRow[T], name func(*T) string) (rows []T) {
	for i := range all {
		p := &all[i]
		e := p.entry
		e.key = e.displayName(name(&p.row))
		if k.recordChange(t, e, k.encode(&p.row), nil) {
			rows = append(rows, p.row)
		}
	}
	return rows
}
