package house

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	calmFor     = 10 * time.Second
	calm        = 8 << 20  // bytes allocated in that time: hardly anything happens
	worthIt     = 32 << 20 // bytes allocated since memory was last given back
	allocations = "/gc/heap/allocs:bytes"
)

// Settle gives back to the system what starting the program has touched and does not need again. Call it once, before serving.
func Settle() {
	debug.FreeOSMemory()
	unmap()
}

// giveBack hands memory back to the system when a burst is over: the collector itself comes by only after minutes when
// nothing is allocated, and thousands of streams may lie idle meanwhile.
func giveBack(ctx context.Context) error {
	look := time.NewTicker(calmFor)
	defer look.Stop()
	last := allocated()
	given := last
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil
		}
		now := allocated()
		if now-last < calm && now-given > worthIt {
			debug.FreeOSMemory()
			given = now
		}
		last = now
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: allocations}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
