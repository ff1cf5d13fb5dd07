//go:build unix

package anthropic

import (
	"testing"

	"parley/internal/model/stream"
	"parley/internal/testkit/hostile"
)

// The time to read the response of a provider is linear in its size.
func TestWorkOfReading(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"events": func(text string) { new(decoder).decode(&stream.Delta{}, []byte(text)) },
	})
}
