package vad

import "math"

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
func (f *noiseFloor) update(energy [bandCount]float64, level float64) {
	if level < minPower/100 {
		return
	}
	if !f.isInitialized {
		f.initialize(energy)
	}
	if f.slotFrameCount == slotFrames {
		f.slotFrameCount = 0
		f.slot = (f.slot + 1) % floorSlots
		f.slotMinima[f.slot] = f.smoothed
	}
	f.slotFrameCount++
	for b := range energy {
		f.smoothed[b] += 0.3 * (energy[b] - f.smoothed[b])
		f.slotMinima[f.slot][b] = min(f.slotMinima[f.slot][b], f.smoothed[b])
	}
}

// initialize starts with the first frame, but not louder than a quiet room: somebody may be speaking already.
func (f *noiseFloor) initialize(energy [bandCount]float64) {
	f.isInitialized, f.smoothed = true, energy
	for b := range energy {
		for i := range f.slotMinima {
			f.slotMinima[i][b] = min(energy[b], maxInitialPower)
		}
	}
}

// decibelsAbove returns by how many dB each band is louder than its floor.
func (f *noiseFloor) decibelsAbove(energy [bandCount]float64) [bandCount]float64 {
	var db [bandCount]float64
	for b := range energy {
		least := math.Inf(1)
		for _, slot := range f.slotMinima {
			least = min(least, slot[b])
		}
		db[b] = 10 * math.Log10((energy[b]+1e-12)/max(least*minimumBias, minPower))
	}
	return db
}
