//go:build unix

package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/model/stream"
	"parley/internal/testkit/hostile"
)

// The time to read the response of a provider is linear in its size.
func TestWorkOfReading(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"event": func(text string) { decodeDelta(new(stream.Delta), []byte(text)) },
		"text of events": func(text string) {
			quoted, err := json.Marshal(strings.ToValidUTF8(text, ""))
			if err != nil {
				panic(err) // encoding a text cannot fail
			}
			decodeDelta(new(stream.Delta), []byte(`{"choices":[{"delta":{"content":`+string(quoted)+`}}]}`))
		},
		"embeddings": func(text string) { _, _ = (&Embedder{}).parseResponse([]byte(`{"data":[{"embedding":`+text), 1) },
	})
}

func FuzzReadingWork(f *testing.F) {
	f.Add("{\"a\":")
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) { decodeDelta(new(stream.Delta), []byte(text)) })
	})
}
