package archive

import (
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/store"
)

// idMap finds the ids that rows have in the installation that they are imported into.
type idMap struct {
	salt  []byte // of new ids; nil where all keep theirs
	users map[string]string
}

// of returns the id that takes the place of another. Users may be known to the installation already.
func (m *idMap) of(id string) string {
	if user, ok := m.users[id]; ok {
		return user
	}
	if m.salt == nil || id == "" {
		return id
	}
	return parley.DeriveID(m.salt, id)
}

// ofMessage is of for the id of a message. One that another service has given has no form that its new one could have.
func (m *idMap) ofMessage(id string) string {
	replaced := m.of(id)
	if replaced == id || strings.HasPrefix(replaced, "msg_") {
		return replaced
	}
	return "msg_" + replaced
}

// ofWho is of where there may be a word instead.
func (m *idMap) ofWho(text string) string {
	if !parley.IsUUID(text) {
		return text
	}
	return m.of(text)
}

// ofAgent is of where there may be another text than the id of an agent.
func (m *idMap) ofAgent(text string) string {
	if !parley.IsID(text) {
		return text
	}
	return m.of(text)
}

// apply replaces the ids in a row.
func (m *idMap) apply(t *store.ArchiveTable, row []any) error {
	if m.salt == nil {
		return nil
	}
	for i, c := range t.Columns {
		text, ok := row[i].(string)
		if !ok {
			continue
		}
		if len(c.IDPaths) == 0 {
			row[i] = m.inColumn(c, text)
			continue
		}
		replaced, err := m.inJSON(text, c.IDPaths)
		if err != nil {
			return err
		}
		row[i] = replaced
	}
	return nil
}

// inColumn returns what takes the place of the text in a column: another id where it is one.
func (m *idMap) inColumn(c store.ArchiveColumn, text string) string {
	switch {
	case c.Kind == store.ArchiveID || c.Kind == store.ArchiveID0:
		return m.of(text)
	case c.Kind == store.ArchiveMessage || c.Kind == store.ArchiveMessage0:
		return m.ofMessage(text)
	case c.Kind == store.ArchiveWho:
		return m.ofWho(text)
	case c.Kind == store.ArchiveAgent:
		return store.RecordingDaysPrefix + m.of(strings.TrimPrefix(text, store.RecordingDaysPrefix))
	}
	return text
}

// inJSON replaces the ids at places of a JSON text. Everything else in it stays as it is written.
func (m *idMap) inJSON(text string, paths []string) (string, error) {
	raw := json.RawMessage(text)
	for _, path := range paths {
		var err error
		replace := m.ofWho
		if path == "agentId" {
			replace = m.ofAgent
		}
		if raw, err = at(raw, strings.Split(path, "."), replace); err != nil {
			return "", err
		}
	}
	return string(raw), nil
}

// at replaces the ids at a place below a JSON value; * means each item of an array. Where the place is not there,
// nothing is replaced.
func at(raw json.RawMessage, path []string, replace func(id string) string) (json.RawMessage, error) {
	if len(path) == 0 {
		var id string
		if !isRead(raw, &id) {
			return raw, nil
		}
		if replaced := replace(id); replaced != id {
			return json.Marshal(replaced)
		}
		return raw, nil
	}
	if path[0] == "*" {
		return inItems(raw, path[1:], replace)
	}
	return inMember(raw, path, replace)
}

// isRead reads a JSON value, and reports whether it has that form.
func isRead(raw json.RawMessage, into any) bool { return json.Unmarshal(raw, into) == nil }

func inItems(raw json.RawMessage, path []string, replace func(id string) string) (json.RawMessage, error) {
	var items []json.RawMessage
	if !isRead(raw, &items) || len(items) == 0 {
		return raw, nil
	}
	var out strings.Builder
	for i, item := range items {
		replaced, err := at(item, path, replace)
		if err != nil {
			return nil, err
		}
		out.WriteString(map[bool]string{true: "[", false: ","}[i == 0])
		out.Write(replaced)
	}
	out.WriteString("]")
	return json.RawMessage(out.String()), nil
}

// inMember replaces the value of one member. The others keep their order, for the text is not written again.
func inMember(raw json.RawMessage, path []string, replace func(id string) string) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if !isRead(raw, &members) {
		return raw, nil
	}
	value, ok := members[path[0]]
	if !ok {
		return raw, nil
	}
	replaced, err := at(value, path[1:], replace)
	if err != nil || string(replaced) == string(value) {
		return raw, err
	}
	name, err := json.Marshal(path[0])
	if err != nil {
		return nil, err
	}
	before, after := string(name)+":"+string(value), string(name)+":"+string(replaced)
	return json.RawMessage(strings.Replace(string(raw), before, after, 1)), nil
}
