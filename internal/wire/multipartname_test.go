package wire

import "testing"

func TestLegible(t *testing.T) {
	if len(windows) != 0x20 {
		t.Fatal(len(windows))
	}
	for _, c := range []struct{ raw, want string }{
		{"plain.txt", "plain.txt"}, {"Über – €.txt", "Über – €.txt"}, {"\xdcber \x96 \x80.txt", "Über – €.txt"}, {"\x93odd\x94 \x9f\xff", "“odd” Ÿÿ"},
	} {
		if got := legible(c.raw); got != c.want {
			t.Errorf("%q: %q, want %q", c.raw, got, c.want)
		}
	}
}
