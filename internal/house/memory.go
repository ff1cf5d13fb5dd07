package house

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"
)

const (
	look        = time.Second
	calmFor     = 10       // looks
	calm        = 8 << 20  // bytes allocated in that time: hardly anything happens
	worthIt     = 16 << 20 // bytes allocated since memory was last given back
	busy        = 8 << 20  // bytes allocated between two looks
	lavish      = 200      // GOGC at work: tens of megabytes more for a twentieth of the processor
	allocations = "/gc/heap/allocs:bytes"
)

// Settle gives back to the system what the program has touched and does not need now: after its start, and after a burst.
func Settle() {
	debug.FreeOSMemory()
	unmap()
}

// Thrifty is GOGC while hardly anything happens, and while a program starts: a heap that nobody needs stays small.
const Thrifty = 50

func (h *House) collect(percent int) {
	if h.cfg.Collect != nil {
		h.cfg.Collect(percent)
	}
}

// keepHouse has the collector take its time while there is work, and hands memory back to the system when a burst is over: the
// collector itself comes by only after minutes when nothing is allocated, and thousands of streams may lie idle meanwhile.
func (h *House) keepHouse(ctx context.Context) error {
	every := time.NewTicker(look)
	defer every.Stop()
	given := allocated()
	seen := slices.Repeat([]uint64{given}, calmFor) // at the last looks
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			return nil
		}
		now := allocated()
		switch {
		case now-seen[calmFor-1] > busy:
			h.collect(lavish)
		case now-seen[0] < calm && now-given > worthIt:
			h.collect(Thrifty)
			Settle()
			given = now
		}
		seen = append(seen[1:], now)
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: allocations}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
