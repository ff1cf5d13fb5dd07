package person

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

// marks are the texts by which what was sent or answered is known to be of a person, in lower case.
type marks struct {
	words []string        // as JSON has them: a short id of a user must not be found within other words
	ids   map[string]bool // UUIDs of conversations and visitors
}

// newMarks returns the mark of whoever was named, of whom nothing else may be left. A user's id alone may be any word.
func newMarks(w Who) *marks {
	m := &marks{ids: map[string]bool{}}
	for _, email := range w.keys().Emails {
		m.addWord(email)
	}
	return m
}

// add adds the marks of what an agent holds.
func (m *marks) add(d *store.PersonData) {
	for _, word := range slices.Concat(d.Keys.Emails, d.Keys.Users) {
		m.addWord(word)
	}
	for _, id := range d.Conversations {
		m.addID(string(id))
	}
	for _, v := range d.Visitors {
		m.addID(string(v.ID))
	}
}

func (m *marks) addWord(word string) { m.words = append(m.words, `"`+strings.ToLower(word)+`"`) }

func (m *marks) addID(id string) {
	if id = strings.ToLower(id); parley.IsUUID(id) {
		m.ids[id] = true
		return
	}
	m.words = append(m.words, id)
}

const (
	uuidBytes      = 36
	uuidFirstGroup = 8 // bytes before its first hyphen
)

// areIn reports whether a text has one of the marks. However many conversations there are, it looks at the text once.
func (m *marks) areIn(text string) bool {
	text = strings.ToLower(text)
	for i := 0; i+uuidBytes <= len(text); i++ {
		if text[i+uuidFirstGroup] == '-' && m.ids[text[i:i+uuidBytes]] {
			return true
		}
	}
	return slices.ContainsFunc(m.words, func(word string) bool { return strings.Contains(text, word) })
}
