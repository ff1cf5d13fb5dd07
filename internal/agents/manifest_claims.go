package agents

import "slices"

// claims settles which of several things is the default.
type claims[T any] struct {
	of   func(*T) bool // whether the thing may be this default
	flag func(*T) *bool
	noun string
}

// settle makes the thing whose entry says so the default, in place of the one that is. Exactly one is.
func (c claims[T]) settle(f faults, all []planned[T]) {
	now, next := -1, -1
	for i := range all {
		p := &all[i]
		if !c.of(&p.row) {
			continue
		}
		if *c.flag(&p.row) {
			now = i
		}
		switch {
		case !p.claim.Set || !p.claim.Value:
		case next >= 0:
			f.say(p.path+".default", "another entry is the default "+c.noun)
		default:
			next = i
		}
	}
	if next < 0 {
		if now >= 0 && all[now].claim.Set {
			f.say(all[now].path+".default", "one must be the default "+c.noun+"; say so of another one")
		}
		return
	}
	if now >= 0 {
		*c.flag(&all[now].row) = false
	}
	*c.flag(&all[next].row) = true
}

// at names the member of the entry that is at fault, or the section where no entry is about it.
func (p *planned[T]) at(section, member string) string {
	if p.managed {
		return p.path + "." + member
	}
	return section
}

// rest gives what is there and has no entry, as it is.
func rest[T any](k kind[T], list []entry[T], there []T) (all []planned[T]) {
	for i := range there {
		if !slices.ContainsFunc(list, func(e entry[T]) bool { return e.rank == i }) {
			e := entry[T]{rank: i, there: &there[i], key: k.key(&there[i])}
			if k.place != nil {
				e.place = k.place(e.there)
			}
			all = append(all, planned[T]{entry: e, row: there[i]})
		}
	}
	return all
}

// changedRows notes what differs from what is there, and gives it.
func changedRows[T any](t *target, k kind[T], all []planned[T], name func(*T) string) (rows []T) {
	for i := range all {
		p := &all[i]
		e := p.entry
		e.key = e.known(name(&p.row))
		if k.compare(t, e, k.show(&p.row), nil) {
			rows = append(rows, p.row)
		}
	}
	return rows
}
