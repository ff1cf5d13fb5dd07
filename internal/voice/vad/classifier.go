package vad

import "math"

// frameClass is the classification of one frame.
type frameClass struct {
	isVoice      bool // part of speech if somebody is speaking: vowels, and what follows them closely
	isClearVowel bool // a vowel, beyond doubt
	isOnset      bool // enough vowels in a row that somebody must have begun to speak
	isMusic      bool // what seemed to be speech since the onset was an instrument
}

// classifier distinguishes vowels from other sounds. A vowel is louder than the room, periodic with a human pitch, and
// its pitch moves: tones of instruments, of mains and of machines stand still, clicks are not periodic, and wind and
// water are neither. What instruments play well enough to pass for a vowel keeps its timbre, which a mouth does not.
type classifier struct {
	analyzer   spectrumAnalyzer
	noiseFloor noiseFloor
	timbre     timbreTracker
	limits     classifierLimits

	pitches          [steadyFrames]float64 // of the last frames, newest last; 0 if there was none
	clearVowels      [onsetFrames]bool     // whether they were vowels
	framesSinceVowel int                   // frames since the last vowel

	glidingSteps, steadySteps float64 // steps of the pitch in the last seconds, of both kinds; older ones count less
}

type classifierLimits struct {
	vowelLoudness float64 // dB above the floor
	tailLoudness  float64 // the same for what follows a vowel
	minTone       float64
	minLevel      float64 // power, full scale is 1
}

const (
	onsetFrames          = 6     // an onset is decided on 120 ms
	onsetVowels          = 4     // and needs 80 ms of vowels in them
	steadyFrames         = 15    // 300 ms
	speechTailFrames     = 10    // consonants belong to speech for 200 ms after a vowel
	toneLoudnessBonus    = 20    // dB: a clear pitch makes up for a loud room
	stepDecay            = 0.985 // per frame: half of it after 0.9 s
	maxSteadyPitchChange = 0.003 // of the pitch, from frame to frame
	minPitchLeap         = 0.08
	voiceOverMusic       = 10 // dB: a voice before music
)

func newClassifier(threshold float64) classifier {
	return classifier{framesSinceVowel: speechTailFrames + 1, limits: classifierLimits{
		vowelLoudness: 3 + 12*threshold,
		tailLoudness:  2 + 6*threshold,
		minTone:       0.35 + 0.3*threshold,
		minLevel:      math.Pow(10, (-70+20*threshold)/10),
	}}
}

func (c *classifier) classify(frame []int16) frameClass {
	sound := c.analyzer.analyze(frame)
	above := c.noiseFloor.decibelsAbove(sound.energy)
	c.noiseFloor.update(sound.energy, sound.level)
	loud := loudestBandsMean(above)
	audible := sound.level > c.limits.minLevel
	vowel := audible && loud > c.limits.tailLoudness &&
		c.limits.vowelLoudness < loud+toneLoudnessBonus*(sound.tone-c.limits.minTone) && sound.tone > c.limits.minTone
	c.addFrame(vowel, sound.pitch)
	c.timbre.addFrame(vowel, sound)
	var v frameClass
	v.isClearVowel = vowel && c.clearVowels[onsetFrames-2] && !c.isSteadyPitch(sound)
	if v.isClearVowel {
		c.framesSinceVowel = 0
	} else {
		c.framesSinceVowel++
	}
	v.isVoice = v.isClearVowel || (audible && loud > c.limits.tailLoudness && c.framesSinceVowel <= speechTailFrames)
	v.isOnset = v.isClearVowel && c.isOnset(sound)
	v.isMusic = c.timbre.isInstrument()
	return v
}

// loudestBandsMean is the mean of the two bands that stand out most: a voice is never in one band alone.
func loudestBandsMean(above [bandCount]float64) float64 {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, db := range above {
		if db > first {
			first, second = db, first
		} else if db > second {
			second = db
		}
	}
	return (first + second) / 2
}

func (c *classifier) addFrame(vowel bool, pitch float64) {
	copy(c.pitches[:], c.pitches[1:])
	copy(c.clearVowels[:], c.clearVowels[1:])
	if !vowel {
		pitch = 0
	}
	c.pitches[steadyFrames-1] = pitch
	c.clearVowels[onsetFrames-1] = vowel
	glides, others := c.countPitchSteps(2)
	c.glidingSteps = stepDecay*c.glidingSteps + float64(glides)
	c.steadySteps = stepDecay*c.steadySteps + float64(others)
}

// isMusic reports whether most of what had a pitch in the last seconds was no voice. A voice is then detected only if
// it is clearer, or much louder than what came before.
func (c *classifier) isMusic(now soundFeatures) bool {
	if c.steadySteps > 6 && c.steadySteps > 1.5*c.glidingSteps {
		return true
	}
	return c.timbre.isMusic() && 10*math.Log10(now.level+1e-12) < c.timbre.keptLoudness+voiceOverMusic
}

// countPitchSteps counts the steps from one frame's pitch to the next in the last n frames: those that glide, as voices
// do, and the others, which stand still or leap, as instruments do.
func (c *classifier) countPitchSteps(n int) (glides, others int) {
	last := c.pitches[steadyFrames-n:]
	for i := 1; i < n; i++ {
		if last[i] == 0 || last[i-1] == 0 {
			continue
		}
		if step := math.Abs(last[i]/last[i-1] - 1); step > maxSteadyPitchChange && step < minPitchLeap {
			glides++
		} else {
			others++
		}
	}
	return glides, others
}

// isOnset reports whether the last frames are the beginning of speech.
func (c *classifier) isOnset(now soundFeatures) bool {
	count := 0
	for _, vowel := range c.clearVowels {
		if vowel {
			count++
		}
	}
	glides, others := c.countPitchSteps(onsetFrames)
	return count >= onsetVowels && glides >= onsetVowels-1 && glides > others && !c.isMusic(now)
}

// isSteadyPitch reports whether the pitch has been still, or leapt, for most of the last 300 ms.
func (c *classifier) isSteadyPitch(now soundFeatures) bool {
	glides, others := c.countPitchSteps(steadyFrames)
	return others > 4 && others > glides || glides < 6 && c.isMusic(now)
}

func (c *classifier) reset() {
	c.clearVowels, c.pitches, c.framesSinceVowel = [onsetFrames]bool{}, [steadyFrames]float64{}, speechTailFrames+1
}
