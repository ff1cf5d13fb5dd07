package ear

import "math"

// floor knows how loud each band is when nobody speaks: the least it was in the last two seconds. Speech dips within that time,
// and a fan does not.
type floor struct {
	smooth [bandCount]float64             // the energy, smoothed over some 60 ms
	least  [floorSlots][bandCount]float64 // the least of each slot
	slot   int
	filled int // frames in the present slot
	known  bool
}

const (
	floorSlots = 8
	slotFrames = 12   // 240 ms
	quietRoom  = 1e-6 // -60 dB
	quietest   = 1e-7 // -70 dB of full scale: no microphone is quieter than this, so what is quieter is a gap
	leastBias  = 1.6  // the least of many is lower than the mean
)

// learn takes in a frame. Digital silence says nothing about the room.
func (f *floor) learn(energy [bandCount]float64, level float64) {
	if level < quietest/100 {
		return
	}
	if !f.known {
		f.begin(energy)
	}
	if f.filled == slotFrames {
		f.filled = 0
		f.slot = (f.slot + 1) % floorSlots
		f.least[f.slot] = f.smooth
	}
	f.filled++
	for b := range energy {
		f.smooth[b] += 0.3 * (energy[b] - f.smooth[b])
		f.least[f.slot][b] = min(f.least[f.slot][b], f.smooth[b])
	}
}

// begin starts with the first frame, but not louder than a quiet room: somebody may be speaking already.
func (f *floor) begin(energy [bandCount]float64) {
	f.known, f.smooth = true, energy
	for b := range energy {
		for i := range f.least {
			f.least[i][b] = min(energy[b], quietRoom)
		}
	}
}

// above gives by how many dB each band is louder than its floor.
func (f *floor) above(energy [bandCount]float64) [bandCount]float64 {
	var db [bandCount]float64
	for b := range energy {
		least := math.Inf(1)
		for _, slot := range f.least {
			least = min(least, slot[b])
		}
		db[b] = 10 * math.Log10((energy[b]+1e-12)/max(least*leastBias, quietest))
	}
	return db
}
