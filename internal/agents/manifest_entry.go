package agents

import (
	"encoding/json"
	"regexp"
)

// keyPattern is the form of every key in a manifest; the tag of ManifestName repeats it.
var keyPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// entryKind is what actions and procedures differ in.
type entryKind[T any] struct {
	part     string // of a Change
	key      func(*T) string
	position func(*T) int
	encode   func(*T) json.RawMessage // as manifests write it
}

// entry is one object of a section, beside the one of the same key that is there.
type entry[T any] struct {
	path         string
	index        int // in the section
	key          string
	currentIndex int             // of what is there among all that are, or -1
	current      *T              // nil when it is new
	merged       json.RawMessage // what is there, with what the manifest says laid over it
	position     int             // its position from now on
}

// parseKey reads the key; what else an entry holds is judged with what it is laid over.
func parseKey(text json.RawMessage) (key, at, fault string) {
	m, err := parseObject(text)
	if err != nil || string(text) == "null" {
		return "", "", "must be an object"
	}
	if m["key"] == nil {
		return "", ".key", "is required"
	}
	if json.Unmarshal(m["key"], &key) != nil || !keyPattern.MatchString(key) {
		return "", ".key", "must be text that matches " + keyPattern.String()
	}
	return key, "", ""
}
