package voice

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/speech"
	"parley/internal/voice/rtc"
	"parley/internal/voice/vad"
)

// segment is what the customer says between two silences.
type segment struct {
	id              string
	startedAt       time.Time
	onsetAt         time.Time // when its first sound came; it takes a while to tell that it is a voice
	voicedTime      time.Duration
	text            string // what was recognised so far
	shownText       string
	isPaused        bool // the customer is silent for a moment
	isEnded         bool
	textComplete    bool // the text is that of the whole segment
	err             error
	endedAt         time.Time     // when it ended
	trailingSilence time.Duration // how long they had been silent by then

	version        int                // grows whenever there is more to transcribe
	cancel         context.CancelFunc // cancels the transcription of the last version
	isTranscribing bool
	dictation      speech.LiveTranscription
}

func (s *segment) cancelTranscription() {
	if s.cancel != nil {
		s.cancel()
	}
	if s.dictation != nil {
		s.dictation.Close()
	}
}

// segmentText is the text of a segment at a version.
type segmentText struct {
	segment   *segment
	version   int
	isInterim bool
	text      string
	err       error
}

// handleAudio handles the next 20 ms of the customer's microphone.
func (t *dialog) handleAudio(f rtc.Frame) {
	if t.recording != nil {
		t.recording.addCustomerAudio(f.PCM, f.At)
	}
	if t.detector == nil {
		return
	}
	if t.isHandingOver || t.utterance != nil && !t.utterance.startedAt.IsZero() && !t.settings.AllowInterruptions {
		t.dropUnfinishedSegments()
		t.discardsAudio = true
		return
	}
	t.discardsAudio, t.lastAudioAt = false, t.Now()
	for _, e := range t.detector.Process(f.PCM) {
		t.handleDetection(e, f.At)
	}
	if s := t.currentSegment(); s != nil {
		s.voicedTime = max(s.voicedTime, t.detector.VoicedTime())
		if s.dictation != nil {
			s.dictation.Add(f.PCM)
		}
	}
}

// dropUnfinishedSegments drops the segment that has begun and will not end, since its audio is discarded.
func (t *dialog) dropUnfinishedSegments() {
	if t.detector == nil || t.discardsAudio {
		return
	}
	t.detector.Reset()
	if s := t.currentSegment(); s != nil {
		t.dropSegment(s)
	}
}

// currentSegment returns the segment that is being spoken, or nil.
func (t *dialog) currentSegment() *segment {
	if n := len(t.segments); n > 0 && !t.segments[n-1].isEnded {
		return t.segments[n-1]
	}
	return nil
}

// handleDetection handles an event of the detector in audio that came at a time.
func (t *dialog) handleDetection(e vad.Event, at time.Time) {
	if e.Kind == vad.Onset {
		s := &segment{id: parley.NewUUID(), startedAt: t.Now(), onsetAt: at.Add(rtc.FrameTime - e.Voiced)}
		t.segments = append(t.segments, s)
		t.startDictation(s, e.PCM)
		return
	}
	s := t.currentSegment()
	if s == nil {
		return
	}
	s.voicedTime = max(s.voicedTime, e.Voiced)
	switch e.Kind {
	case vad.Pause:
		s.isPaused = true
		t.transcribeSoFar(s, e.PCM)
	case vad.Resume:
		s.version++
		s.textComplete, s.isPaused, s.isTranscribing = false, false, false
		if s.cancel != nil && s.dictation == nil {
			s.cancel()
		}
	case vad.End:
		s.isEnded, s.endedAt, s.trailingSilence = true, t.Now(), e.Silence
		if !s.textComplete && !s.isTranscribing {
			t.transcribeSoFar(s, e.PCM)
		}
		t.answerSegments()
	case vad.Noise:
		t.dropSegment(s)
	case vad.Onset:
	}
}

// startDictation begins a live transcription, if the engine can do that.
func (t *dialog) startDictation(s *segment, pcm []int16) {
	live, ok := t.Transcriber.(speech.LiveTranscriber)
	if !ok {
		return
	}
	ctx, stop := context.WithCancel(t.ctx)
	s.cancel = stop
	s.dictation = live.StartTranscription(ctx, t.transcriptionHints(), func(transcript speech.Transcript) {
		send(t, t.segmentTexts, segmentText{segment: s, isInterim: true, text: transcript.Text})
	})
	s.dictation.Add(pcm)
}

func (t *dialog) transcriptionHints() speech.TranscriptionHints {
	return speech.TranscriptionHints{Model: t.settings.Transcriber.Model, Language: t.settings.Transcriber.Language,
		Speaker: string(t.session.ID)}
}

// transcribeTimeout limits the transcription of a segment.
const transcribeTimeout = 15 * time.Second

// transcribeSoFar starts the transcription of the segment so far. If the customer says no more, the text is ready when
// the turn ends.
func (t *dialog) transcribeSoFar(s *segment, pcm []int16) {
	if s.dictation != nil && !s.isEnded {
		t.detector.SetCompleteness(vad.AssessCompleteness(s.text)) // the interim text is enough
		return
	}
	ctx, stop := context.WithTimeout(t.ctx, transcribeTimeout)
	s.version++
	version, dictation := s.version, s.dictation
	s.isTranscribing = true
	if dictation == nil {
		s.cancel = stop
	}
	t.work.Go(func() {
		defer stop()
		var text string
		var err error
		if dictation != nil {
			text, err = dictation.End(ctx)
		} else {
			text, err = t.transcribe(ctx, s, pcm)
		}
		send(t, t.segmentTexts, segmentText{segment: s, version: version, text: text, err: err})
	})
}

// transcribe returns the text of a segment, and sends interim texts.
func (t *dialog) transcribe(ctx context.Context, s *segment, pcm []int16) (text string, err error) {
	for transcript, err := range t.Transcriber.Transcribe(ctx,
		speech.Segment{TranscriptionHints: t.transcriptionHints(), PCM: pcm}) {
		if err != nil {
			return "", err
		}
		if text = transcript.Text; !transcript.IsFinal && text != "" {
			send(t, t.segmentTexts, segmentText{segment: s, isInterim: true, text: text})
		}
	}
	return text, nil
}

func (t *dialog) handleSegmentText(u segmentText) {
	s := u.segment
	if s.textComplete || !u.isInterim && u.version != s.version {
		return
	}
	if u.isInterim {
		s.text = u.text
		if s.isPaused && !s.isEnded {
			t.detector.SetCompleteness(vad.AssessCompleteness(s.text))
		}
		t.showInterimText(s)
		return
	}
	s.isTranscribing = false
	s.err = u.err
	if u.err == nil {
		s.text = u.text
	}
	if errors.Is(u.err, context.Canceled) && !s.isEnded {
		return
	}
	s.textComplete = true
	if !s.isEnded {
		t.detector.SetCompleteness(vad.AssessCompleteness(s.text))
		t.showInterimText(s)
		return
	}
	t.answerSegments()
}

// showInterimText shows what was recognised so far. What may be the agent's own echo is not shown before it is certain.
func (t *dialog) showInterimText(s *segment) {
	if s.text == "" || s.text == s.shownText || t.utterance != nil || t.isTrailingEcho(s) {
		return
	}
	s.shownText = s.text
	t.room.Transcript(rtc.Segment{ID: s.id, FromUser: true, Text: s.text})
}

// dropSegment drops a segment that was not speech.
func (t *dialog) dropSegment(s *segment) {
	s.cancelTranscription()
	t.segments = slices.DeleteFunc(slices.Clone(t.segments), func(one *segment) bool { return one == s })
	if t.overlap != nil && len(t.segments) == 0 {
		t.applyOverlapAction(t.overlap.decide(overlapState{now: t.Now(), voicedTime: s.voicedTime, isFinal: true}))
	}
	t.addRejectedSilence()
}

// answerSegments handles the segments that have ended and are transcribed, in order.
func (t *dialog) answerSegments() {
	for len(t.segments) > 0 && t.segments[0].isEnded && t.segments[0].textComplete {
		s := t.segments[0]
		t.segments = t.segments[1:]
		s.cancelTranscription()
		t.handleSegment(s)
	}
	t.addRejectedSilence()
}

// handleSegment decides what a segment was: a question, a backchannel, or nothing.
func (t *dialog) handleSegment(s *segment) {
	if t.isHandingOver {
		t.showFinalText(s, true)
		t.storeForPerson(s.text)
		return
	}
	if s.err != nil && t.ctx.Err() == nil {
		t.reportMisheard(s)
		return
	}
	if o := t.currentOverlap(); o != nil {
		echo := isEcho(s.text, t.utterance.text, o.echoLikely)
		v := o.decide(overlapState{now: t.Now(), voicedTime: s.voicedTime, text: s.text, isFinal: true, isEcho: echo})
		t.applyOverlapAction(v)
		if v != actionStop {
			t.showFinalText(s, !echo)
			return
		}
	}
	if t.isTrailingEcho(s) {
		t.showFinalText(s, false)
		return
	}
	t.showFinalText(s, true)
	switch {
	case s.text != "":
		t.answerQuestion(s.text, s)
	case t.unheardUtterance != nil: // the answer was interrupted for nothing
		t.answerQuestion("", s)
	}
}

// isTrailingEcho reports whether a segment is the echo of what the agent has just said.
func (t *dialog) isTrailingEcho(s *segment) bool {
	return t.previous != nil && s.startedAt.Before(t.silentSince) &&
		isEcho(s.text, t.previous.text, t.playedTime < echoWarmUp)
}

// showFinalText shows the final text of a segment, or removes what was shown of it.
func (t *dialog) showFinalText(s *segment, show bool) {
	text := s.text
	if !show {
		text = ""
	}
	if s.shownText != "" || text != "" {
		t.room.Transcript(rtc.Segment{ID: s.id, FromUser: true, Text: text, Final: true})
	}
}

// reportMisheard tells the customer that the recognition failed.
func (t *dialog) reportMisheard(s *segment) {
	t.Logger.Warn("speech recognition", "session", t.session.ID, "err", s.err)
	t.reportFault("What you said could not be understood. You can type instead.")
	if t.overlap != nil {
		t.applyOverlapAction(t.overlap.decide(overlapState{now: t.Now(), voicedTime: s.voicedTime, isFinal: true}))
	}
	if t.utterance == nil {
		t.sayErrorMessage()
	}
}
