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

	pitches          [steadyFrames]float64 // of the last frames, newest last; 0 where there was none
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

func (s *classifier) classify(frame []int16) frameClass {
	sound := s.analyzer.analyze(frame)
	above := s.noiseFloor.decibelsAbove(sound.energy)
	s.noiseFloor.update(sound.energy, sound.level)
	loud := loudestBandsMean(above)
	audible := sound.level > s.limits.minLevel
	vowel := audible && loud > s.limits.tailLoudness &&
		s.limits.vowelLoudness < loud+toneLoudnessBonus*(sound.tone-s.limits.minTone) && sound.tone > s.limits.minTone
	s.addFrame(vowel, sound.pitch)
	s.timbre.addFrame(vowel, sound)
	var v frameClass
	v.isClearVowel = vowel && s.clearVowels[onsetFrames-2] && !s.isSteadyPitch(sound)
	if v.isClearVowel {
		s.framesSinceVowel = 0
	} else {
		s.framesSinceVowel++
	}
	v.isVoice = v.isClearVowel || (audible && loud > s.limits.tailLoudness && s.framesSinceVowel <= speechTailFrames)
	v.isOnset = v.isClearVowel && s.isOnset(sound)
	v.isMusic = s.timbre.isInstrument()
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

func (s *classifier) addFrame(vowel bool, pitch float64) {
	copy(s.pitches[:], s.pitches[1:])
	copy(s.clearVowels[:], s.clearVowels[1:])
	if !vowel {
		pitch = 0
	}
	s.pitches[steadyFrames-1] = pitch
	s.clearVowels[onsetFrames-1] = vowel
	glides, others := s.countPitchSteps(2)
	s.glidingSteps = stepDecay*s.glidingSteps + float64(glides)
	s.steadySteps = stepDecay*s.steadySteps + float64(others)
}

// isMusic reports whether most of what had a pitch in the last seconds was no voice. A voice is then detected only if
// it is clearer, or much louder than what came before.
func (s *classifier) isMusic(now soundFeatures) bool {
	if s.steadySteps > 6 && s.steadySteps > 1.5*s.glidingSteps {
		return true
	}
	return s.timbre.isMusic() && 10*math.Log10(now.level+1e-12) < s.timbre.keptLoudness+voiceOverMusic
}

// countPitchSteps counts the steps from one frame's pitch to the next in the last n frames: those that glide, as voices
// do, and the others, which stand still or leap, as instruments do.
func (s *classifier) countPitchSteps(n int) (glides, others int) {
	last := s.pitches[steadyFrames-n:]
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
func (s *classifier) isOnset(now soundFeatures) bool {
	count := 0
	for _, vowel := range s.clearVowels {
		if vowel {
			count++
		}
	}
	glides, others := s.countPitchSteps(onsetFrames)
	return count >= onsetVowels && glides >= onsetVowels-1 && glides > others && !s.isMusic(now)
}

// isSteadyPitch reports whether the pitch has stood still, or leapt, for most of the last 300 ms.
func (s *classifier) isSteadyPitch(now soundFeatures) bool {
	glides, others := s.countPitchSteps(steadyFrames)
	return others > 4 && others > glides || glides < 6 && s.isMusic(now)
}

func (s *classifier) reset() {
	s.clearVowels, s.pitches, s.framesSinceVowel = [onsetFrames]bool{}, [steadyFrames]float64{}, speechTailFrames+1
}
