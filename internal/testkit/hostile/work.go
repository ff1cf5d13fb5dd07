//go:build unix

package hostile

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"parley/internal/testkit/check"
)

const (
	// maxSteepness is how much more time a text of twice the size may take: twice as much, and 1.3 times that for noise.
	maxSteepness = 2 * 1.3
	// cheapWork is a time that is too short to be measured.
	cheapWork = 4 * time.Millisecond
	// maxTries is how often what seems too much is measured again.
	maxTries = 25
)

// RequireLinear fails the test if the work for texts of twice and four times the size is more than linear. Work is the
// processor time of this process, so that other processes do not count. Whatever else this process does only adds to
// it, so the least of several tries counts; tries end as soon as it is not too high. With the race detector, which
// would be measured instead, a text is only read.
func RequireLinear(t testing.TB, size int, kind Kind, read func(text string)) {
	t.Helper()
	one, two, four := kind.Text(size), kind.Text(2*size), kind.Text(4*size)
	if check.IsRaceBuild {
		read(one)
		return
	}
	if isCheap(func() { read(two) }) {
		return
	}
	runs := newTries(func() { read(one) }, func() { read(two) }, func() { read(four) })
	for range maxTries {
		if !isSteep(runs.measure(0), runs.measure(1)) || !isSteep(runs.minima[1], runs.measure(2)) {
			return
		}
	}
	t.Errorf("%s: the work for %d, %d and %d bytes is %v: that is not linear", kind.Name, len(one), len(two), len(four),
		runs.minima)
}

// RequireGrowth fails the test if the work of large is more than limit times that of small, the least of several tries
// each. With the race detector both are only done.
func RequireGrowth(t testing.TB, limit int, small, large func()) {
	t.Helper()
	if check.IsRaceBuild {
		small()
		large()
		return
	}
	runs := newTries(small, large)
	for range maxTries {
		if runs.measure(1) <= time.Duration(limit)*max(runs.measure(0), cheapWork/4) {
			return
		}
	}
	t.Errorf("the work of what is larger is %v, more than %d times %v", runs.minima[1], limit, runs.minima[0])
}

// tries measures functions again and again.
type tries struct {
	functions []func()
	minima    []time.Duration // work of each so far
}

func newTries(functions ...func()) *tries {
	return &tries{functions, slices.Repeat([]time.Duration{math.MaxInt64}, len(functions))}
}

// measure calls a function once more and returns its least work so far.
func (t *tries) measure(i int) time.Duration {
	t.minima[i] = min(t.minima[i], measureWork(t.functions[i]))
	return t.minima[i]
}

// isCheap reports whether the work takes too little time to be measured. It leaves the garbage collector on.
func isCheap(do func()) bool {
	before := CPUTime()
	do()
	return CPUTime()-before <= cheapWork
}

func isSteep(once, twice time.Duration) bool {
	return twice > cheapWork && float64(twice) > maxSteepness*float64(max(once, cheapWork/4))
}

// measureWork returns the processor time of a function, in all goroutines of this process, with the garbage collector
// off.
func measureWork(do func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := CPUTime()
	do()
	return CPUTime() - before
}

// CPUTime returns the processor time that this process has used.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Size returns the size of the smallest text of a test, eight times as large if PARLEY_LONG is set.
func Size(short int) int {
	if os.Getenv("PARLEY_LONG") != "" {
		return 8 * short
	}
	return short
}

// ForEachText checks that the work is linear for texts of every kind, of 64 KiB and more, or of 512 KiB if PARLEY_LONG
// is set.
func ForEachText(t *testing.T, read func(text string)) {
	t.Helper()
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) { RequireLinear(t, Size(64<<10), kind, read) })
	}
}

// Readers is ForEachText for several functions, by name. In short runs their texts have 16 KiB and more, which is
// enough to find work that is more than linear.
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
