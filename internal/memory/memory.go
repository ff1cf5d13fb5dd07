// Package memory keeps the memory of the program small while it rests, and lets the collector run less often at work.
package memory

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
	calmDivisor          = 2        // or this part of the live heap: what thousands of idle streams do
	minReleaseBytes      = 16 << 20 // bytes allocated since memory was last released
	releaseDivisor       = 4        // and this part of the live heap: to collect costs as much as the heap is large
	busyBytes            = 8 << 20  // bytes allocated between two samples
	busyGarbageBytes     = 24 << 20 // garbage that is let gather at work, for a twentieth of the processor
	maxBusyGOGC          = 200
	allocatedBytesMetric = "/gc/heap/allocs:bytes"
	liveBytesMetric      = "/gc/heap/live:bytes"
)

// Release returns memory to the system that the program has touched and does not need now: after its start, and
// after a burst.
func Release() {
	runtime.GC() // what pools hold is kept until the second collection
	debug.FreeOSMemory()
	unmapUnusedPages()
}

// IdleGOGC is GOGC while hardly anything happens, and while a program starts: it keeps the heap small.
const IdleGOGC = 50

// Manage sets GOGC by setGOGC, unless it is nil, until ctx ends. It lets the collector run less often while there is
// work, and returns memory to the system when a burst is over: the collector itself runs only after minutes when
// nothing is allocated, and thousands of streams may be idle meanwhile. Of 9,500 idle streams each takes 54 kB so, and
// 67 kB with IdleGOGC at all times.
func Manage(ctx context.Context, setGOGC func(percent int) (previous int)) error {
	ticker := time.NewTicker(memorySampleInterval)
	defer ticker.Stop()
	gogc := IdleGOGC
	set := func(percent int) {
		if percent != gogc && setGOGC != nil {
			gogc = percent
			setGOGC(percent)
		}
	}
	releasedAt, _ := heapBytes()
	samples := slices.Repeat([]uint64{releasedAt}, calmSamples) // at the last samples
	collections := watchCollections(ctx)
	for {
		isSample := true
		select {
		case <-ticker.C:
		case <-collections: // a burst must not collect each few megabytes until the next sample
			isSample = false
		case <-ctx.Done():
			return nil
		}
		now, live := heapBytes()
		switch {
		case now-samples[calmSamples-1] > busyBytes:
			set(busyGOGC(live))
		case !isSample:
			continue
		case now-samples[0] < max(maxCalmBytes, live/calmDivisor):
			set(IdleGOGC)
			if now-releasedAt > max(minReleaseBytes, live/releaseDivisor) {
				Release()
				releasedAt = now
			}
		}
		if isSample {
			samples = append(samples[1:], now)
		}
	}
}

// watchCollections returns a channel that receives after the collections of memory until ctx ends.
func watchCollections(ctx context.Context) <-chan struct{} {
	collected := make(chan struct{}, 1)
	var watch func(struct{})
	watch = func(struct{}) {
		select {
		case collected <- struct{}{}:
		default:
		}
		if ctx.Err() == nil {
			runtime.AddCleanup(&struct{ self *int }{}, watch, struct{}{}) // it is garbage at the next collection
		}
	}
	watch(struct{}{})
	return collected
}

// busyGOGC returns GOGC at work. With a large live heap it is that of a program at rest: what garbage leaves between
// objects that live on, such as thousands of streams, is not filled again for long.
func busyGOGC(live uint64) int {
	return int(min(max(busyGarbageBytes*100/max(live, 1), IdleGOGC), maxBusyGOGC))
}

// heapBytes returns how many bytes were ever allocated, and how many of them were in use at the last collection.
func heapBytes() (allocated, live uint64) {
	samples := []metrics.Sample{{Name: allocatedBytesMetric}, {Name: liveBytesMetric}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}
