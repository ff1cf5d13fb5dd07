//go:build unix

package voice

import (
	"strings"
	"testing"

	"parley/internal/testkit/hostile"
)

// The time to split an answer into pieces, and to determine how they are spoken, is linear in its size.
func TestWork(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"pieces": allPieces,
		"aloud":  func(text string) { speakableText(text) },
		"heard":  func(text string) { heardBytes(text, 0.5) },
	})
}

func allPieces(text string) {
	for from := 0; from < len(text); {
		end, _ := nextPieceEnd(text, from, true)
		from = end
	}
}

// The search for the end of a piece does not scan all the text behind it.
func TestWorkOfOnePiece(t *testing.T) {
	for _, unit := range []string{"We open at 9:00. ", "and so on ", "a", "a, ", "\n```\na", "one\n\n"} {
		hostile.RequireLinear(t, hostile.Size(16<<10), hostile.Made(unit, "", unit, ""), allPieces)
	}
	long := "First. " + strings.Repeat("And so on ", 2000)
	if end, ok := nextPieceEnd(long, 0, false); !ok || long[:end] != "First. " {
		t.Errorf("%q %v", long[:end], ok)
	}
}
