package prose

import "testing"

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text         string
		n            int
		runes, bytes string
	}{
		{"", 0, "", ""},
		{"abc", 0, "", ""},
		{"abc", 2, "ab", "ab"},
		{"abc", 3, "abc", "abc"},
		{"abc", 9, "abc", "abc"},
		{"äöü", 2, "äö", "ä"},
		{"äöü", 3, "äöü", "ä"},
		{"🙂x", 1, "🙂", ""},
		{"🙂x", 5, "🙂x", "🙂x"},
	} {
		if got := ClipRunes(c.text, c.n); got != c.runes {
			t.Errorf("ClipRunes(%q, %d) = %q, want %q", c.text, c.n, got, c.runes)
		}
		if got := ClipBytes(c.text, c.n); got != c.bytes {
			t.Errorf("ClipBytes(%q, %d) = %q, want %q", c.text, c.n, got, c.bytes)
		}
	}
}
