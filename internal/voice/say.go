package voice

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/speech"
	"parley/internal/voice/rtc"
)

// utterance is what the agent says in one go: an answer, or a sentence of its own. The talk's goroutine owns it, but for record.
type utterance struct {
	storeProgress
	segmentID   string // its id in the transcript
	question    string // what it answers; empty for what the agent says of itself
	text        string
	isComplete  bool  // nothing will be added to the text
	toolBreaks  []int // where the text goes on after a tool was used: a piece ends there
	piecedBytes int   // how much of the text is in pieces
	pieces      []*piece
	shownBytes  int // how much of the text the client was shown
	createdAt   time.Time
	startedAt   time.Time // when it began to be heard, or read; zero before
	failure     *parley.Error
	timing      answerTiming

	ctx    context.Context // of its speech
	cancel context.CancelFunc
}

// piece is a stretch of a saying's text that is spoken as one clip.
type piece struct {
	id            string
	start, end    int                       // in the saying's text
	spokenText    string                    // empty where there is nothing to speak
	firstSoundAt  atomic.Pointer[time.Time] // when its first sound was there
	samples       atomic.Int64
	isRequested   bool // its speech is being made, or was
	isSynthesized bool // all of its speech was made
	isStarted     bool
	isEnded       bool
}

// synthesisResult is what became of the speech of a piece.
type synthesisResult struct {
	piece *piece
	err   error // of the engine, while it was still wanted
}

func (t *dialog) newUtterance(question string) *utterance {
	s := &utterance{storeProgress: newStoreProgress(t.previous), segmentID: parley.NewUUID(), question: question, createdAt: t.Now()}
	s.ctx, s.cancel = context.WithCancel(t.ctx)
	t.utterance, t.silentFor, t.uncertainSound = s, 0, 0
	if question != "" {
		t.lastQuestion = question
	}
	return s
}

// maxPiecesAhead is how many pieces are made before they are needed.
const maxPiecesAhead = 3

// queuePieces cuts what has been said into pieces and has their speech made, one after the other.
func (t *dialog) queuePieces(s *utterance) {
	for {
		end, ok := s.nextPieceEnd()
		if !ok {
			break
		}
		p := &piece{id: parley.NewUUID(), start: s.piecedBytes, end: end}
		if t.Synthesizer != nil {
			p.spokenText = speakableText(s.text[s.piecedBytes:end])
		}
		s.pieces, s.piecedBytes = append(s.pieces, p), end
		s.timing.setFirst(&s.timing.firstPieceAt, t.Now())
	}
	waiting := 0
	for _, p := range s.pieces {
		switch {
		case p.isEnded:
		case p.spokenText == "":
			t.skipPiece(s, p)
		case p.isRequested:
			if waiting++; !p.isSynthesized || waiting >= maxPiecesAhead {
				return
			}
		default:
			t.synthesizePiece(s, p)
			return
		}
	}
}

// nextPieceEnd returns where the next piece of the text ends.
func (s *utterance) nextPieceEnd() (end int, ok bool) {
	for _, step := range s.toolBreaks {
		if step > s.piecedBytes {
			return nextPieceEnd(s.text[:step], s.piecedBytes, true)
		}
	}
	return nextPieceEnd(s.text, s.piecedBytes, s.isComplete)
}

// skipPiece passes over a piece that is not spoken, once those before it have been.
func (t *dialog) skipPiece(s *utterance, p *piece) {
	for _, before := range s.pieces {
		if before == p {
			break
		}
		if !before.isEnded {
			return
		}
	}
	p.isStarted, p.isEnded = true, true
	if t.Synthesizer == nil {
		t.markStarted(s, t.Now())
		t.showText(s, p.end)
	}
}

// maxQueuedChunks is how much speech of a piece may wait to be played, in the engine's own pieces.
const maxQueuedChunks = 1024

// synthesizePiece has the speech of a piece made, and queues it behind what is played.
func (t *dialog) synthesizePiece(s *utterance, p *piece) {
	p.isRequested = true
	sound := make(chan []int16, maxQueuedChunks)
	t.room.Play(rtc.Clip{ID: p.id, PCM: sound})
	var copied *clipAudio
	t.withRecording(func(tape *recording) { copied = tape.newClip(p.id) })
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		m := synthesisResult{p, t.streamSpeech(s, p, sound, copied)}
		close(sound)
		select {
		case t.synthesisResults <- m:
		case <-t.done:
		}
	}()
}

// streamSpeech has a piece spoken until all of it is there, or nobody wants it any more: only a failure before that is one.
func (t *dialog) streamSpeech(s *utterance, p *piece, sound chan<- []int16, copied *clipAudio) error {
	for pcm, err := range speech.Resample(rtc.OutputRate, t.Synthesizer.Synthesize(s.ctx, t.speechRequest(p.spokenText))) {
		if s.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if now := t.Now(); len(pcm) > 0 {
			p.firstSoundAt.CompareAndSwap(nil, &now)
		}
		p.samples.Add(int64(len(pcm)))
		copied.write(pcm)
		select {
		case sound <- pcm:
		case <-s.ctx.Done():
			return nil
		}
	}
	return nil
}

// speechRequest is how the agent says something.
func (t *dialog) speechRequest(text string) speech.Utterance {
	v := t.settings.Voice
	return speech.Utterance{Text: text, Voice: v.Name, Language: t.settings.Transcriber.Language, Speed: v.Speed, Instructions: v.Instructions}
}

// handleSynthesis takes in that the speech of a piece was made, or could not be: then it is shown only.
func (t *dialog) handleSynthesis(m synthesisResult) {
	m.piece.isSynthesized = true
	if m.err != nil {
		t.Logger.Warn("speech synthesis", "session", t.session.ID, "err", m.err)
		t.reportFault("The answer could not be spoken; it is shown as text.")
	}
}

// findPiece returns the piece of what is being said that a clip is.
func (t *dialog) findPiece(clip string) *piece {
	if t.utterance != nil {
		for _, p := range t.utterance.pieces {
			if p.id == clip {
				return p
			}
		}
	}
	return nil
}

// handleClipStarted shows the text of a piece when its first sound has left.
func (t *dialog) handleClipStarted(e rtc.Event) {
	t.withRecording(func(tape *recording) { tape.clipStarted(e.ID, e.At) })
	p := t.findPiece(e.ID)
	if p == nil {
		return
	}
	p.isStarted = true
	t.markStarted(t.utterance, e.At)
	t.showText(t.utterance, p.end)
}

func (t *dialog) handleClipEnded(e rtc.Event) {
	t.withRecording(func(tape *recording) { tape.clipEnded(e.ID, e.At) })
	t.playedTime += e.Played
	p := t.findPiece(e.ID)
	if p == nil {
		return
	}
	p.isStarted, p.isEnded, p.isSynthesized = true, true, true
	t.markStarted(t.utterance, e.At)
	t.showText(t.utterance, p.end)
}

// markStarted notes that the customer begins to hear, or to read, what is said.
func (t *dialog) markStarted(s *utterance, at time.Time) {
	if s.startedAt.IsZero() {
		s.startedAt = at
		for _, p := range s.pieces {
			if first := p.firstSoundAt.Load(); first != nil {
				s.timing.setFirst(&s.timing.firstSpeechAt, *first)
			}
		}
		s.timing.setFirst(&s.timing.firstOutputAt, at)
		t.Stats.recordAnswer(t, s)
	}
}

func (t *dialog) showText(s *utterance, to int) {
	if to > s.shownBytes {
		s.shownBytes = to
		t.room.Transcript(rtc.Segment{ID: s.segmentID, Text: strings.TrimSpace(s.text[:to])})
	}
}

// isDone reports that all of it was said.
func (s *utterance) isDone() bool {
	if !s.isComplete || s.piecedBytes < len(s.text) {
		return false
	}
	for _, p := range s.pieces {
		if !p.isEnded {
			return false
		}
	}
	return true
}
