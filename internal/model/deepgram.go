package model

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Deepgram speaks the wire format of Deepgram's live transcription (GET {BaseURL}/listen as a WebSocket; raw samples up, results
// down) to any server that understands it. The segments of one speaker follow each other on one connection, as long as the pauses
// between them are short. A connection that fails is made once more, with the sound of the segment from its beginning.
type Deepgram struct {
	SpeechServer
	Model string // for segments that name none

	FinalTimeout      time.Duration // longest wait for the last words, after the end of the sound; 0 is 3 s
	FlushTimeout      time.Duration // of that, before the connection is given up to get them; 0 is 500 ms
	KeepAliveInterval time.Duration // silence after which the connection is kept by a word; 0 is 4 s
	ReuseTimeout      time.Duration // how long a connection is kept for the next segment; 0 is 20 s

	mu        sync.Mutex
	idleConns map[string]*idleDeepgramConn // by speaker and address
	isClosed  bool
}

var _ LiveTranscriber = (*Deepgram)(nil)

// DeepgramURL is where Deepgram itself is.
const DeepgramURL = "https://api.deepgram.com/v1"

// Transcribe implements Transcriber.
func (d *Deepgram) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	return func(yield func(Transcript, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stopped := false
		onInterim := func(t Transcript) {
			if !stopped && !yield(t, nil) {
				stopped = true
				cancel()
			}
		}
		text, err := d.transcribeBuffer(ctx, s.TranscriptionHints, newAudioBuffer(s.PCM, true), onInterim)
		switch {
		case stopped:
		case err != nil:
			yield(Transcript{}, newSpeechError(transcribeFailureMessage, err, d.Key))
		default:
			yield(Transcript{Text: text, IsFinal: true}, nil)
		}
	}
}

// StartTranscription implements LiveTranscriber.
func (d *Deepgram) StartTranscription(ctx context.Context, h TranscriptionHints, interim func(Transcript)) LiveTranscription {
	ctx, cancel := context.WithCancel(ctx)
	l := &deepgramTranscription{audioBuffer: newAudioBuffer(nil, false), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer cancel()
		l.text, l.err = d.transcribeBuffer(ctx, h, l.audioBuffer, interim)
		if l.err != nil {
			l.err = newSpeechError(transcribeFailureMessage, l.err, d.Key)
		}
	}()
	return l
}

// deepgramTranscription is a segment that is heard in a goroutine of its own.
type deepgramTranscription struct {
	*audioBuffer
	cancel context.CancelFunc
	done   chan struct{}
	text   string // once done is closed
	err    error
}

// Add implements LiveTranscription.
func (l *deepgramTranscription) Add(samples []int16) { l.add(samples, false) }

// End implements LiveTranscription.
func (l *deepgramTranscription) End(ctx context.Context) (string, error) {
	l.add(nil, true)
	select {
	case <-l.done:
		return l.text, l.err
	case <-ctx.Done():
		return "", newSpeechError(transcribeFailureMessage, context.Cause(ctx), "")
	}
}

// Close implements LiveTranscription. It does not wait for an interim that is being told: who closes may be who is told.
func (l *deepgramTranscription) Close() { l.cancel() }

// transcribeBuffer hears a tape to its end. A connection that was cut is made once more; one that had rested may have been cut long ago, and
// that does not count.
func (d *Deepgram) transcribeBuffer(ctx context.Context, h TranscriptionHints, t *audioBuffer, onInterim func(Transcript)) (string, error) {
	longest := 0
	grows := func(transcript Transcript) { // a second hearing of the same sound begins from nothing, and is not told before it is further
		if len(transcript.Text) >= longest {
			longest = len(transcript.Text)
			onInterim(transcript)
		}
	}
	for attempt := 0; ; attempt++ {
		text, rested, err := d.transcribeOnce(ctx, h, t, grows)
		var r *statusError
		lasting := errors.As(err, &r) && r.status < 500 && r.status != http.StatusTooManyRequests
		switch {
		case err == nil, lasting, errors.Is(err, errProviderSilent) && !rested, attempt == maxSpeechRetries, ctx.Err() != nil:
			return text, err
		case rested:
			attempt--
			continue
		}
		if err := sleepContext(ctx, durationOr(d.Backoff, 200*time.Millisecond)); err != nil {
			return "", err
		}
	}
}

// transcribeOnce hears a tape on one connection; rested says that it was an older one.
func (d *Deepgram) transcribeOnce(ctx context.Context, h TranscriptionHints, t *audioBuffer, onInterim func(Transcript)) (text string, rested bool, err error) {
	line, rested := d.takeIdle(h), true
	if line == nil {
		rested = false
		if line, err = d.connect(ctx, h); err != nil {
			return "", false, err
		}
	}
	stop := context.AfterFunc(ctx, line.close)
	hearing := &deepgramSession{deepgramConn: line, audio: t, onInterim: onInterim, closesAfterSegment: h.Speaker == "",
		finalTimeout: durationOr(d.FinalTimeout, 3*time.Second), flushTimeout: durationOr(d.FlushTimeout, 500*time.Millisecond), keepAliveInterval: durationOr(d.KeepAliveInterval, 4*time.Second)}
	text, err = hearing.run(ctx)
	if stop() && err == nil && hearing.isFlushed && !hearing.closesAfterSegment {
		d.keepIdle(h, line)
		return text, rested, nil
	}
	line.shutDown()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return text, rested, err
}

// connect makes a connection.
func (d *Deepgram) connect(ctx context.Context, h TranscriptionHints) (*deepgramConn, error) {
	s, err := d.dial(ctx, h)
	if err != nil {
		return nil, err
	}
	return newDeepgramConn(s), nil
}

func (d *Deepgram) dial(parent context.Context, h TranscriptionHints) (*webSocket, error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	timer := time.AfterFunc(durationOr(d.FirstByteTimeout, 8*time.Second), func() { cancel(errProviderSilent) })
	defer timer.Stop()
	head := http.Header{"User-Agent": {"parley"}}
	if d.Key != "" {
		head.Set("Authorization", "Token "+d.Key)
	}
	s, err := dialWebSocket(ctx, d.httpClient(), d.listenURL(h), head)
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) {
		err = errStreamCut
	}
	return s, err
}

func (d *Deepgram) listenURL(h TranscriptionHints) string {
	q := url.Values{
		"model": {d.Model}, "encoding": {"linear16"}, "sample_rate": {strconv.Itoa(TranscriptionSampleRate)}, "channels": {"1"},
		"interim_results": {"true"}, "smart_format": {"true"}, "endpointing": {"300"},
	}
	if h.Model != "" {
		q.Set("model", h.Model)
	}
	if h.Language != "" {
		q.Set("language", h.Language)
	}
	return withQuery(d.endpoint("/listen"), q)
}

// joinTranscripts puts two stretches of a transcript together.
func joinTranscripts(a, b string) string {
	return strings.TrimSpace(strings.TrimSpace(a) + " " + strings.TrimSpace(b))
}
