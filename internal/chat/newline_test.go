package chat

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNewlines(t *testing.T) {
	for _, c := range []struct {
		pieces []string
		want   []string
	}{
		{[]string{"a\nb", "\n"}, []string{"a\nb", "\n"}},
		{[]string{"a\r\nb\rc", "\r\r\n"}, []string{"a\nb\nc", "\n\n"}},
		{[]string{"a\r", "\nb"}, []string{"a\n", "b"}},
		{[]string{"a\r", "\n", "b"}, []string{"a\n", "", "b"}},
		{[]string{"a\r", "b\n"}, []string{"a\n", "b\n"}},
		{[]string{"ü\u2028\xff"}, []string{"ü\u2028\uFFFD"}},
	} {
		var n newlineNormalizer
		for i, p := range c.pieces {
			if got := n.normalize(p); got != c.want[i] {
				t.Errorf("%q: piece %d is %q, want %q", c.pieces, i, got, c.want[i])
			}
		}
	}
}

// However a text is split, the result is the same, and every offset still points at its character.
func TestNewlinesOfPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString([]string{"\r", "\n", "\r\n", "x", "yz"}[random.IntN(5)])
		}
		text := b.String()
		want := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
		var n newlineNormalizer
		var got string
		for left := text; left != ""; {
			cut := 1 + random.IntN(len(left))
			got += n.normalize(left[:cut])
			left = left[cut:]
		}
		if got != want {
			t.Fatalf("%q became %q, want %q", text, got, want)
		}
		for at := range len(text) {
			if c := text[at]; c != '\n' && c != '\r' && got[n.mapOffset(at)] != c {
				t.Fatalf("%q: the place %d is now %d of %q", text, at, n.mapOffset(at), got)
			}
		}
	}
}
