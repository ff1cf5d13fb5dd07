//go:build unix

package speech

import (
	"testing"

	"parley/internal/testkit/hostile"
)

// The time to spell out a text is linear in its size.
func TestWorkOfSpellingOut(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"spelling out": func(text string) { spellOut(text, "en"); spellOut(text, "de") },
	})
}

func FuzzSpellingOutWork(f *testing.F) {
	for _, s := range []string{"$1 ", "a@b.c 3-5 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) { spellOut(text, "en") })
	})
}
