package httpapi

import (
	"maps"
	"slices"
	"testing"

	"parley"
)

func TestCursors(t *testing.T) {
	c := Cursors{Key: []byte("0123456789abcdef0123456789abcdef")}
	mark := &parley.Cursor{SortValue: -1700000000000, ID: "conv-ü"}
	s := c.Seal("conversations:a1", mark)
	if got, err := c.Open("conversations:a1", *s); err != nil || *got != *mark {
		t.Fatalf("%v, %v", got, err)
	}
	if got, err := c.Open("anything", ""); got != nil || err != nil {
		t.Errorf("the first page: %v, %v", got, err)
	}
	if c.Seal("x", nil) != nil {
		t.Error("the end of a list has a cursor")
	}
	for name, open := range map[string]func() (*parley.Cursor, error){
		"another list's": func() (*parley.Cursor, error) { return c.Open("conversations:a2", *s) },
		"another key's": func() (*parley.Cursor, error) {
			return Cursors{Key: []byte("other")}.Open("conversations:a1", *s)
		},
		"cut":       func() (*parley.Cursor, error) { return c.Open("conversations:a1", (*s)[:20]) },
		"longer":    func() (*parley.Cursor, error) { return c.Open("conversations:a1", *s+"AA") },
		"no base64": func() (*parley.Cursor, error) { return c.Open("conversations:a1", "§$%") },
	} {
		if _, err := open(); !parley.IsCode(err, parley.CodeInvalidCursor) {
			t.Errorf("%s cursor: %v", name, err)
		}
	}
	for i := range *s {
		b := []byte(*s)
		b[i] ^= 1
		if _, err := c.Open("conversations:a1", string(b)); err == nil {
			t.Errorf("a cursor changed at %d was accepted", i)
		}
	}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
