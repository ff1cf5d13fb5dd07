package vad

import (
	"math"
	"slices"
)

// timbreTracker tracks the balance of the bands while there are vowels. A mouth that speaks changes its shape several
// times a second, and with it the balance; a string or a pipe keeps its timbre, whatever its pitch does.
type timbreTracker struct {
	shapes [timbreLag + 1]bandShape // of the last frames, newest last; unknown for those without a vowel

	// vowels whose balance was kept, and changed, in the last seconds; older ones count less
	keptScore, changedScore float64
	keptCount, changedCount int     // the same since the onset
	keptLoudness            float64 // dB: how loud the kept ones were
}

// bandShape is how much louder each band is than the mean of all, in dB.
type bandShape struct {
	isKnown bool
	bands   [bandCount]float64
}

const (
	timbreLag     = 4   // frames between the two that are compared: 80 ms
	maxKeptChange = 1.5 // dB of mean change that count as none
	minBandPower  = 1e-3
)

func (t *timbreTracker) addFrame(vowel bool, s soundFeatures) {
	copy(t.shapes[:], t.shapes[1:])
	now := bandShape{}
	if vowel {
		now = newBandShape(s.energy)
	}
	t.shapes[timbreLag] = now
	t.keptScore, t.changedScore = stepDecay*t.keptScore, stepDecay*t.changedScore
	before := t.shapes[0]
	if !now.isKnown || !before.isKnown {
		return
	}
	if meanBandChange(now, before) > maxKeptChange {
		t.changedScore++
		t.changedCount++
		return
	}
	t.keptScore++
	t.keptCount++
	loud := 10 * math.Log10(s.level+1e-12)
	if t.keptScore <= 1 {
		t.keptLoudness = loud
	}
	t.keptLoudness += 0.1 * (loud - t.keptLoudness)
}

// resetCounts starts counting again: somebody may have begun to speak.
func (t *timbreTracker) resetCounts() { t.keptCount, t.changedCount = 0, 0 }

// isInstrument reports whether the vowels since the onset have kept their timbre for so long that no mouth can have
// made them.
func (t *timbreTracker) isInstrument() bool {
	return t.keptCount >= minKeptVowels && t.keptCount > 2*t.changedCount
}

// isMusic reports the same for the last seconds.
func (t *timbreTracker) isMusic() bool { return t.keptScore > 6 && t.keptScore > 1.5*t.changedScore }

const minKeptVowels = 20 // frames: 400 ms

func newBandShape(energy [bandCount]float64) bandShape {
	top, mean := slices.Max(energy[:]), 0.0
	s := bandShape{isKnown: true}
	for b, e := range energy {
		s.bands[b] = 10 * math.Log10(max(e, top*minBandPower)+1e-12)
		mean += s.bands[b] / float64(bandCount)
	}
	for b := range s.bands {
		s.bands[b] -= mean
	}
	return s
}

func meanBandChange(a, b bandShape) float64 {
	sum := 0.0
	for i := range a.bands {
		sum += math.Abs(a.bands[i] - b.bands[i])
	}
	return sum / float64(bandCount)
}
