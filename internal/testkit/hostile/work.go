//go:build unix

package hostile

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"parley/internal/testkit/check"
)

const (
	// parts is how many texts of an equal share are read beside one text of their whole size. Work that grows with the
	// square of the size is this many times as much for the whole text.
	parts = 8
	// maxFactor is how many times the work of its parts the whole text may take: linear work takes once as much.
	maxFactor = 3
	// cheapWork is a time that is too short to be measured.
	cheapWork = 4 * time.Millisecond
	// maxTries is how often what seems too much is measured again.
	maxTries = 10
	// maxGarbage is how many bytes of memory are in use when the garbage collector begins nevertheless.
	maxGarbage = 1 << 30
)

// RequireLinear fails the test if the work for a text of four times the size grows faster than its size: if it is more
// than three times that for eight texts of an eighth, where quadratic work is eight times as much. Work is the
// processor time of this process, and only a proportion decides. What makes a machine slow makes both sides slow, since
// they take about as long and are measured in turns; the least of several tries counts, and tries end as soon as it is
// not too high. With the race detector, which would be measured instead, a text is only read.
func RequireLinear(t testing.TB, size int, kind Kind, read func(text string)) {
	t.Helper()
	if check.IsRaceBuild {
		read(kind.Text(size))
		return
	}
	whole, part := kind.Text(4*size), kind.Text(4*size/parts)
	first := timeWork(func() { read(whole) })
	if first <= cheapWork {
		return
	}
	ofParts, ofWhole, ok := compareWork(first, func() { read(part) }, func() { read(whole) })
	if !ok {
		t.Errorf("%s: the work for %d bytes is %v, and for %d texts of %d bytes %v: that is not linear", kind.Name,
			len(whole), ofWhole, parts, len(part), ofParts)
	}
}

// RequireGrowth fails the test if the work of whole is more than three times that of eight calls of part, which does an
// eighth of it. With the race detector both are only done.
func RequireGrowth(t testing.TB, part, whole func()) {
	t.Helper()
	if check.IsRaceBuild {
		part()
		whole()
		return
	}
	if ofParts, ofWhole, ok := compareWork(measureWork(whole), part, whole); !ok {
		t.Errorf("the work of the whole is %v, and that of %d parts %v", ofWhole, parts, ofParts)
	}
}

// compareWork measures the work of the parts and of the whole in turns, from what the whole has taken already, and
// returns the least of each; ok reports whether that of the whole is not too much.
func compareWork(ofWhole time.Duration, part, whole func()) (ofParts, leastWhole time.Duration, ok bool) {
	ofParts = math.MaxInt64
	for range maxTries {
		ofParts = min(ofParts, measureParts(part, (ofWhole+maxFactor-1)/maxFactor))
		if isLinear(ofParts, ofWhole) {
			return ofParts, ofWhole, true
		}
		ofWhole = min(ofWhole, measureWork(whole))
	}
	return ofParts, ofWhole, isLinear(ofParts, ofWhole)
}

func isLinear(ofParts, ofWhole time.Duration) bool {
	return ofWhole <= maxFactor*max(ofParts, cheapWork)
}

// measureParts returns the work of all parts, or of as many as reach the limit: all of them would only be more.
func measureParts(part func(), limit time.Duration) time.Duration {
	return measureWork(func() {
		before := CPUTime()
		for range parts {
			part()
			if CPUTime()-before >= limit {
				return
			}
		}
	})
}

// timeWork returns the processor time of a function. It leaves the garbage collector on, whose work counts.
func timeWork(do func()) time.Duration {
	before := CPUTime()
	do()
	return CPUTime() - before
}

// measureWork returns the processor time of a function, in all goroutines of this process, with the garbage collector
// off unless memory runs short.
func measureWork(do func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(maxGarbage))
	return timeWork(do)
}

// CPUTime returns the processor time that this process has used.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Size returns the size of a quarter of the largest text of a test, eight times as large if PARLEY_LONG is set.
func Size(short int) int {
	if os.Getenv("PARLEY_LONG") != "" {
		return 8 * short
	}
	return short
}

// ForEachText checks that the work is linear for texts of every kind, of up to 256 KiB, or up to 2 MiB if PARLEY_LONG
// is set.
func ForEachText(t *testing.T, read func(text string)) {
	t.Helper()
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) { RequireLinear(t, Size(64<<10), kind, read) })
	}
}

// Readers is ForEachText for several functions, by name. In short runs their texts have up to 64 KiB, which is enough
// to find work that is more than linear.
func Readers(t *testing.T, readers map[string]func(text string)) {
	t.Helper()
	for name, read := range readers {
		t.Run(name, func(t *testing.T) {
			for _, kind := range Kinds {
				RequireLinear(t, Size(16<<10), kind, read)
			}
		})
	}
}

// RequireBounded fails a fuzz test if repeating the fuzzer's input makes a text expensive.
func RequireBounded(t testing.TB, unit string, read func(text string)) {
	t.Helper()
	if unit != "" {
		RequireLinear(t, 16<<10, Kind{"found by the fuzzer: " + strconv.Quote(unit), repeated(unit)}, read)
	}
}
