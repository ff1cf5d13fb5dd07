//go:build unix

package stream

import (
	"slices"
	"testing"

	"parley/internal/testkit/hostile"
)

// inPieces passes a text on a few bytes at a time, as providers do.
func inPieces(text string, each func(piece []byte)) {
	for piece := range slices.Chunk([]byte(text), 5) {
		each(piece)
	}
}

// The time to read an answer is linear in its size.
func TestWorkOfReading(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"thought": func(text string) { filterThought(text); filterThought("<think>" + text) },
		"repair": func(text string) {
			var r utf8Repairer
			inPieces(text, func(piece []byte) { r.appendValid(nil, piece) })
		},
	})
}

func filterThought(text string) {
	var f thoughtFilter
	inPieces(text, func(piece []byte) { f.strip(piece) })
	f.flush()
}

// Endless white space before an answer is held back, and read only once.
func TestWorkOfSpaceBeforeAnswer(t *testing.T) {
	hostile.RequireLinear(t, 256<<10, hostile.Made("spaces", "", " ", ""), filterThought)
	var f thoughtFilter
	for _, piece := range []string{" ", "\n ", "<th", "ink>so</think>", " \n", "Yes"} {
		if got := string(f.strip([]byte(piece))); got != "" && got != "Yes" {
			t.Errorf("%q of a thought is passed on", got)
		}
	}
}

func FuzzReadingWork(f *testing.F) {
	for _, s := range []string{"<think>", "{\"a\":", " \n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) { hostile.RequireBounded(t, unit, filterThought) })
}
