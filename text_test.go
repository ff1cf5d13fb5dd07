package parley_test

import (
	"testing"

	"parley"
)

func TestClipText(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""},
		{"", 3, ""},
		{"abc", 0, ""},
		{"abc", 2, "ab"},
		{"abc", 3, "abc"},
		{"abc", 4, "abc"},
		{"äöü€", 3, "äöü"},
	} {
		if got := parley.ClipText(c.text, c.n); got != c.want {
			t.Errorf("ClipText(%q, %d) is %q, want %q", c.text, c.n, got, c.want)
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
