package httpapi

import "testing"

func TestLegible(t *testing.T) {
	if len(windows1252) != 0x20 {
		t.Fatal(len(windows1252))
	}
	for _, c := range []struct{ raw, want string }{
		{"plain.txt", "plain.txt"}, {"Über – €.txt", "Über – €.txt"}, {"\xdcber \x96 \x80.txt", "Über – €.txt"}, {"\x93odd\x94 \x9f\xff", "“odd” Ÿÿ"},
	} {
		if got := toUTF8(c.raw); got != c.want {
			t.Errorf("%q: %q, want %q", c.raw, got, c.want)
		}
	}
}
