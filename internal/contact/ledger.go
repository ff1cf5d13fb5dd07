package contact

import "parley"

// contactIndex is who is who while contacts are put into the book: people as they were found, and as they will be.
type contactIndex struct {
	before          map[parley.PersonID]parley.Contact
	after           map[parley.PersonID]parley.Contact
	byExternalID    map[string]parley.PersonID // by the client's id
	byEmail         map[string]parley.PersonID // by e-mail, of those found
	emailCounts     map[string]int             // of each e-mail, once all are taken; made when it is first asked for
	usedExternalIDs map[string]bool            // the client's ids
}

func newContactIndex(found []parley.Contact) *contactIndex {
	l := &contactIndex{before: map[parley.PersonID]parley.Contact{}, after: map[parley.PersonID]parley.Contact{}, byExternalID: map[string]parley.PersonID{},
		byEmail: map[string]parley.PersonID{}, usedExternalIDs: map[string]bool{}}
	for _, c := range found {
		l.before[c.ID], l.after[c.ID] = c, c
		if c.ExternalID != "" {
			l.byExternalID[c.ExternalID] = c.ID
		}
		if c.Email != "" {
			l.byEmail[foldEmail(c.Email)] = c.ID
		}
	}
	return l
}

// find returns whom a change is about: the contact with its id, else somebody known by its e-mail alone, or nil.
func (l *contactIndex) find(c Change) *parley.Contact {
	if id, ok := l.byExternalID[c.ExternalID]; ok {
		known := l.before[id]
		return &known
	}
	if c.Email == nil || *c.Email == "" {
		return nil
	}
	id, ok := l.byEmail[foldEmail(*c.Email)]
	if known := l.before[id]; ok && known.ExternalID == "" && l.after[id].ExternalID == "" {
		return &known
	}
	return nil
}

// add notes what a person will be, and reports whether the client's id was not taken before.
func (l *contactIndex) add(c parley.Contact) bool {
	fresh := !l.usedExternalIDs[c.ExternalID]
	l.usedExternalIDs[c.ExternalID] = true
	l.after[c.ID] = c
	return fresh
}

// hasEmailConflict reports whether somebody else will have the e-mail too. All must have been taken.
func (l *contactIndex) hasEmailConflict(c parley.Contact) bool {
	if l.emailCounts == nil {
		l.emailCounts = map[string]int{}
		for _, one := range l.after {
			if one.Email != "" {
				l.emailCounts[foldEmail(one.Email)]++
			}
		}
	}
	return c.Email != "" && l.emailCounts[foldEmail(c.Email)] > 1
}

// withChangedEmail lists those who had another e-mail, which may be somebody else's by now.
func (l *contactIndex) withChangedEmail() (list []parley.PersonID) {
	for id, previous := range l.before {
		if previous.Email != "" && foldEmail(previous.Email) != foldEmail(l.after[id].Email) {
			list = append(list, id)
		}
	}
	return list
}
