package audio

import (
	"fmt"
	"math"
	"math/big"
	"sync"
)

// The filter is a windowed sinc: wings of so many zero crossings on each side, a Kaiser window for 80 dB, and a cutoff
// that leaves the whole slope below the lower of the two Nyquist frequencies, so that nothing is mirrored.
const (
	filterWing   = 32
	kaiserBeta   = 8.0
	filterCutoff = 0.922 // of the lower Nyquist frequency
)

// Resampler changes the rate of a stream: a polyphase filter over up/down, the ratio of the two rates. The same samples
// give the same result in whatever pieces they come. It is not safe for use by several goroutines at once.
type Resampler struct {
	*resampleFilter
	pending   []float32 // input from the first sample on that the next output needs
	skipCount int       // input samples until that first one, where the past does not reach it yet
	phase     int       // the next output's phase
	inCount   int       // samples taken
	outCount  int       // samples given
}

// NewResampler changes samples of one rate into samples of another; both are from 8,000 to 48,000 per second.
func NewResampler(from, to int) (*Resampler, error) {
	if min(from, to) < minSampleRate || max(from, to) > maxSampleRate {
		return nil, fmt.Errorf("pcm: no way from %d to %d samples per second", from, to)
	}
	r := &Resampler{resampleFilter: filterFor(from, to)}
	r.pending = make([]float32, r.halfWidth-1)
	return r, nil
}

// Push takes input and returns the output that it completes, which the caller owns.
func (r *Resampler) Push(in []int16) []int16 {
	r.inCount += len(in)
	out := make([]int16, 0, len(in)*r.up/r.down+1)
	for _, s := range in {
		r.pending = append(r.pending, float32(s))
	}
	return r.filterPending(out)
}

// Flush ends the stream and returns what the filter still holds: in all, the output lasts as long as the input.
func (r *Resampler) Flush() []int16 {
	want := (r.inCount*r.up + r.down - 1) / r.down
	r.pending = append(r.pending, make([]float32, r.halfWidth)...)
	out := r.filterPending(nil)
	if extra := r.outCount - want; extra > 0 {
		out = out[:len(out)-extra]
	}
	*r = Resampler{resampleFilter: r.resampleFilter, pending: make([]float32, r.halfWidth-1)}
	return out
}

func (r *Resampler) filterPending(out []int16) []int16 {
	first := 0
	for {
		first += r.skipCount
		r.skipCount = 0
		if first+2*r.halfWidth > len(r.pending) {
			break
		}
		out = append(out, r.filterSample(r.pending[first:first+2*r.halfWidth]))
		r.outCount++
		r.phase += r.down
		r.skipCount = r.phase / r.up
		r.phase %= r.up
	}
	r.skipCount = max(first-len(r.pending), 0)
	r.pending = append(r.pending[:0], r.pending[min(first, len(r.pending)):]...)
	return out
}

func (r *Resampler) filterSample(in []float32) int16 {
	sum := float32(0)
	for i, c := range r.phases[r.phase] {
		sum += c * in[i]
	}
	return int16(max(math.MinInt16, min(math.MaxInt16, math.Round(float64(sum)))))
}

// resampleFilter is what all streams between two rates share.
type resampleFilter struct {
	up, down  int
	halfWidth int         // input samples on each side of an output
	phases    [][]float32 // weights of those samples, for each place of an output between two inputs
}

var filterCache sync.Map // of *resampleFilter by [2]int: they do not change, and take a while to make

func filterFor(from, to int) *resampleFilter {
	f, ok := filterCache.Load([2]int{from, to})
	if !ok {
		f, _ = filterCache.LoadOrStore([2]int{from, to}, newFilter(from, to))
	}
	return f.(*resampleFilter)
}

func newFilter(from, to int) *resampleFilter {
	ratio := big.NewRat(int64(to), int64(from))
	f := &resampleFilter{up: int(ratio.Num().Int64()), down: int(ratio.Denom().Int64())}
	narrow := min(1, float64(to)/float64(from))
	f.halfWidth = int(math.Ceil(filterWing / narrow))
	f.phases = make([][]float32, f.up)
	for p := range f.phases {
		weights := make([]float64, 2*f.halfWidth)
		sum := 0.0
		for i := range weights {
			u := float64(i-f.halfWidth+1) - float64(p)/float64(f.up) // distance from the output, in input samples
			weights[i] = sinc(u*narrow*filterCutoff) * kaiser(u/float64(f.halfWidth))
			sum += weights[i]
		}
		f.phases[p] = make([]float32, len(weights))
		for i, w := range weights {
			f.phases[p][i] = float32(w / sum)
		}
	}
	return f
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser returns the window at x, from -1 to 1.
func kaiser(x float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel(kaiserBeta*math.Sqrt(1-x*x)) / bessel(kaiserBeta)
}

// bessel returns the modified Bessel function of the first kind, order 0.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= (x / (2 * k)) * (x / (2 * k))
		sum += term
	}
	return sum
}
