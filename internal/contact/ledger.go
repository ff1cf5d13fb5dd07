package contact

import "parley"

// ledger is who is who while contacts are put into the book: people as they were found, and as they will be.
type ledger struct {
	before  map[parley.PersonID]parley.Contact
	after   map[parley.PersonID]parley.Contact
	ids     map[string]parley.PersonID // by the client's id
	emails  map[string]parley.PersonID // by e-mail, of those found
	holders map[string]int             // of each e-mail, once all are taken; made when it is first asked for
	taken   map[string]bool            // the client's ids
}

func newLedger(found []parley.Contact) *ledger {
	l := &ledger{before: map[parley.PersonID]parley.Contact{}, after: map[parley.PersonID]parley.Contact{}, ids: map[string]parley.PersonID{},
		emails: map[string]parley.PersonID{}, taken: map[string]bool{}}
	for _, c := range found {
		l.before[c.ID], l.after[c.ID] = c, c
		if c.ExternalID != "" {
			l.ids[c.ExternalID] = c.ID
		}
		if c.Email != "" {
			l.emails[folded(c.Email)] = c.ID
		}
	}
	return l
}

// find gives whom a change is about: the contact with its id, else somebody known by its e-mail alone, or nil.
func (l *ledger) find(c Change) *parley.Contact {
	if id, ok := l.ids[c.ExternalID]; ok {
		known := l.before[id]
		return &known
	}
	if c.Email == nil || *c.Email == "" {
		return nil
	}
	id, ok := l.emails[folded(*c.Email)]
	if known := l.before[id]; ok && known.ExternalID == "" && l.after[id].ExternalID == "" {
		return &known
	}
	return nil
}

// take notes what a person will be, and reports whether the client's id was not taken before.
func (l *ledger) take(c parley.Contact) bool {
	fresh := !l.taken[c.ExternalID]
	l.taken[c.ExternalID] = true
	l.after[c.ID] = c
	return fresh
}

// clashes reports whether somebody else will have the e-mail too. All must have been taken.
func (l *ledger) clashes(c parley.Contact) bool {
	if l.holders == nil {
		l.holders = map[string]int{}
		for _, one := range l.after {
			if one.Email != "" {
				l.holders[folded(one.Email)]++
			}
		}
	}
	return c.Email != "" && l.holders[folded(c.Email)] > 1
}

// renamed lists those who had another e-mail, which may be somebody else's by now.
func (l *ledger) renamed() (list []parley.PersonID) {
	for id, was := range l.before {
		if was.Email != "" && folded(was.Email) != folded(l.after[id].Email) {
			list = append(list, id)
		}
	}
	return list
}
