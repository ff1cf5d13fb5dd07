package server

import (
	"encoding/json"
	"testing"
)

// A program that has unmapped its own pages maps them again as it needs them.
func TestUnmap(t *testing.T) {
	for range 3 {
		unmapUnusedPages()
		text, err := json.Marshal(map[string]any{"settings": Config{}.StorageConfig})
		if err != nil || len(text) == 0 {
			t.Fatalf("%s, %v", text, err)
		}
	}
}
