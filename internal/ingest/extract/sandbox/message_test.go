package sandbox_test

import (
	"bytes"
	"testing"

	"parley/internal/ingest/extract/sandbox"
)

func FuzzMessage(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02ab\x00\x00\x00\x00\x00\x00\x00\x01c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parts, err := sandbox.ReadMessage(bytes.NewReader(data), 3)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := sandbox.WriteMessage(&again, parts...); err != nil || !bytes.HasPrefix(data, again.Bytes()) {
			t.Fatalf("%v %q %q", err, data, again.Bytes())
		}
	})
}
