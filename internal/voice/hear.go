package voice

import (
	"context"
	"errors"
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
	onsetAt         time.Time // when its first sound came: it takes some to tell that it is a voice
	voicedTime      time.Duration
	text            string // what was understood so far
	shownText       string
	isPaused        bool // silent for a moment
	isEnded         bool
	textComplete    bool // the text is that of all that was said
	err             error
	endedAt         time.Time     // when it ended
	trailingSilence time.Duration // how long the silence before that was

	version        int                // grows whenever there is more to understand
	cancel         context.CancelFunc // of the work on the last version
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

// segmentText is the text of a segment, as it was at a version.
type segmentText struct {
	segment   *segment
	version   int
	isInterim bool
	text      string
	err       error
}

// handleAudio takes the next 20 ms of the customer's voice.
func (t *dialog) handleAudio(f rtc.Frame) {
	if t.recording != nil {
		t.recording.addCustomerAudio(f.PCM, f.At)
	}
	if t.detector == nil {
		return
	}
	if t.saidGoodbye || t.utterance != nil && !t.utterance.startedAt.IsZero() && !t.settings.AllowInterruptions {
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

// dropUnfinishedSegments forgets what was begun and cannot come to an end any more.
func (t *dialog) dropUnfinishedSegments() {
	if t.detector == nil || t.discardsAudio {
		return
	}
	t.detector.Reset()
	if s := t.currentSegment(); s != nil {
		t.dropSegment(s)
	}
}

const (
	microphoneGap  = 300 * time.Millisecond // without any sound: browsers send nothing while it is silent, or the microphone is muted
	turnEndSilence = 4 * time.Second        // of silence end every turn
)

// feedSilence has the ear hear silence, where nothing comes: what was being said ends.
func (t *dialog) feedSilence(length time.Duration) {
	if t.detector == nil {
		return
	}
	silence := make([]int16, rtc.InputRate/50)
	for ; length > 0 && t.detector.IsSpeaking(); length -= rtc.FrameTime {
		for _, e := range t.detector.Process(silence) {
			t.handleDetection(e, t.Now())
		}
	}
}

// currentSegment is the segment that is being spoken.
func (t *dialog) currentSegment() *segment {
	if n := len(t.segments); n > 0 && !t.segments[n-1].isEnded {
		return t.segments[n-1]
	}
	return nil
}

// handleDetection takes in what was noticed in the sound that came then.
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

// startDictation begins to write along, where the engine can.
func (t *dialog) startDictation(s *segment, pcm []int16) {
	listener, ok := t.Transcriber.(speech.LiveTranscriber)
	if !ok {
		return
	}
	ctx, stop := context.WithCancel(t.ctx)
	s.cancel = stop
	s.dictation = listener.StartTranscription(ctx, t.transcriptionHints(), func(said speech.Transcript) {
		t.sendSegmentText(segmentText{segment: s, isInterim: true, text: said.Text})
	})
	s.dictation.Add(pcm)
}

// transcriptionHints tell the engine what it will hear.
func (t *dialog) transcriptionHints() speech.TranscriptionHints {
	return speech.TranscriptionHints{Model: t.settings.Transcriber.Model, Language: t.settings.Transcriber.Language, Speaker: string(t.session.ID)}
}

// transcribeTimeout is how long the understanding of a segment may take.
const transcribeTimeout = 15 * time.Second

// transcribeSoFar has the segment written down as far as it goes. Where nothing is added the text is there when the turn ends.
func (t *dialog) transcribeSoFar(s *segment, pcm []int16) {
	if s.dictation != nil && !s.isEnded {
		t.detector.SetCompleteness(vad.AssessCompleteness(s.text)) // the interim text tells
		return
	}
	ctx, stop := context.WithTimeout(t.ctx, transcribeTimeout)
	s.version++
	version, dictation := s.version, s.dictation
	s.isTranscribing = true
	if dictation == nil {
		s.cancel = stop
	}
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		defer stop()
		var text string
		var err error
		if dictation != nil {
			text, err = dictation.End(ctx)
		} else {
			text, err = t.transcribe(ctx, s, pcm)
		}
		t.sendSegmentText(segmentText{segment: s, version: version, text: text, err: err})
	}()
}

// transcribe returns the text of a segment; what is understood on the way is told.
func (t *dialog) transcribe(ctx context.Context, s *segment, pcm []int16) (text string, err error) {
	for said, err := range t.Transcriber.Transcribe(ctx, speech.Segment{TranscriptionHints: t.transcriptionHints(), PCM: pcm}) {
		if err != nil {
			return "", err
		}
		if text = said.Text; !said.IsFinal && text != "" {
			t.sendSegmentText(segmentText{segment: s, isInterim: true, text: text})
		}
	}
	return text, nil
}

func (t *dialog) sendSegmentText(u segmentText) {
	select {
	case t.segmentTexts <- u:
	case <-t.done:
	}
}

// handleSegmentText takes in what was understood.
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

// showInterimText shows what was understood so far. What may be the agent's own echo is not shown before it is certain.
func (t *dialog) showInterimText(s *segment) {
	if s.text == "" || s.text == s.shownText || t.utterance != nil || t.isTrailingEcho(s) {
		return
	}
	s.shownText = s.text
	t.room.Transcript(rtc.Segment{ID: s.id, FromUser: true, Text: s.text})
}

// dropSegment drops a segment that was nothing.
func (t *dialog) dropSegment(s *segment) {
	s.cancelTranscription()
	for i := range t.segments {
		if t.segments[i] == s {
			t.segments = append(t.segments[:i:i], t.segments[i+1:]...)
			break
		}
	}
	if t.overlap != nil && len(t.segments) == 0 {
		t.applyOverlapAction(t.overlap.decide(overlapState{now: t.Now(), voicedTime: s.voicedTime, isFinal: true}))
	}
	t.addRejectedSound()
}
