package model

import (
	"strings"
	"testing"
)

// BenchmarkMarks is what a hostile model's markers cost: its bytes per second should not depend on the size of the text.
func BenchmarkMarks(b *testing.B) {
	for _, size := range []int{maxTextBytes / 16, maxTextBytes} {
		for _, unit := range []string{"a[1]", "[1]", "[", "a. [1] ", "`[1]", "  [1][2]  ", ".)[2]", "\n[1]"} {
			b.Run(strings.TrimSpace(unit), func(b *testing.B) {
				piece := []byte(strings.Repeat(unit, 1024/len(unit)))
				b.SetBytes(int64(size))
				for b.Loop() {
					m := markerFilter{passages: make([]Passage, 3)}
					for range size / len(piece) {
						m.feed(piece)
					}
					m.finish(nil)
				}
			})
		}
	}
}
