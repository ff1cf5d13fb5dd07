package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The decoder accepts exactly what encoding/json accepts of objects, and no order of events makes it panic or lose its bounds.
func FuzzBlocks(f *testing.F) {
	files, err := filepath.Glob("testdata/anthropic*")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("data: {\"type\":\"content_block_start\",\"index\":-7,\"content_block\":{\"type\":\"tool_use\",\"input\":[]}}\n\ndata: {\"type\":3}\n")
	f.Fuzz(func(t *testing.T, stream string) {
		var b anthropicDecoder
		for line := range strings.SplitSeq(stream, "\n") {
			data := strings.TrimPrefix(line, "data:")
			var d streamDelta
			ok := b.decode(&d, []byte(data))
			valid := json.Valid([]byte(data)) && strings.HasPrefix(strings.TrimLeft(data, " \t\r\n"), "{")
			if ok && !valid || !ok && valid && strings.Count(data, "[")+strings.Count(data, "{") < maxDepth {
				t.Fatalf("accepts %v: %q", ok, data)
			}
		}
		l := newLineReader(strings.NewReader(stream))
		defer l.release()
		a := newAnthropicReader(Request{})
		for end := error(nil); end == nil && !a.isDone; {
			end = l.fill()
			if a.consume(l, end) != nil {
				return
			}
			a.flush(func(Chunk, error) bool { return true })
		}
		if chunks, err := a.finalChunks(); err == nil && chunks[len(chunks)-1].Finish == nil {
			t.Fatalf("no finish: %+v", chunks)
		}
	})
}
