package pcm

import (
	"fmt"
	"math"
	"sync"
)

// The filter is a windowed sinc: wings of so many zero crossings on each side, a Kaiser window for 80 dB, and a cutoff that
// leaves the whole slope below the lower of the two Nyquist frequencies, so that nothing is mirrored.
const (
	wing   = 32
	beta   = 8.0
	cutoff = 0.922 // of the lower Nyquist frequency
)

// Resampler changes the rate of a stream: a polyphase filter over up/down, the ratio of the two rates. The same samples give the
// same result in whatever pieces they come. It is not safe for use by several goroutines at once.
type Resampler struct {
	*filter
	past []float32 // input from the first sample on that the next output needs
	skip int       // input samples until that first one, where the past does not reach it yet
	at   int       // the next output's phase
	in   int       // samples taken
	out  int       // samples given
}

// NewResampler changes samples of one rate into samples of another; both are from 8,000 to 48,000 per second.
func NewResampler(from, to int) (*Resampler, error) {
	if min(from, to) < slowest || max(from, to) > fastest {
		return nil, fmt.Errorf("pcm: no way from %d to %d samples per second", from, to)
	}
	r := &Resampler{filter: filterFor(from, to)}
	r.past = make([]float32, r.half-1)
	return r, nil
}

// Push takes input and gives the output that it completes; the receiver owns it.
func (r *Resampler) Push(in []int16) []int16 {
	r.in += len(in)
	out := make([]int16, 0, len(in)*r.up/r.down+1)
	for _, s := range in {
		r.past = append(r.past, float32(s))
	}
	return r.run(out)
}

// Flush ends the stream and gives what the filter still holds: in all, the output lasts as long as the input.
func (r *Resampler) Flush() []int16 {
	want := (r.in*r.up + r.down - 1) / r.down
	r.past = append(r.past, make([]float32, r.half)...)
	out := r.run(nil)
	if extra := r.out - want; extra > 0 {
		out = out[:len(out)-extra]
	}
	*r = Resampler{filter: r.filter, past: make([]float32, r.half-1)}
	return out
}

func (r *Resampler) run(out []int16) []int16 {
	first := 0
	for {
		first += r.skip
		r.skip = 0
		if first+2*r.half > len(r.past) {
			break
		}
		out = append(out, r.sample(r.past[first:first+2*r.half]))
		r.out++
		r.at += r.down
		r.skip = r.at / r.up
		r.at %= r.up
	}
	r.skip = max(first-len(r.past), 0)
	r.past = append(r.past[:0], r.past[min(first, len(r.past)):]...)
	return out
}

func (r *Resampler) sample(in []float32) int16 {
	sum := float32(0)
	for i, c := range r.phases[r.at] {
		sum += c * in[i]
	}
	return int16(max(math.MinInt16, min(math.MaxInt16, math.Round(float64(sum)))))
}

// Resample changes the rate of a whole sound.
func Resample(s Sound, to int) (Sound, error) {
	r, err := NewResampler(s.Rate, to)
	if err != nil {
		return Sound{}, err
	}
	out := r.Push(s.PCM)
	return Sound{Rate: to, PCM: append(out, r.Flush()...)}, nil
}

// filter is what all streams between two rates share.
type filter struct {
	up, down int
	half     int         // input samples on each side of an output
	phases   [][]float32 // weights of those samples, for each place of an output between two inputs
}

var filters sync.Map // of *filter by [2]int: they do not change, and take a while to make

func filterFor(from, to int) *filter {
	key := [2]int{from, to}
	if f, ok := filters.Load(key); ok {
		return f.(*filter)
	}
	f, _ := filters.LoadOrStore(key, newFilter(from, to))
	return f.(*filter)
}

func newFilter(from, to int) *filter {
	g := gcd(from, to)
	f := &filter{up: to / g, down: from / g}
	narrow := min(1, float64(to)/float64(from))
	f.half = int(math.Ceil(wing / narrow))
	f.phases = make([][]float32, f.up)
	for p := range f.phases {
		weights := make([]float64, 2*f.half)
		sum := 0.0
		for i := range weights {
			u := float64(i-f.half+1) - float64(p)/float64(f.up) // distance from the output, in input samples
			weights[i] = sinc(u*narrow*cutoff) * kaiser(u/float64(f.half))
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

// kaiser is the window at x, from -1 to 1.
func kaiser(x float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel(beta*math.Sqrt(1-x*x)) / bessel(beta)
}

// bessel is the modified Bessel function of the first kind, order 0.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= (x / (2 * k)) * (x / (2 * k))
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
