package vad

import (
	"math"
	"math/cmplx"
)

// A window is 32 ms wide, the frame and 12 ms before it, padded with zeros to twice that, so that shifting it against
// itself does not wrap around.
const (
	windowSamples = 512
	fftPoints     = 1024
	binWidth      = float64(Rate) / fftPoints // Hz
)

var (
	hannWindow            = newHannWindow(windowSamples)
	fftTwiddles           = newTwiddles(fftPoints)
	windowAutocorrelation = windowSelfCorrelation(hannWindow)
)

func newHannWindow(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(n))
	}
	return w
}

func newTwiddles(n int) []complex128 {
	t := make([]complex128, n/2)
	for i := range t {
		t[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(n))
	}
	return t
}

// windowSelfCorrelation returns the effect of the window on a signal's autocorrelation, by lag.
func windowSelfCorrelation(w []float64) []float64 {
	r := make([]float64, maxLag+2)
	for lag := range r {
		for i := range len(w) - lag {
			r[lag] += w[i] * w[i+lag]
		}
	}
	for lag := len(r) - 1; lag >= 0; lag-- {
		r[lag] /= r[0]
	}
	return r
}

// fft is the fast Fourier transform in place; len(x) is fftPoints.
func fft(x []complex128) {
	for i, j := 1, 0; i < fftPoints; i++ {
		bit := fftPoints >> 1
		for ; j&bit != 0; bit >>= 1 {
			j ^= bit
		}
		j ^= bit
		if i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for size := 2; size <= fftPoints; size <<= 1 {
		half, step := size/2, fftPoints/size
		for start := 0; start < fftPoints; start += size {
			for k := range half {
				a, b := x[start+k], x[start+k+half]*fftTwiddles[k*step]
				x[start+k], x[start+k+half] = a+b, a-b
			}
		}
	}
}

// bandEdges are the bands that are measured one by one, in Hz: below 200 is the hum of mains and fans.
var bandEdges = [...][2]float64{{200, 500}, {500, 1000}, {1000, 2000}, {2000, 4000}, {4000, 7000}}

const bandCount = len(bandEdges)

// soundFeatures are the features of one frame.
type soundFeatures struct {
	energy [bandCount]float64 // mean power of each band; full scale is 1
	level  float64            // power of all bands together
	tone   float64            // 0 to 1: how periodic it is within the range of human pitch
	pitch  float64            // Hz; the frequency of that period
}

// Pitches of human voices, as lags in samples: 400 Hz and 70 Hz.
const (
	minLag = Rate / 400
	maxLag = Rate / 70
)

// spectrumAnalyzer computes the features of samples.
type spectrumAnalyzer struct {
	samples  [windowSamples]float64 // the last samples
	spectrum [fftPoints]complex128
}

func (s *spectrumAnalyzer) analyze(frame []int16) soundFeatures {
	copy(s.samples[:], s.samples[len(frame):])
	for i, v := range frame {
		s.samples[windowSamples-len(frame)+i] = float64(v) / 32768
	}
	clear(s.spectrum[:])
	for i, v := range s.samples {
		s.spectrum[i] = complex(v*hannWindow[i], 0)
	}
	fft(s.spectrum[:])
	var out soundFeatures
	s.measureBands(&out)
	s.measurePitch(&out)
	return out
}

// measureBands computes the energy of the bands from the spectrum.
func (s *spectrumAnalyzer) measureBands(out *soundFeatures) {
	const scale = 2.0 / (fftPoints * windowSamples * 0.375) // of a Hann window; one-sided
	for b, edges := range bandEdges {
		for k := int(edges[0] / binWidth); k < int(edges[1]/binWidth); k++ {
			re, im := real(s.spectrum[k]), imag(s.spectrum[k])
			out.energy[b] += (re*re + im*im) * scale
		}
		out.level += out.energy[b]
	}
}

// measurePitch finds the pitch: the lag at which the autocorrelation of the sound, without its lowest and highest
// parts, is greatest. The transform of the power spectrum is the autocorrelation for all lags at once.
func (s *spectrumAnalyzer) measurePitch(out *soundFeatures) {
	const from, to = 110 * fftPoints / Rate, 2200 * fftPoints / Rate
	for k := range fftPoints/2 + 1 {
		p := 0.0
		if k >= from && k < to {
			re, im := real(s.spectrum[k]), imag(s.spectrum[k])
			p = re*re + im*im
		}
		s.spectrum[k] = complex(p, 0)
		if k > 0 && k < fftPoints/2 {
			s.spectrum[fftPoints-k] = complex(p, 0)
		}
	}
	fft(s.spectrum[:])
	whole := real(s.spectrum[0])
	if whole < 1e-9 {
		return
	}
	correlation := func(lag int) float64 { return real(s.spectrum[lag]) / whole / windowAutocorrelation[lag] }
	best := 0
	for lag := minLag; lag <= maxLag; lag++ {
		height := correlation(lag)
		if height > correlation(lag-1) && height >= correlation(lag+1) && height > out.tone*1.02 {
			best, out.tone = lag, height
		}
	}
	if best > 0 {
		left, mid, right := correlation(best-1), correlation(best), correlation(best+1)
		out.pitch = Rate / (float64(best) + 0.5*(left-right)/(left-2*mid+right))
		out.tone = min(out.tone, 1)
	}
}

// noiseFloor estimates how loud each band is when nobody speaks: its minimum in the last two seconds. Speech dips
// within that time, and a fan does not.
type noiseFloor struct {
	smoothed       [bandCount]float64             // the energy, smoothed over some 60 ms
	slotMinima     [floorSlots][bandCount]float64 // the minimum of each slot
	slot           int
	slotFrameCount int // frames in the current slot
	isInitialized  bool
}

const (
	floorSlots      = 8
	slotFrames      = 12   // 240 ms
	maxInitialPower = 1e-6 // -60 dB
	minPower        = 1e-7 // -70 dB of full scale: no microphone is quieter than this, so what is quieter is a gap
	minimumBias     = 1.6  // the minimum of many is lower than the mean
)

// update adds a frame. Digital silence says nothing about the room.
func (n *noiseFloor) update(energy [bandCount]float64, level float64) {
	if level < minPower/100 {
		return
	}
	if !n.isInitialized {
		n.initialize(energy)
	}
	if n.slotFrameCount == slotFrames {
		n.slotFrameCount = 0
		n.slot = (n.slot + 1) % floorSlots
		n.slotMinima[n.slot] = n.smoothed
	}
	n.slotFrameCount++
	for b := range energy {
		n.smoothed[b] += 0.3 * (energy[b] - n.smoothed[b])
		n.slotMinima[n.slot][b] = min(n.slotMinima[n.slot][b], n.smoothed[b])
	}
}

// initialize starts with the first frame, but not louder than a quiet room: somebody may be speaking already.
func (n *noiseFloor) initialize(energy [bandCount]float64) {
	n.isInitialized, n.smoothed = true, energy
	for b := range energy {
		for i := range n.slotMinima {
			n.slotMinima[i][b] = min(energy[b], maxInitialPower)
		}
	}
}

// decibelsAbove returns by how many dB each band is louder than its floor.
func (n *noiseFloor) decibelsAbove(energy [bandCount]float64) [bandCount]float64 {
	var db [bandCount]float64
	for b := range energy {
		lowest := math.Inf(1)
		for _, slot := range n.slotMinima {
			lowest = min(lowest, slot[b])
		}
		db[b] = 10 * math.Log10((energy[b]+1e-12)/max(lowest*minimumBias, minPower))
	}
	return db
}
