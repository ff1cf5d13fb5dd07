package extract_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract"
)

// Files, each with its owner and its size, wait for two slots; the first two are being read when the others arrive.
func TestOwnersTakeTurns(t *testing.T) {
	for name, c := range map[string]struct{ input, want string }{
		"another's small file is next": {"a9 a9 a9 a9 a9 a9 b1", "a9 a9 b1 a9 a9 a9 a9"},
		"owners in turn":               {"a9 a9 a8 a8 b7 b7 c6 c6", "a9 a9 b7 c6 a8 b7 c6 a8"},
		"small before large":           {"a9 b9 a7 a1 a3", "a9 b9 a1 a3 a7"},
		"a large one's turn comes":     {"a1 a1 a7 a1 a1 a1 a1 a1 a1", "a1 a1 a1 a1 a1 a7 a1 a1 a1"},
	} {
		if got := strings.Join(extract.ReadOrder(2, strings.Fields(c.input)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
