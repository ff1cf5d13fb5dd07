package agents

import (
	"encoding/json"
	"regexp"
)

// keyForm is the form of every key in a manifest; the tag of ManifestName repeats it.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// kind is what actions and procedures differ in.
type kind[T any] struct {
	part  string // of a Change
	key   func(*T) string
	place func(*T) int
	show  func(*T) json.RawMessage // as manifests write it
}

// entry is one object of a section, beside the one of the same key that is there.
type entry[T any] struct {
	path  string
	index int // in the section
	key   string
	rank  int             // of what is there among all that are, or -1
	there *T              // nil when it is new
	given json.RawMessage // what is there, with what the manifest says laid over it
	place int             // its position from now on
}

// keyOf reads the key; what else an entry holds is judged with what it is laid over.
func keyOf(text json.RawMessage) (key, at, fault string) {
	m, err := membersOf(text)
	if err != nil || string(text) == "null" {
		return "", "", "must be an object"
	}
	if m["key"] == nil {
		return "", ".key", "is required"
	}
	if json.Unmarshal(m["key"], &key) != nil || !keyForm.MatchString(key) {
		return "", ".key", "must be text that matches " + keyForm.String()
	}
	return key, "", ""
}
