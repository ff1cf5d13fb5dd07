//go:build unix

package cite

import (
	"slices"
	"testing"

	"parley/internal/testkit/hostile"
)

// The time to read markers is linear in the size of the answer.
func TestWorkOfReadingMarkers(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"markers": func(text string) {
			m := NewFilter(manualPassages)
			for piece := range slices.Chunk([]byte(text), 5) {
				m.Feed(piece)
			}
			m.Finish(nil)
		},
	})
}

func FuzzReadingWork(f *testing.F) {
	for _, s := range []string{"[1] ", "(http://a.example/b) "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) { NewFilter(manualPassages).Finish([]byte(text)) })
	})
}
