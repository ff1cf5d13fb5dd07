// Package deepgram understands speech by Deepgram's live transcription.
package deepgram

import (
	"cmp"
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

	"parley/internal/httpclient"
	"parley/internal/speech"
)

// Transcriber uses the wire format of Deepgram's live transcription (GET {BaseURL}/listen as a WebSocket; raw samples
// up, results down) to any server that understands it. The segments of one speaker follow each other on one connection,
// as long as the pauses between them are short. A connection that fails is opened once more, with the sound of the
// segment from its beginning.
type Transcriber struct {
	httpclient.Client
	Model string // for segments that name none

	FinalTimeout      time.Duration // longest wait for the last words, after the end of the sound; 0 is 3 s
	FlushTimeout      time.Duration // of that, before the connection is given up to get them; 0 is 500 ms
	KeepAliveInterval time.Duration // silence after which a keep-alive message is sent; 0 is 4 s
	ReuseTimeout      time.Duration // how long a connection is kept for the next segment; 0 is 20 s

	mu        sync.Mutex
	idleConns map[string]*idleConnection // by speaker and address
	isClosed  bool
}

var _ speech.LiveTranscriber = (*Transcriber)(nil)

// Engine returns the row of this engine.
func Engine() speech.TranscriberEngine {
	format := speech.ServerFormat{DefaultURL: DefaultURL, KeyScheme: "Token"}
	return speech.TranscriberEngine{Name: "deepgram", Server: format, New: func(c speech.EngineConfig) speech.Transcriber {
		return &Transcriber{Client: httpclient.Client{BaseURL: cmp.Or(c.URL, DefaultURL), Key: c.Key}}
	}}
}

// DefaultURL is the address of Deepgram itself.
const DefaultURL = "https://api.deepgram.com/v1"

// Transcribe implements speech.Transcriber.
func (t *Transcriber) Transcribe(ctx context.Context, s speech.Segment) iter.Seq2[speech.Transcript, error] {
	return func(yield func(speech.Transcript, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stopped := false
		onInterim := func(transcript speech.Transcript) {
			if !stopped && !yield(transcript, nil) {
				stopped = true
				cancel()
			}
		}
		text, err := t.transcribeBuffer(ctx, s.TranscriptionHints, speech.NewAudioBuffer(s.PCM, true), onInterim)
		switch {
		case stopped:
		case err != nil:
			yield(speech.Transcript{}, speech.TranscriptionError(err, t.Key))
		default:
			yield(speech.Transcript{Text: text, IsFinal: true}, nil)
		}
	}
}

// StartTranscription implements speech.LiveTranscriber.
func (t *Transcriber) StartTranscription(ctx context.Context, h speech.TranscriptionHints,
	interim func(speech.Transcript)) speech.LiveTranscription {
	ctx, cancel := context.WithCancel(ctx)
	l := &transcription{AudioBuffer: speech.NewAudioBuffer(nil, false), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer cancel()
		l.text, l.err = t.transcribeBuffer(ctx, h, l.AudioBuffer, interim)
		if l.err != nil {
			l.err = speech.TranscriptionError(l.err, t.Key)
		}
	}()
	return l
}

// transcription is a segment that is transcribed in a goroutine of its own.
type transcription struct {
	*speech.AudioBuffer
	cancel context.CancelFunc
	done   chan struct{}
	text   string // once done is closed
	err    error
}

// Add implements speech.LiveTranscription.
func (t *transcription) Add(samples []int16) { t.Append(samples, false) }

// End implements speech.LiveTranscription.
func (t *transcription) End(ctx context.Context) (string, error) {
	t.Append(nil, true)
	select {
	case <-t.done:
		return t.text, t.err
	case <-ctx.Done():
		return "", speech.TranscriptionError(context.Cause(ctx), "")
	}
}

// Close implements speech.LiveTranscription. It does not wait for a running interim function, which may be what closes
// it.
func (t *transcription) Close() { t.cancel() }

// transcribeBuffer transcribes the buffer to its end. A connection that was cut is opened once more; a reused one may
// have been cut long ago, and that does not count.
func (t *Transcriber) transcribeBuffer(ctx context.Context, h speech.TranscriptionHints, buffer *speech.AudioBuffer,
	onInterim func(speech.Transcript)) (string, error) {
	longest := 0
	// a second transcription of the same sound is not passed on before it is longer
	grows := func(transcript speech.Transcript) {
		if len(transcript.Text) >= longest {
			longest = len(transcript.Text)
			onInterim(transcript)
		}
	}
	for attempt := 0; ; attempt++ {
		text, isReused, err := t.transcribeOnce(ctx, h, buffer, grows)
		var r *httpclient.StatusError
		lasting := errors.As(err, &r) && r.Status < 500 && r.Status != http.StatusTooManyRequests
		switch {
		case err == nil, lasting, errors.Is(err, httpclient.ErrProviderSilent) && !isReused,
			attempt == speech.MaxRetries, ctx.Err() != nil:
			return text, err
		case isReused:
			attempt--
			continue
		}
		if err := httpclient.Sleep(ctx, cmp.Or(t.Backoff, httpclient.DefaultBackoff)); err != nil {
			return "", err
		}
	}
}

// transcribeOnce transcribes the buffer on one connection; isReused says that it was an older one.
func (t *Transcriber) transcribeOnce(ctx context.Context, h speech.TranscriptionHints, buffer *speech.AudioBuffer,
	onInterim func(speech.Transcript)) (text string, isReused bool, err error) {
	line := t.takeIdle(h)
	if isReused = line != nil; !isReused {
		if line, err = t.dial(ctx, h); err != nil {
			return "", false, err
		}
	}
	stop := context.AfterFunc(ctx, line.close)
	now := &session{connection: line, audio: buffer, onInterim: onInterim, closesAfterSegment: h.Speaker == "",
		finalTimeout: cmp.Or(t.FinalTimeout, 3*time.Second), flushTimeout: cmp.Or(t.FlushTimeout, 500*time.Millisecond),
		keepAliveInterval: cmp.Or(t.KeepAliveInterval, 4*time.Second)}
	text, err = now.run(ctx)
	if stop() && err == nil && now.isFlushed && !now.closesAfterSegment {
		t.keepIdle(h, line)
		return text, isReused, nil
	}
	line.shutDown()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return text, isReused, err
}

func (t *Transcriber) dial(parent context.Context, h speech.TranscriptionHints) (*connection, error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	timer := time.AfterFunc(cmp.Or(t.FirstByteTimeout, speech.FirstByteTimeout), func() {
		cancel(httpclient.ErrProviderSilent)
	})
	defer timer.Stop()
	head := http.Header{"User-Agent": {"parley"}}
	if t.Key != "" {
		head.Set("Authorization", "Token "+t.Key)
	}
	c, err := connect(ctx, t.HTTPClient(), t.listenURL(h), head)
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = httpclient.ErrStreamCut
	}
	return c, err
}

func (t *Transcriber) listenURL(h speech.TranscriptionHints) string {
	q := url.Values{
		"model": {cmp.Or(h.Model, t.Model)}, "encoding": {"linear16"}, "sample_rate": {strconv.Itoa(speech.SampleRate)},
		"channels": {"1"}, "interim_results": {"true"}, "smart_format": {"true"}, "endpointing": {"300"},
	}
	if h.Language != "" {
		q.Set("language", h.Language)
	}
	address := t.Endpoint("/listen")
	if strings.Contains(address, "?") {
		return address + "&" + q.Encode()
	}
	return address + "?" + q.Encode()
}
