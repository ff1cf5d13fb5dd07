//go:build unix

package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/model/stream"
	"parley/internal/testkit/hostile"
)

// The work of reading what a provider sends grows with it, and no more than that.
func TestWorkOfReading(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"event": func(text string) { decodeDelta(new(stream.Delta), []byte(text)) },
		"text of events": func(text string) {
			quoted, err := json.Marshal(strings.ToValidUTF8(text, ""))
			if err != nil {
				panic(err) // a text always encodes
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
