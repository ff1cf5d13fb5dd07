package ear

import "math"

// timbre watches the balance of the bands while there are vowels. A mouth that speaks changes its shape several times a second, and
// with it the balance; a string or a pipe keeps the sound it has, whatever its pitch does.
type timbre struct {
	shapes [timbreLag + 1]shape // of the last frames, newest last; those without a vowel are not known

	held, moved   float64 // vowels whose balance was kept, and changed, in the last seconds; older ones count less
	heldN, movedN int     // the same since begin
	loud          float64 // dB: how loud the kept ones were
}

// shape is how much louder each band is than the mean of all, in dB.
type shape struct {
	known bool
	bands [bandCount]float64
}

const (
	timbreLag  = 4   // frames between the two that are compared: 80 ms
	heldChange = 1.5 // dB of mean change that count as none
	shapeDepth = 1e-3
)

// hear takes in a frame.
func (t *timbre) hear(vowel bool, s sound) {
	copy(t.shapes[:], t.shapes[1:])
	now := shape{}
	if vowel {
		now = shapeOf(s.energy)
	}
	t.shapes[timbreLag] = now
	t.held, t.moved = memory*t.held, memory*t.moved
	before := t.shapes[0]
	if !now.known || !before.known {
		return
	}
	if change(now, before) > heldChange {
		t.moved++
		t.movedN++
		return
	}
	t.held++
	t.heldN++
	loud := 10 * math.Log10(s.level+1e-12)
	if t.held <= 1 {
		t.loud = loud
	}
	t.loud += 0.1 * (loud - t.loud)
}

// begin counts anew: somebody may have begun to speak.
func (t *timbre) begin() { t.heldN, t.movedN = 0, 0 }

// instrument tells whether the vowels since begin keep their sound for so long that no mouth can have made them.
func (t *timbre) instrument() bool { return t.heldN >= heldLong && t.heldN > 2*t.movedN }

// music tells the same of the last seconds.
func (t *timbre) music() bool { return t.held > 6 && t.held > 1.5*t.moved }

const heldLong = 20 // frames: 400 ms

func shapeOf(energy [bandCount]float64) shape {
	top, mean := 0.0, 0.0
	for _, e := range energy {
		top = max(top, e)
	}
	s := shape{known: true}
	for b, e := range energy {
		s.bands[b] = 10 * math.Log10(max(e, top*shapeDepth)+1e-12)
		mean += s.bands[b] / float64(bandCount)
	}
	for b := range s.bands {
		s.bands[b] -= mean
	}
	return s
}

func change(a, b shape) float64 {
	sum := 0.0
	for i := range a.bands {
		sum += math.Abs(a.bands[i] - b.bands[i])
	}
	return sum / float64(bandCount)
}
