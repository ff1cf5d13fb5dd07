package voice

import (
	"slices"
	"strings"
	"time"

	"parley/internal/speech"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

// bargeInThresholds say when a voice over the agent counts. While the agent speaks, background noise and its own echo
// must not silence it; while it thinks, nothing is lost by waiting.
type bargeInThresholds struct {
	holdAfter time.Duration // of voice after which playback is paused
	// of voice that is more than a backchannel: playback stays paused until the words are known
	sustainedAfter time.Duration
	minWords       int           // that are enough to interrupt, before the segment ends
	resumeAfter    time.Duration // after which playback resumes if no words have come
}

var (
	speakingThresholds = bargeInThresholds{holdAfter: 200 * time.Millisecond, sustainedAfter: 500 * time.Millisecond,
		minWords: 2, resumeAfter: 1500 * time.Millisecond}
	thinkingThresholds = bargeInThresholds{sustainedAfter: 500 * time.Millisecond, minWords: 1,
		resumeAfter: 1500 * time.Millisecond}
)

const (
	echoWarmUp     = 2 * time.Second // of the agent's first speech, in which the browser learns to cancel its echo
	minWarmUpVoice = time.Second     // of voice that counts even during the warm-up
	maxHeldSilence = 4 * time.Second // of paused playback without words
)

// overlap is speech of the customer while the agent thinks or speaks.
type overlap struct {
	bargeInThresholds
	speaking   bool   // the agent speaks; otherwise it thinks
	echoLikely bool   // the agent has only begun to speak: echo is likely
	language   string // tag of the language that is spoken; empty if it is not known
	isHeld     bool
	isDucked   bool
	heldSince  time.Time // beginning of the pause
}

// overlapState is what is known of an overlap at a time.
type overlapState struct {
	now        time.Time
	voicedTime time.Duration // how much voice there was so far
	isOngoing  bool          // the voice or its transcription continues
	text       string        // what was recognised so far; may be empty
	isFinal    bool          // the text is final
	isEcho     bool          // the text is what the agent is saying
}

// overlapAction is what to do about an overlap.
type overlapAction int

const (
	actionNone   overlapAction = iota // change nothing
	actionDuck                        // lower the agent's volume
	actionHold                        // pause playback
	actionStop                        // stop the agent: it was interrupted
	actionResume                      // resume playback: it was no interruption
	actionIgnore                      // nothing to answer, and playback was never paused
)

// decide returns what to do about the overlap. Ducking and pausing can be undone and come early; the rest of the
// utterance is dropped only when there are words.
func (o *overlap) decide(s overlapState) overlapAction {
	if o.echoLikely && s.voicedTime < minWarmUpVoice && !s.isFinal {
		return actionNone
	}
	isBackground := s.text == "" || s.isEcho || isBackchannel(s.text)
	switch {
	case s.isFinal && isBackground:
		return o.resumeOrIgnore()
	case s.isFinal:
		return actionStop
	case !isBackground && (countWords(s.text) >= o.minWords || isStopRequest(s.text, o.language)):
		return actionStop
	case o.isHeld && !s.isOngoing && s.voicedTime < o.sustainedAfter && s.now.Sub(o.heldSince) >= o.resumeAfter:
		return actionResume
	case o.isHeld && !s.isOngoing && s.now.Sub(o.heldSince) >= maxHeldSilence:
		return actionResume
	case !o.isHeld && s.isOngoing && s.voicedTime >= o.holdAfter:
		return actionHold
	case !o.isDucked && o.speaking && s.isOngoing && !o.isHeld:
		return actionDuck
	}
	return actionNone
}

func (o *overlap) resumeOrIgnore() overlapAction {
	if o.isHeld || o.isDucked {
		return actionResume
	}
	return actionIgnore
}

var (
	// backchannelWords are words by which listeners show that they listen.
	backchannelWords = words.Set(func(l *language.Language) language.Words { return l.Voice.Backchannels })
	// stopWordsOf returns the words of a language that interrupt the agent by themselves.
	stopWordsOf = words.SetOf(func(l *language.Language) language.Words { return l.Voice.Interruptions })
)

// foldedWords returns the words of a text without case and accents.
func foldedWords(text string) []string { return strings.FieldsFunc(words.Fold(text), isSeparator) }

func isSeparator(r rune) bool {
	return !(r == '\'' || r > 127 || '0' <= r && r <= '9' || 'a' <= r && r <= 'z') ||
		strings.ContainsRune("。、！？，…“”’«»–—¿¡", r)
}

func countWords(text string) int { return len(foldedWords(text)) }

// isBackchannel reports whether a text has backchannel words only.
func isBackchannel(text string) bool {
	all := foldedWords(text)
	for _, word := range all {
		if !backchannelWords()[word] {
			return false
		}
	}
	return len(all) <= 6
}

// isStopRequest reports whether a text begins with a stop word of the language.
func isStopRequest(text, language string) bool {
	all := foldedWords(text)
	return len(all) > 0 && stopWordsOf(language)[all[0]]
}

// isEcho reports whether a transcript is what the agent is saying: most of its pairs of words are. One or two words
// prove nothing, unless an echo is likely.
func isEcho(transcript, spoken, language string, likely bool) bool {
	h, s := foldedWords(transcript), foldedWords(spoken)
	if len(h) < 3 {
		return likely && len(h) > 0 && !stopWordsOf(language)[h[0]] &&
			strings.Contains(" "+strings.Join(s, " ")+" ", " "+strings.Join(h, " ")+" ")
	}
	pairs := map[string]bool{}
	for i := 1; i < len(s); i++ {
		pairs[s[i-1]+" "+s[i]] = true
	}
	same := 0
	for i := 1; i < len(h); i++ {
		if pairs[h[i-1]+" "+h[i]] {
			same++
		}
	}
	return same*10 >= (len(h)-1)*7
}

// currentOverlap returns the overlap with the current utterance, and begins it if necessary; nil if the agent is
// silent.
func (d *dialog) currentOverlap() *overlap {
	if d.utterance == nil {
		return nil
	}
	if d.overlap == nil {
		language := d.languageOf(d.utterance.text)
		d.overlap = &overlap{bargeInThresholds: thinkingThresholds, language: language}
		if !d.utterance.startedAt.IsZero() {
			sounded := d.playedTime + d.room.Position().Played
			d.overlap = &overlap{bargeInThresholds: speakingThresholds, language: language, speaking: true,
				echoLikely: sounded < echoWarmUp}
		}
	}
	return d.overlap
}

// languageOf returns the tag of the language that is spoken: the one of the settings or, where they name none, the one
// of what the agent says; empty if that does not show it.
func (d *dialog) languageOf(spoken string) string {
	if tag := speech.BaseLanguage(d.settings.Transcriber.Language); tag != "" {
		return tag
	}
	if guess, isSure := words.GuessLanguage(slices.Collect(words.Tokens(spoken))); isSure {
		return guess.Tag()
	}
	return ""
}

// updateOverlap decides about what the customer is saying while the agent thinks or speaks.
func (d *dialog) updateOverlap() {
	n := len(d.segments)
	if n == 0 || d.utterance == nil {
		return
	}
	s := d.segments[n-1]
	o := d.currentOverlap()
	on := s.isTranscribing || !s.isEnded && !s.isPaused
	d.applyOverlapAction(o.decide(overlapState{now: d.Now(), voicedTime: s.voicedTime, isOngoing: on, text: s.text,
		isEcho: isEcho(s.text, d.utterance.text, o.language, o.echoLikely)}))
}

func (d *dialog) applyOverlapAction(v overlapAction) {
	o := d.overlap
	switch v {
	case actionDuck:
		o.isDucked = true
		d.room.Duck(true)
		if n := len(d.segments); n > 0 {
			d.Stats.recordDuck(d.Now().Sub(d.segments[n-1].onsetAt))
		}
	case actionHold:
		o.isHeld, o.heldSince = true, d.Now()
		d.recording.setHeld(true, o.heldSince)
		d.room.Pause()
		if n := len(d.segments); o.speaking && n > 0 {
			d.Stats.recordHold(o.heldSince.Sub(d.segments[n-1].onsetAt))
		}
	case actionStop:
		d.interrupt(d.utterance)
	case actionResume:
		d.recording.setHeld(false, d.Now())
		d.room.Duck(false)
		d.room.Resume()
		d.overlap = nil
	case actionIgnore:
		d.overlap = nil
	case actionNone:
	}
}
