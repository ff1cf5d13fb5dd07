//go:build unix

package anthropic

import (
	"testing"

	"parley/internal/model/stream"
	"parley/internal/testkit/hostile"
)

// The work of reading what a provider sends grows with it, and no more than that.
func TestWorkOfReading(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"events": func(text string) { new(decoder).decode(&stream.Delta{}, []byte(text)) },
	})
}
