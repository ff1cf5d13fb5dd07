package parley_test

import (
	"testing"

	"parley"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text              string
		n                 int
		characters, bytes string
	}{
		{"", 0, "", ""},
		{"", 3, "", ""},
		{"abc", 0, "", ""},
		{"abc", 2, "ab", "ab"},
		{"abc", 3, "abc", "abc"},
		{"abc", 9, "abc", "abc"},
		{"äöü", 2, "äö", "ä"},
		{"äöü", 3, "äöü", "ä"},
		{"äöü€", 3, "äöü", "ä"},
		{"🙂x", 1, "🙂", ""},
		{"🙂x", 5, "🙂x", "🙂x"},
	} {
		if got := parley.ClipText(c.text, c.n); got != c.characters {
			t.Errorf("ClipText(%q, %d) is %q, want %q", c.text, c.n, got, c.characters)
		}
		if got := parley.ClipBytes(c.text, c.n); got != c.bytes {
			t.Errorf("ClipBytes(%q, %d) is %q, want %q", c.text, c.n, got, c.bytes)
		}
	}
}

func TestEnumValues(t *testing.T) {
	if got := parley.EnumValues("priority"); len(got) != 5 || got[0] != "none" {
		t.Errorf("the priorities are %q", got)
	}
	if got := parley.EnumValues("nothing"); got != nil {
		t.Errorf("an unknown enumeration has the values %q", got)
	}
}
