package ear

import "math"

// verdict is what one frame is.
type verdict struct {
	voice bool // part of speech, if somebody is speaking: vowels, and what follows them closely
	clear bool // a vowel, beyond doubt
	begin bool // enough vowels in a row that somebody must have begun to speak
	music bool // what was taken for speech since it began was made by an instrument
}

// sense tells vowels from other sounds. A vowel is louder than the room, repeats itself with a human pitch, and its pitch moves:
// tones of instruments, of mains and of machines stand still, clicks do not repeat, wind and water do neither. What instruments play
// well enough to pass for a vowel keeps its timbre, which mouths do not.
type sense struct {
	scope  scope
	floor  floor
	timbre timbre
	limit  limits

	pitches [steadyFrames]float64 // of the last frames, newest last; 0 where there was none
	vowels  [beginFrames]bool     // the same for beyond doubt
	since   int                   // frames since the last vowel

	glided, stood float64 // steps of the pitch in the last seconds, of both sorts; older ones count less
}

type limits struct {
	loud  float64 // dB above the floor
	still float64 // the same for what follows a vowel
	tone  float64
	level float64 // power, full scale is 1
}

const (
	beginFrames  = 6     // begin looks at 120 ms
	beginVowels  = 4     // and wants 80 ms of vowels in them
	steadyFrames = 15    // 300 ms
	tailFrames   = 10    // consonants belong to speech for 200 ms after a vowel
	toneWorth    = 20    // dB: a clear pitch makes up for a loud room
	memory       = 0.985 // of the past a frame later: half of it after 0.9 s
	stillPitch   = 0.003 // of the pitch, from frame to frame
	leapPitch    = 0.08
	louder       = 10 // dB: a voice before music
)

func newSense(threshold float64) sense {
	return sense{since: tailFrames + 1, limit: limits{
		loud:  3 + 12*threshold,
		still: 2 + 6*threshold,
		tone:  0.35 + 0.3*threshold,
		level: math.Pow(10, (-70+20*threshold)/10),
	}}
}

func (s *sense) hear(frame []int16) verdict {
	sound := s.scope.look(frame)
	above := s.floor.above(sound.energy)
	s.floor.learn(sound.energy, sound.level)
	loud := loudest(above)
	audible := sound.level > s.limit.level
	vowel := audible && loud > s.limit.still && s.limit.loud < loud+toneWorth*(sound.tone-s.limit.tone) && sound.tone > s.limit.tone
	s.remember(vowel, sound.pitch)
	s.timbre.hear(vowel, sound)
	var v verdict
	v.clear = vowel && s.vowels[beginFrames-2] && !s.steady(sound)
	if v.clear {
		s.since = 0
	} else {
		s.since++
	}
	v.voice = v.clear || (audible && loud > s.limit.still && s.since <= tailFrames)
	v.begin = v.clear && s.begins(sound)
	v.music = s.timbre.instrument()
	return v
}

// loudest is the mean of the two bands that stand out most: a voice is never in one band alone.
func loudest(above [bandCount]float64) float64 {
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

func (s *sense) remember(vowel bool, pitch float64) {
	copy(s.pitches[:], s.pitches[1:])
	copy(s.vowels[:], s.vowels[1:])
	if !vowel {
		pitch = 0
	}
	s.pitches[steadyFrames-1] = pitch
	s.vowels[beginFrames-1] = vowel
	glides, others := s.moves(2)
	s.glided = memory*s.glided + float64(glides)
	s.stood = memory*s.stood + float64(others)
}

// music tells whether most of what had a pitch in the last seconds was no voice. It takes more to be taken for a voice then, unless
// it is much louder than what was heard before.
func (s *sense) music(now sound) bool {
	if s.stood > 6 && s.stood > 1.5*s.glided {
		return true
	}
	return s.timbre.music() && 10*math.Log10(now.level+1e-12) < s.timbre.loud+louder
}

// moves counts the steps from one frame's pitch to the next in the last n frames: those that glide, as voices do, and the others,
// that stand still or leap, as instruments do.
func (s *sense) moves(n int) (glides, others int) {
	last := s.pitches[steadyFrames-n:]
	for i := 1; i < n; i++ {
		if last[i] == 0 || last[i-1] == 0 {
			continue
		}
		if step := math.Abs(last[i]/last[i-1] - 1); step > stillPitch && step < leapPitch {
			glides++
		} else {
			others++
		}
	}
	return glides, others
}

// begins tells whether the last frames are the beginning of speech.
func (s *sense) begins(now sound) bool {
	count := 0
	for _, vowel := range s.vowels {
		if vowel {
			count++
		}
	}
	glides, others := s.moves(beginFrames)
	return count >= beginVowels && glides >= beginVowels-1 && glides > others && !s.music(now)
}

// steady tells whether the pitch has stood still, or leapt, for most of the last 300 ms.
func (s *sense) steady(now sound) bool {
	glides, others := s.moves(steadyFrames)
	return others > 4 && others > glides || glides < 6 && s.music(now)
}

func (s *sense) forget() {
	s.vowels, s.pitches, s.since = [beginFrames]bool{}, [steadyFrames]float64{}, tailFrames+1
}
