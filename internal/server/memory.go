package server

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"
)

const (
	memorySampleInterval = time.Second
	calmSamples          = 10       // samples
	maxCalmBytes         = 8 << 20  // bytes allocated in that time: hardly anything happens
	minReleaseBytes      = 16 << 20 // bytes allocated since memory was last released
	busyBytes            = 8 << 20  // bytes allocated between two samples
	busyGOGC             = 200      // GOGC at work: tens of megabytes more for a twentieth of the processor
	allocatedBytesMetric = "/gc/heap/allocs:bytes"
)

// ReleaseMemory returns memory to the system that the program has touched and does not need now: after its start, and
// after a burst.
func ReleaseMemory() {
	runtime.GC() // what pools hold is kept until the second collection
	debug.FreeOSMemory()
	unmapUnusedPages()
}

// IdleGOGC is GOGC while hardly anything happens, and while a program starts: it keeps the heap small.
const IdleGOGC = 50

func (s *Services) setGOGC(percent int) {
	if s.cfg.SetGOGC != nil {
		s.cfg.SetGOGC(percent)
	}
}

// manageMemory lets the collector run less often while there is work, and returns memory to the system when a burst is
// over: the collector itself runs only after minutes when nothing is allocated, and thousands of streams may be idle
// meanwhile.
func (s *Services) manageMemory(ctx context.Context) error {
	ticker := time.NewTicker(memorySampleInterval)
	defer ticker.Stop()
	releasedAt := allocatedBytes()
	samples := slices.Repeat([]uint64{releasedAt}, calmSamples) // at the last samples
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
		now := allocatedBytes()
		switch {
		case now-samples[calmSamples-1] > busyBytes:
			s.setGOGC(busyGOGC)
		case now-samples[0] < maxCalmBytes && now-releasedAt > minReleaseBytes:
			s.setGOGC(IdleGOGC)
			ReleaseMemory()
			releasedAt = now
		}
		samples = append(samples[1:], now)
	}
}

func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: allocatedBytesMetric}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
