package charset_test

import (
	"testing"

	"parley/internal/text/charset"
)

// A text is decoded by its byte order mark, as UTF-8, by its declared encoding, or by the most probable one.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ data, declared, want string }{
		{"\xef\xbb\xbfWater boils", "", "Water boils"},
		{"\xff\xfe\x12\x04>\x044\x040\x04", "", "Вода"},
		{"Wasser kocht für Tee", "iso-8859-1", "Wasser kocht für Tee"},
		{"f\xfcr", "iso-8859-1", "für"},
		{"\xf7\xcf\xc4\xc1 \xcb\xc9\xd0\xc9\xd4", "koi8-r", "Вода кипит"},
		{"\xc2\xee\xe4\xe0 \xea\xe8\xef\xe8\xf2 \xef\xf0\xe8 \xf1\xf2\xe0 \xe3\xf0\xe0\xe4\xf3\xf1\xe0\xf5", "",
			"Вода кипит при ста градусах"},
	} {
		if got := charset.Decode([]byte(c.data), c.declared); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.data, c.declared, got, c.want)
		}
	}
}
