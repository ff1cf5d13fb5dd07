//go:build unix

package hostile

import (
	"hash/crc32"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/testkit/check"
)

// recorder is a test that only notes whether it has failed.
type recorder struct {
	testing.TB
	hasFailed bool
}

func (r *recorder) Errorf(string, ...any) { r.hasFailed = true }

// sink is where planted readers leave what they have computed, so that it is not left out.
var sink atomic.Int64

var quadraticReaders = map[string]struct {
	size int
	read func(text string)
}{
	"comparing each byte with all before it": {4 << 10, func(text string) {
		for i := range text {
			countByte(text[:i], text[i])
		}
	}},
	"searching the rest of the text from each place": {32 << 10, func(text string) {
		for i := range text {
			sink.Add(int64(strings.Index(text[i:], "\x00\x01")))
		}
	}},
	// Without new memory, whose time depends on the system more than on the work.
	"adding each byte before all that were read": {16 << 10, func(text string) {
		copied := make([]byte, 0, len(text))
		for i := range text {
			copied = slices.Insert(copied, 0, text[i])
		}
		sink.Add(int64(len(copied)))
	}},
	"quadratic work beside linear work": {4 << 10, func(text string) {
		for range 1000 {
			countByte(text, 'a')
		}
		for i := range text {
			countByte(text[:i], text[i])
		}
	}},
}

func countByte(text string, b byte) {
	n := 0
	for i := range len(text) {
		if text[i] == b {
			n++
		}
	}
	sink.Add(int64(n))
}

// Work that grows with the square of a text's size is found.
func TestWorkOfQuadraticReaders(t *testing.T) {
	check.SkipUnderRace(t)
	for name, reader := range quadraticReaders {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			RequireLinear(r, reader.size, Made("words", "", "a b c d ", ""), reader.read)
			if !r.hasFailed {
				t.Error("it is taken as linear")
			}
		})
	}
}

// Work that grows as a text does is taken as linear, also while this process does other things.
func TestWorkOfLinearReaders(t *testing.T) {
	check.SkipUnderRace(t)
	var isDone atomic.Bool
	for range 2 {
		go func() {
			for !isDone.Load() {
				sink.Add(int64(crc32.ChecksumIEEE([]byte("busy"))))
			}
		}()
	}
	defer isDone.Store(true)
	for name, read := range map[string]func(text string){
		"reading": func(text string) {
			for range 1000 {
				countByte(text, 'a')
			}
		},
		"sorting": func(text string) {
			for range 20 {
				words := strings.Fields(text)
				slices.Sort(words)
				sink.Add(int64(len(words[0])))
			}
		},
		"collecting": func(text string) {
			for range 20 {
				counts := map[string]int{}
				for word := range strings.FieldsSeq(text) {
					counts[word]++
				}
				sink.Add(int64(len(counts)))
			}
		},
	} {
		kind := Kind{"distinct words", numberedParts(func(i int) string { return distinctWord(i) + " " })}
		t.Run(name, func(t *testing.T) { RequireLinear(t, 16<<10, kind, read) })
	}
}

// Few parts of a large whole are not taken for the whole.
func TestWorkOfQuadraticGrowth(t *testing.T) {
	check.SkipUnderRace(t)
	work := func(size int) func() {
		text := strings.Repeat("a", size)
		return func() { quadraticReaders["comparing each byte with all before it"].read(text) }
	}
	r := &recorder{TB: t}
	if RequireGrowth(r, work(2<<10), work(16<<10)); !r.hasFailed {
		t.Error("it is taken as linear")
	}
}
