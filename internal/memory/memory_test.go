package memory_test

import (
	"encoding/json"
	"testing"

	"parley/internal/memory"
)

// A program whose memory was released takes it again when it needs it.
func TestReleasedMemoryIsTakenAgain(t *testing.T) {
	for range 3 {
		memory.Release()
		text, err := json.Marshal(map[string]any{"numbers": make([]int, 1000)})
		if err != nil || len(text) == 0 {
			t.Fatalf("%s, %v", text, err)
		}
	}
}
