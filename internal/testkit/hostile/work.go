//go:build unix

package hostile

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"
)

const (
	// maxSteepness is how much more work a text of twice the size may cause: twice, and 1.3 times that for noise.
	maxSteepness = 2 * 1.3
	// cheapWork is work that is too little to be measured.
	cheapWork = 4 * time.Millisecond
	maxTries  = 4
)

// RequireLinear fails the test where the work for a text of twice the size, and of four times the size, is more than
// linear. Work is the time that the processor spends on this process, so that others who use the machine do not count;
// and only what grows too fast in each of several tries counts.
func RequireLinear(t testing.TB, size int, kind Kind, read func(text string)) {
	t.Helper()
	two := kind.Text(2 * size)
	if isCheap(func() { read(two) }) {
		return
	}
	one, four := kind.Text(size), kind.Text(4*size)
	var works [3]time.Duration
	for range maxTries {
		works = [3]time.Duration{MeasureWork(func() { read(one) }), MeasureWork(func() { read(two) }), 0}
		if !isSteep(works[0], works[1]) {
			return
		}
		if works[2] = MeasureWork(func() { read(four) }); !isSteep(works[1], works[2]) {
			return
		}
	}
	t.Errorf("%s: the work for %d, %d and %d bytes is %v: that is not linear", kind.Name, len(one), len(two), len(four),
		works)
}

// isCheap reports work that is too little to be measured, which most is: the collector of garbage does not rest for it.
func isCheap(do func()) bool {
	before := cpuTime()
	do()
	return cpuTime()-before <= cheapWork
}

func isSteep(once, twice time.Duration) bool {
	return twice > cheapWork && float64(twice) > maxSteepness*float64(max(once, cheapWork/4))
}

// MeasureWork returns the processor time of a function, in whatever goroutines of this process; the collector of
// garbage rests.
func MeasureWork(do func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := cpuTime()
	do()
	return cpuTime() - before
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Size is how large the smallest text of a test is, eight times as large where PARLEY_LONG is set.
func Size(short int) int {
	if os.Getenv("PARLEY_LONG") != "" {
		return 8 * short
	}
	return short
}

// ForEachText checks that the work is linear for texts of every kind: of 64 KiB and more, or of 512 KiB where
// PARLEY_LONG is set.
func ForEachText(t *testing.T, read func(text string)) {
	t.Helper()
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) { RequireLinear(t, Size(64<<10), kind, read) })
	}
}

// Readers is ForEachText for several functions, each by its name. Their texts are of 16 KiB and more in short runs:
// what takes more than linear work shows with them as well, and there are many readers.
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

// RequireBounded fails a fuzz test where repeating the fuzzer's input makes a text expensive.
func RequireBounded(t testing.TB, unit string, read func(text string)) {
	t.Helper()
	if unit != "" {
		RequireLinear(t, 16<<10, Kind{"found by the fuzzer: " + strconv.Quote(unit), repeated(unit)}, read)
	}
}
