package retrieval

import (
	"runtime"
	"strings"
	"testing"

	"parley"
)

// What the index counts must be what the runtime counts, or a budget of memory means nothing.
func TestBytesAreHonest(t *testing.T) {
	for _, n := range []int{500, 4000} {
		all := prose(n, 9)
		for i := range all {
			all[i].Ordinal = 1
		}
		before := heapNow()
		x := NewIndex()
		for i := range all {
			x.Put(copied(all[i]))
		}
		held, counted := heapNow()-before, x.Bytes()
		runtime.KeepAlive(all)
		if ratio := float64(counted) / float64(held); ratio < 0.75 || ratio > 1.25 {
			t.Errorf("%d passages: %d bytes counted, %d held: %.2f", n, counted, held, ratio)
		}
	}
}

// copied gives the passage texts of its own, as one read from a database has.
func copied(p parley.Passage) parley.Passage {
	p.ID, p.Text = parley.PassageID(strings.Clone(string(p.ID))), strings.Clone(p.Text)
	p.SourceID, p.Heading = parley.SourceID(strings.Clone(string(p.SourceID))), strings.Clone(p.Heading)
	return p
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
