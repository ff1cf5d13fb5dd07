package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley"
)

// listedItem is a type to reconcile.
type listedItem struct {
	id, key, name string
	position      int
}

func itemKind(hasIDs, hasNames bool) kind[listedItem] {
	k := kind[listedItem]{
		noun:     "thing",
		key:      func(t *listedItem) string { return t.key },
		encode:   func(t *listedItem) json.RawMessage { return mustJSON(map[string]string{"key": t.key, "name": t.name}) },
		position: func(t *listedItem) int { return t.position },
		blocked: func(t *listedItem) string {
			if t.name == "locked" {
				return "is locked"
			}
			return ""
		},
	}
	if hasIDs {
		k.id = func(t *listedItem) string { return t.id }
	}
	if hasNames {
		k.name = func(t *listedItem) string { return t.name }
	}
	return k
}

// formatComparison returns "path=id@position" of each entry, then the ids of what is not listed, those that are removed
// with a minus.
func formatComparison(c comparison[listedItem]) string {
	var parts []string
	for _, e := range c.entries {
		id := "new"
		if e.existing != nil {
			id = e.existing.id
		}
		parts = append(parts, fmt.Sprintf("%s=%s@%d", e.path, id, e.position))
	}
	for _, u := range c.unlisted {
		sign := "+"
		if u.isRemoved {
			sign = "-"
		}
		parts = append(parts, sign+u.row.id)
	}
	return strings.Join(parts, " ")
}

func TestReconcile(t *testing.T) {
	existing := []listedItem{{"1", "a", "Ann", 0}, {"2", "b", "Bob", 1}, {"3", "", "Kim", 2}, {"4", "c", "locked", 3}}
	for name, c := range map[string]struct {
		hasIDs, hasNames, prune bool
		listed                  []entry[listedItem] // key, id and name
		want, faults            string
	}{
		"nothing listed":         {want: "+1 +2 +3 +4"},
		"nothing listed, pruned": {prune: true, want: "-1 -2 +3 -4"},
		"by key": {listed: []entry[listedItem]{{key: "a"}, {key: "b"}, {key: "z"}}, prune: true,
			want: "0=1@0 1=2@1 2=new@4 +3 -4"},
		"in another order": {listed: []entry[listedItem]{{key: "b"}, {key: "a"}}, want: "0=2@0 1=1@1 +3 +4"},
		"a new one in between": {listed: []entry[listedItem]{{key: "a"}, {key: "z"}, {key: "b"}},
			want: "0=1@0 1=new@1 2=2@2 +3 +4"},
		"by name, with a key": {hasNames: true, listed: []entry[listedItem]{{key: "k", name: "Kim"}}, want: "0=3@2 +1 +2 +4"},
		"by name, without a key": {hasNames: true, listed: []entry[listedItem]{{name: "Kim"}, {name: "Kim"}},
			want: "0=3@2 1=new@4 +1 +2 +4"},
		"by id": {hasIDs: true, listed: []entry[listedItem]{{id: "3"}, {id: "2", key: "b"}},
			want: "0=3@0 1=2@1 +1 +4"},
		"by id, with a new key": {hasIDs: true, listed: []entry[listedItem]{{id: "3", key: "k"}}, prune: true,
			want: "0=3@2 -1 -2 -4"},

		"no key": {listed: []entry[listedItem]{{}}, want: "+1 +2 +3 +4", faults: "0.key is required"},
		"no key of a key": {hasNames: true, listed: []entry[listedItem]{{name: "Bob"}}, want: "+1 +2 +3 +4",
			faults: "0.key is required: a thing of this name has the key b"},
		"a key twice": {listed: []entry[listedItem]{{key: "a"}, {key: "a"}}, want: "0=1@0 +2 +3 +4",
			faults: "1.key another entry has this key"},
		"an id twice": {hasIDs: true, listed: []entry[listedItem]{{key: "a"}, {id: "1"}}, want: "0=1@0 +2 +3 +4",
			faults: "1.id another entry is about this thing"},
		"another's key": {hasIDs: true, prune: true, listed: []entry[listedItem]{{id: "1", key: "b"}}, want: "+1 +2 +3 -4",
			faults: "0.key is the key of another thing"},
		"an unknown id": {hasIDs: true, listed: []entry[listedItem]{{id: "9"}}, want: "+1 +2 +3 +4",
			faults: "0.id the agent has no such thing; a key in its place makes one"},
		"a blocked thing": {listed: []entry[listedItem]{{key: "c"}, {key: "c"}}, prune: true, want: "-1 -2 +3 +4",
			faults: "0 is locked; 1 is locked"},
	} {
		f := faults{}
		for i := range c.listed {
			c.listed[i].path, c.listed[i].index = fmt.Sprint(i), i
		}
		got := formatComparison(reconcile(f, itemKind(c.hasIDs, c.hasNames), c.listed, existing, c.prune))
		reasons := ""
		if err := f.asError(); err != nil {
			reasons = errorDetails(err)
		}
		if got != c.want || reasons != c.faults {
			t.Errorf("%s: %s (%s), want %s (%s)", name, got, reasons, c.want, c.faults)
		}
	}
}

func TestEntriesAreMergedIntoExistingItems(t *testing.T) {
	f := faults{}
	k := itemKind(false, false)
	k.resetting = []string{"name"}
	section := []json.RawMessage{
		json.RawMessage(`{"key":"a","more":1}`),
		json.RawMessage(`{"key":"a b"}`),
		json.RawMessage(`[]`),
		json.RawMessage(`{"key":null}`),
	}
	c := reconcile(f, k, readEntries(f, k, "things", section), []listedItem{{"1", "a", "Ann", 0}}, false)
	if len(c.entries) != 1 || string(c.entries[0].merged) != `{"key":"a","more":1}` {
		t.Errorf("%+v", c.entries)
	}
	match := "must be text that matches " + parley.KeyPattern
	for path, want := range map[string]string{"things.1.key": match, "things.2": "must be an object",
		"things.3.key": match} {
		if f[path] != want {
			t.Errorf("%s %q, want %q", path, f[path], want)
		}
	}
}
