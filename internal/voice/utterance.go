package voice

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/speech"
	"parley/internal/voice/rtc"
)

// utterance is what the agent says in one go: an answer, or a sentence of its own. The dialog's goroutine owns it,
// except for storeProgress.
type utterance struct {
	storeProgress
	segmentID   string // its ID in the transcript
	question    string // what it answers; empty for what the agent says unasked
	text        string
	isComplete  bool  // the text will not grow any more
	toolBreaks  []int // where the text continues after a tool call: a piece ends there
	piecedBytes int   // how many bytes of the text are in pieces
	pieces      []*piece
	shownBytes  int // how many bytes of the text the client was shown
	createdAt   time.Time
	startedAt   time.Time // when the customer began to hear or read it; zero before
	failure     *parley.Error
	timing      answerTiming

	ctx    context.Context // of its synthesis
	cancel context.CancelFunc
}

// piece is a part of an utterance's text that is spoken as one clip.
type piece struct {
	id            string
	start, end    int                       // in the utterance's text
	spokenText    string                    // empty if there is nothing to speak
	firstSoundAt  atomic.Pointer[time.Time] // when its first sound was synthesized
	samples       atomic.Int64
	isRequested   bool // its synthesis has begun
	isSynthesized bool // its synthesis has ended
	isStarted     bool
	isEnded       bool
}

// synthesisResult is the result of synthesizing a piece.
type synthesisResult struct {
	piece *piece
	err   error // of the engine, unless the utterance had ended
}

func (d *dialog) newUtterance(question string) *utterance {
	s := &utterance{storeProgress: newStoreProgress(d.previous), segmentID: parley.NewUUID(), question: question,
		createdAt: d.Now()}
	s.ctx, s.cancel = context.WithCancel(d.ctx)
	d.utterance, d.silentFor, d.uncertainSound = s, 0, 0
	if question != "" {
		d.lastQuestion = question
	}
	return s
}

// maxPiecesAhead is how many pieces are synthesized before they are played.
const maxPiecesAhead = 3

// queuePieces cuts the text into pieces and synthesizes them, one after the other.
func (d *dialog) queuePieces(s *utterance) {
	for {
		end, ok := s.nextPieceEnd()
		if !ok {
			break
		}
		p := &piece{id: parley.NewUUID(), start: s.piecedBytes, end: end}
		if d.Synthesizer != nil {
			p.spokenText = speakableText(s.text[s.piecedBytes:end])
		}
		s.pieces, s.piecedBytes = append(s.pieces, p), end
		setFirst(&s.timing.firstPieceAt, d.Now())
	}
	waiting := 0
	for _, p := range s.pieces {
		switch {
		case p.isEnded:
		case p.spokenText == "" && waiting > 0:
		case p.spokenText == "":
			d.skipPiece(s, p)
		case p.isRequested:
			if waiting++; !p.isSynthesized || waiting >= maxPiecesAhead {
				return
			}
		default:
			d.synthesizePiece(s, p)
			return
		}
	}
}

// nextPieceEnd returns where the next piece of the text ends.
func (u *utterance) nextPieceEnd() (end int, ok bool) {
	for _, step := range u.toolBreaks {
		if step > u.piecedBytes {
			return nextPieceEnd(u.text[:step], u.piecedBytes, true)
		}
	}
	return nextPieceEnd(u.text, u.piecedBytes, u.isComplete)
}

// skipPiece marks a piece that is not spoken as ended; those before it have ended.
func (d *dialog) skipPiece(s *utterance, p *piece) {
	p.isStarted, p.isEnded = true, true
	if d.Synthesizer == nil {
		d.markStarted(s, d.Now())
		d.showText(s, p.end)
	}
}

// maxQueuedChunks limits the speech of a piece that waits to be played, in chunks of the engine.
const maxQueuedChunks = 1024

// synthesizePiece queues a piece for playback and starts its synthesis.
func (d *dialog) synthesizePiece(s *utterance, p *piece) {
	p.isRequested = true
	sound := make(chan []int16, maxQueuedChunks)
	d.room.Play(rtc.Clip{ID: p.id, PCM: sound})
	recorded := d.recording.newClip(p.id)
	d.work.Go(func() {
		result := synthesisResult{p, d.streamSpeech(s, p, sound, recorded)}
		close(sound)
		send(d, d.synthesisResults, result)
	})
}

// streamSpeech synthesizes a piece into sound until it is complete or the utterance has ended; errors after that are
// ignored.
func (d *dialog) streamSpeech(s *utterance, p *piece, sound chan<- []int16, recorded *clipAudio) error {
	for pcm, err := range speech.Resample(rtc.OutputRate, d.Synthesizer.Synthesize(s.ctx, d.speechRequest(p.spokenText))) {
		if s.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if now := d.Now(); len(pcm) > 0 {
			p.firstSoundAt.CompareAndSwap(nil, &now)
		}
		p.samples.Add(int64(len(pcm)))
		recorded.write(pcm)
		select {
		case sound <- pcm:
		case <-s.ctx.Done():
			return nil
		}
	}
	return nil
}

// speechRequest returns the request to speak a text in the agent's voice.
func (d *dialog) speechRequest(text string) speech.Utterance {
	v := d.settings.Voice
	return speech.Utterance{Text: text, Voice: v.Name, Language: d.settings.Transcriber.Language, Speed: v.Speed,
		Instructions: v.Instructions}
}

// handleSynthesis handles the end of a piece's synthesis. A piece that could not be synthesized is only shown.
func (d *dialog) handleSynthesis(result synthesisResult) {
	result.piece.isSynthesized = true
	if result.err != nil {
		d.Logger.Warn("speech synthesis", "session", d.session.ID, "err", result.err)
		d.reportFault("The answer could not be spoken; it is shown as text.")
	}
}

// findPiece returns the piece of the current utterance that is played as a clip, or nil.
func (d *dialog) findPiece(clip string) *piece {
	if d.utterance == nil {
		return nil
	}
	i := slices.IndexFunc(d.utterance.pieces, func(p *piece) bool { return p.id == clip })
	if i < 0 {
		return nil
	}
	return d.utterance.pieces[i]
}

// handleClipStarted shows the text of a piece when its first sound has been sent.
func (d *dialog) handleClipStarted(e rtc.Event) {
	d.recording.clipStarted(e.ID, e.At)
	p := d.findPiece(e.ID)
	if p == nil {
		return
	}
	p.isStarted = true
	d.markStarted(d.utterance, e.At)
	d.showText(d.utterance, p.end)
}

func (d *dialog) handleClipEnded(e rtc.Event) {
	d.recording.clipEnded(e.ID, e.At)
	d.playedTime += e.Played
	p := d.findPiece(e.ID)
	if p == nil {
		return
	}
	p.isStarted, p.isEnded, p.isSynthesized = true, true, true
	d.markStarted(d.utterance, e.At)
	d.showText(d.utterance, p.end)
}

// markStarted records that the customer begins to hear or read the utterance.
func (d *dialog) markStarted(s *utterance, at time.Time) {
	if s.startedAt.IsZero() {
		s.startedAt = at
		for _, p := range s.pieces {
			if first := p.firstSoundAt.Load(); first != nil {
				setFirst(&s.timing.firstSpeechAt, *first)
			}
		}
		setFirst(&s.timing.firstOutputAt, at)
		d.Stats.recordAnswer(d, s)
	}
}

func (d *dialog) showText(s *utterance, to int) {
	if to > s.shownBytes {
		s.shownBytes = to
		d.room.Transcript(rtc.Segment{ID: s.segmentID, Text: strings.TrimSpace(s.text[:to])})
	}
}

// isDone reports whether all of the utterance was played.
func (u *utterance) isDone() bool {
	return u.isComplete && u.piecedBytes >= len(u.text) &&
		!slices.ContainsFunc(u.pieces, func(p *piece) bool { return !p.isEnded })
}

// finishUtterance ends an utterance that was played to its end.
func (d *dialog) finishUtterance(s *utterance) {
	if text := strings.TrimSpace(s.text); text != "" {
		d.room.Transcript(rtc.Segment{ID: s.segmentID, Text: text, Final: true})
	}
	d.clearUtterance(s)
	d.storeHeardText(s, len(s.text), nil)
	if s.failure != nil {
		d.handleTurnFailure(s)
	}
}

func (d *dialog) clearUtterance(s *utterance) {
	s.cancel()
	d.utterance, d.previous = nil, s
	if !s.startedAt.IsZero() {
		d.silentSince = d.Now()
	}
	if d.overlap != nil {
		d.overlap = nil
		d.room.Duck(false)
		d.room.Resume()
	}
}

// interrupt ends an utterance before its end: it is cut where the customer stopped hearing it. If they had not heard
// any of it, its question is joined to the next one.
func (d *dialog) interrupt(s *utterance) {
	heardLength := s.heardBytes(d.room.Stop())
	d.recording.playbackStopped(d.Now())
	d.clearUtterance(s)
	d.unheardUtterance = nil
	cause := chat.ErrInterrupted
	if heardLength == 0 {
		cause = chat.ErrUserContinued
		if s.question != "" {
			d.unheardUtterance = s
		}
	}
	if s.shownBytes > 0 || heardLength > 0 {
		d.room.Transcript(rtc.Segment{ID: s.segmentID, Text: s.text[:heardLength], Final: true})
	}
	d.storeHeardText(s, heardLength, cause)
}

// heardBytes returns how many bytes of the text were heard when playback was at a position: whole words only.
func (u *utterance) heardBytes(at rtc.Position) int {
	until := 0
	for _, p := range u.pieces {
		if p.id == at.ID {
			until = p.start + heardBytes(u.text[p.start:p.end], float64(at.Played)/float64(p.duration()))
			break
		}
		if !p.isEnded && !(p.isStarted && at.ID == "") { // a piece that has started and is not playing any more has ended
			break
		}
		until = p.end
	}
	return len(strings.TrimRight(u.text[:until], " \t\r\n"))
}

// lettersPerSecond is how fast engines speak: it estimates the duration of a piece that is still being synthesized.
const lettersPerSecond = 15

// duration returns how long the speech of a piece is.
func (p *piece) duration() time.Duration {
	synthesized := time.Duration(p.samples.Load()) * time.Second / rtc.OutputRate
	if p.isSynthesized {
		return max(synthesized, time.Millisecond)
	}
	return max(synthesized, time.Duration(len(p.spokenText))*time.Second/lettersPerSecond, time.Millisecond)
}
