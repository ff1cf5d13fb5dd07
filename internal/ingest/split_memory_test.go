package ingest

import (
	"runtime"
	"strings"
	"testing"
)

// A text is cut as it is read: what is held meanwhile does not grow with it.
func TestCuttingHoldsLittle(t *testing.T) {
	for name, line := range map[string]string{"bare headings": "# a\n", "tiny sections": "# a\nb\n", "items": "- a\n", "sentences": "A. ", "one word": "a"} {
		text := strings.Repeat(line, (8<<20)/len(line))
		before, most, n := heapLive(), int64(0), 0
		for range EachPiece(text) {
			if n++; n%2000 == 0 {
				most = max(most, heapLive()-before)
			}
		}
		if runtime.KeepAlive(text); n < 2000 || most > 1<<20 {
			t.Errorf("%s: %d bytes are held while %d pieces are cut", name, most, n)
		}
	}
}

func heapLive() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
