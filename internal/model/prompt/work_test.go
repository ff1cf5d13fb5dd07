//go:build unix

package prompt

import (
	"testing"

	"parley/internal/testkit/hostile"
)

// The time to fence the text of sources is linear in its size.
func TestWorkOfFencing(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"fence": func(text string) { _ = fenceText(text) + fenceName(text) },
	})
}

func FuzzFencingWork(f *testing.F) {
	for _, s := range []string{"[1] ", "<source "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) { fenceText(text) })
	})
}
