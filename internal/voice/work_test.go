//go:build unix

package voice

import (
	"strings"
	"testing"

	"parley/internal/testkit/hostile"
)

// The work to cut an answer into pieces, and to tell what is read of them, grows with it, and no more than that.
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

// What follows a piece, be it without an end, is not looked at for it.
func TestWorkOfPieces(t *testing.T) {
	for _, unit := range []string{"We open at 9:00. ", "and so on ", "a", "a, ", "\n```\na", "one\n\n"} {
		hostile.RequireLinear(t, hostile.Size(16<<10), hostile.Made(unit, "", unit, ""), allPieces)
	}
	long := "First. " + strings.Repeat("And so on ", 2000)
	if end, ok := nextPieceEnd(long, 0, false); !ok || long[:end] != "First. " {
		t.Errorf("%q %v", long[:end], ok)
	}
}
