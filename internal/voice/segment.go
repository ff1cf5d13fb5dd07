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
func (d *dialog) handleAudio(f rtc.Frame) {
	if d.recording != nil {
		d.recording.addCustomerAudio(f.PCM, f.At)
	}
	if d.detector == nil {
		return
	}
	if d.isHandingOver || d.utterance != nil && !d.utterance.startedAt.IsZero() && !d.settings.AllowInterruptions {
		d.dropUnfinishedSegments()
		d.discardsAudio = true
		return
	}
	d.discardsAudio, d.lastAudioAt = false, d.Now()
	for _, e := range d.detector.Process(f.PCM) {
		d.handleDetection(e, f.At)
	}
	if s := d.currentSegment(); s != nil {
		s.voicedTime = max(s.voicedTime, d.detector.VoicedTime())
		if s.dictation != nil {
			s.dictation.Add(f.PCM)
		}
	}
}

// dropUnfinishedSegments drops the segment that has begun and will not end, since its audio is discarded.
func (d *dialog) dropUnfinishedSegments() {
	if d.detector == nil || d.discardsAudio {
		return
	}
	d.detector.Reset()
	if s := d.currentSegment(); s != nil {
		d.dropSegment(s)
	}
}

// currentSegment returns the segment that is being spoken, or nil.
func (d *dialog) currentSegment() *segment {
	if n := len(d.segments); n > 0 && !d.segments[n-1].isEnded {
		return d.segments[n-1]
	}
	return nil
}

// handleDetection handles an event of the detector in audio that came at a time.
func (d *dialog) handleDetection(e vad.Event, at time.Time) {
	if e.Kind == vad.Onset {
		s := &segment{id: parley.NewUUID(), startedAt: d.Now(), onsetAt: at.Add(rtc.FrameTime - e.Voiced)}
		d.segments = append(d.segments, s)
		d.startDictation(s, e.PCM)
		return
	}
	s := d.currentSegment()
	if s == nil {
		return
	}
	s.voicedTime = max(s.voicedTime, e.Voiced)
	switch e.Kind {
	case vad.Pause:
		s.isPaused = true
		d.transcribeSoFar(s, e.PCM)
	case vad.Resume:
		s.version++
		s.textComplete, s.isPaused, s.isTranscribing = false, false, false
		if s.cancel != nil && s.dictation == nil {
			s.cancel()
		}
	case vad.End:
		s.isEnded, s.endedAt, s.trailingSilence = true, d.Now(), e.Silence
		if !s.textComplete && !s.isTranscribing {
			d.transcribeSoFar(s, e.PCM)
		}
		d.answerSegments()
	case vad.Noise:
		d.dropSegment(s)
	case vad.Onset:
	}
}

// startDictation begins a live transcription, if the engine can do that.
func (d *dialog) startDictation(s *segment, pcm []int16) {
	live, ok := d.Transcriber.(speech.LiveTranscriber)
	if !ok {
		return
	}
	ctx, stop := context.WithCancel(d.ctx)
	s.cancel = stop
	s.dictation = live.StartTranscription(ctx, d.transcriptionHints(), func(transcript speech.Transcript) {
		send(d, d.segmentTexts, segmentText{segment: s, isInterim: true, text: transcript.Text})
	})
	s.dictation.Add(pcm)
}

func (d *dialog) transcriptionHints() speech.TranscriptionHints {
	return speech.TranscriptionHints{Model: d.settings.Transcriber.Model, Language: d.settings.Transcriber.Language,
		Speaker: string(d.session.ID)}
}

// transcribeTimeout limits the transcription of a segment.
const transcribeTimeout = 15 * time.Second

// transcribeSoFar starts the transcription of the segment so far. If the customer says no more, the text is ready when
// the turn ends.
func (d *dialog) transcribeSoFar(s *segment, pcm []int16) {
	if s.dictation != nil && !s.isEnded {
		d.detector.SetCompleteness(vad.AssessCompleteness(s.text)) // the interim text is enough
		return
	}
	ctx, stop := context.WithTimeout(d.ctx, transcribeTimeout)
	s.version++
	version, dictation := s.version, s.dictation
	s.isTranscribing = true
	if dictation == nil {
		s.cancel = stop
	}
	d.work.Go(func() {
		defer stop()
		var text string
		var err error
		if dictation != nil {
			text, err = dictation.End(ctx)
		} else {
			text, err = d.transcribe(ctx, s, pcm)
		}
		send(d, d.segmentTexts, segmentText{segment: s, version: version, text: text, err: err})
	})
}

// transcribe returns the text of a segment, and sends interim texts.
func (d *dialog) transcribe(ctx context.Context, s *segment, pcm []int16) (text string, err error) {
	for transcript, err := range d.Transcriber.Transcribe(ctx,
		speech.Segment{TranscriptionHints: d.transcriptionHints(), PCM: pcm}) {
		if err != nil {
			return "", err
		}
		if text = transcript.Text; !transcript.IsFinal && text != "" {
			send(d, d.segmentTexts, segmentText{segment: s, isInterim: true, text: text})
		}
	}
	return text, nil
}

func (d *dialog) handleSegmentText(u segmentText) {
	s := u.segment
	if s.textComplete || !u.isInterim && u.version != s.version {
		return
	}
	if u.isInterim {
		s.text = u.text
		if s.isPaused && !s.isEnded {
			d.detector.SetCompleteness(vad.AssessCompleteness(s.text))
		}
		d.showInterimText(s)
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
		d.detector.SetCompleteness(vad.AssessCompleteness(s.text))
		d.showInterimText(s)
		return
	}
	d.answerSegments()
}

// showInterimText shows what was recognised so far. What may be the agent's own echo is not shown before it is certain.
func (d *dialog) showInterimText(s *segment) {
	if s.text == "" || s.text == s.shownText || d.utterance != nil || d.isTrailingEcho(s) {
		return
	}
	s.shownText = s.text
	d.room.Transcript(rtc.Segment{ID: s.id, FromUser: true, Text: s.text})
}

// dropSegment drops a segment that was not speech.
func (d *dialog) dropSegment(s *segment) {
	s.cancelTranscription()
	d.segments = slices.DeleteFunc(slices.Clone(d.segments), func(one *segment) bool { return one == s })
	if d.overlap != nil && len(d.segments) == 0 {
		d.applyOverlapAction(d.overlap.decide(overlapState{now: d.Now(), voicedTime: s.voicedTime, isFinal: true}))
	}
	d.addRejectedSilence()
}

// answerSegments handles the segments that have ended and are transcribed, in order.
func (d *dialog) answerSegments() {
	for len(d.segments) > 0 && d.segments[0].isEnded && d.segments[0].textComplete {
		s := d.segments[0]
		d.segments = d.segments[1:]
		s.cancelTranscription()
		d.handleSegment(s)
	}
	d.addRejectedSilence()
}

// handleSegment decides what a segment was: a question, a backchannel, or nothing.
func (d *dialog) handleSegment(s *segment) {
	if d.isHandingOver {
		d.showFinalText(s, true)
		d.storeForPerson(s.text)
		return
	}
	if s.err != nil && d.ctx.Err() == nil {
		d.reportMisheard(s)
		return
	}
	if o := d.currentOverlap(); o != nil {
		echo := isEcho(s.text, d.utterance.text, o.language, o.echoLikely)
		v := o.decide(overlapState{now: d.Now(), voicedTime: s.voicedTime, text: s.text, isFinal: true, isEcho: echo})
		d.applyOverlapAction(v)
		if v != actionStop {
			d.showFinalText(s, !echo)
			return
		}
	}
	if d.isTrailingEcho(s) {
		d.showFinalText(s, false)
		return
	}
	d.showFinalText(s, true)
	switch {
	case s.text != "":
		d.answerQuestion(s.text, s)
	case d.unheardUtterance != nil: // the answer was interrupted for nothing
		d.answerQuestion("", s)
	}
}

// isTrailingEcho reports whether a segment is the echo of what the agent has just said.
func (d *dialog) isTrailingEcho(s *segment) bool {
	return d.previous != nil && s.startedAt.Before(d.silentSince) &&
		isEcho(s.text, d.previous.text, d.languageOf(d.previous.text), d.playedTime < echoWarmUp)
}

// showFinalText shows the final text of a segment, or removes what was shown of it.
func (d *dialog) showFinalText(s *segment, show bool) {
	text := s.text
	if !show {
		text = ""
	}
	if s.shownText != "" || text != "" {
		d.room.Transcript(rtc.Segment{ID: s.id, FromUser: true, Text: text, Final: true})
	}
}

// reportMisheard tells the customer that the recognition failed.
func (d *dialog) reportMisheard(s *segment) {
	d.Logger.Warn("speech recognition", "session", d.session.ID, "err", s.err)
	d.reportFault("What you said could not be understood. You can type instead.")
	if d.overlap != nil {
		d.applyOverlapAction(d.overlap.decide(overlapState{now: d.Now(), voicedTime: s.voicedTime, isFinal: true}))
	}
	if d.utterance == nil {
		d.sayErrorMessage()
	}
}
