package llm

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

	FinalWait time.Duration // longest wait for the last words, after the end of the sound; 0 is 3 s
	FlushWait time.Duration // of that, before the connection is given up to get them; 0 is 500 ms
	KeepAlive time.Duration // silence after which the connection is kept by a word; 0 is 4 s
	Rest      time.Duration // how long a connection is kept for the next segment; 0 is 20 s

	mu    sync.Mutex
	rests map[string]*restingLine // by speaker and address
	shut  bool
}

var _ Listener = (*Deepgram)(nil)

// DeepgramURL is where Deepgram itself is.
const DeepgramURL = "https://api.deepgram.com/v1"

// Transcribe implements Transcriber.
func (d *Deepgram) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	return func(yield func(Transcript, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stopped := false
		told := func(t Transcript) {
			if !stopped && !yield(t, nil) {
				stopped = true
				cancel()
			}
		}
		text, err := d.hear(ctx, s.Hints, newTape(s.PCM, true), told)
		switch {
		case stopped:
		case err != nil:
			yield(Transcript{}, speechFailed(cannotHear, err, d.Key))
		default:
			yield(Transcript{Text: text, Final: true}, nil)
		}
	}
}

// Listen implements Listener.
func (d *Deepgram) Listen(ctx context.Context, h Hints, interim func(Transcript)) Dictation {
	ctx, cancel := context.WithCancel(ctx)
	l := &dictation{tape: newTape(nil, false), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer cancel()
		l.text, l.err = d.hear(ctx, h, l.tape, interim)
		if l.err != nil {
			l.err = speechFailed(cannotHear, l.err, d.Key)
		}
	}()
	return l
}

// dictation is a segment that is heard in a goroutine of its own.
type dictation struct {
	*tape
	cancel context.CancelFunc
	done   chan struct{}
	text   string // once done is closed
	err    error
}

// Add implements Dictation.
func (l *dictation) Add(samples []int16) { l.add(samples, false) }

// End implements Dictation.
func (l *dictation) End(ctx context.Context) (string, error) {
	l.add(nil, true)
	select {
	case <-l.done:
		return l.text, l.err
	case <-ctx.Done():
		return "", speechFailed(cannotHear, context.Cause(ctx), "")
	}
}

// Close implements Dictation. It does not wait for an interim that is being told: who closes may be who is told.
func (l *dictation) Close() { l.cancel() }

// hear hears a tape to its end. A connection that was cut is made once more; one that had rested may have been cut long ago, and
// that does not count.
func (d *Deepgram) hear(ctx context.Context, h Hints, t *tape, told func(Transcript)) (string, error) {
	longest := 0
	grows := func(said Transcript) { // a second hearing of the same sound begins from nothing, and is not told before it is further
		if len(said.Text) >= longest {
			longest = len(said.Text)
			told(said)
		}
	}
	for attempt := 0; ; attempt++ {
		text, rested, err := d.attempt(ctx, h, t, grows)
		var r *refusal
		lasting := errors.As(err, &r) && r.status < 500 && r.status != http.StatusTooManyRequests
		switch {
		case err == nil, lasting, errors.Is(err, errSilent) && !rested, attempt == speechRetries, ctx.Err() != nil:
			return text, err
		case rested:
			attempt--
			continue
		}
		if err := sleep(ctx, or(d.Backoff, 200*time.Millisecond)); err != nil {
			return "", err
		}
	}
}

// attempt hears a tape on one connection; rested says that it was an older one.
func (d *Deepgram) attempt(ctx context.Context, h Hints, t *tape, told func(Transcript)) (text string, rested bool, err error) {
	line, rested := d.wake(h), true
	if line == nil {
		rested = false
		if line, err = d.open(ctx, h); err != nil {
			return "", false, err
		}
	}
	stop := context.AfterFunc(ctx, line.close)
	hearing := &deepgramHearing{deepgramLine: line, tape: t, told: told, closes: h.Speaker == "",
		finalWait: or(d.FinalWait, 3*time.Second), flushWait: or(d.FlushWait, 500*time.Millisecond), keep: or(d.KeepAlive, 4*time.Second)}
	text, err = hearing.run(ctx)
	if stop() && err == nil && hearing.flushed && !hearing.closes {
		d.rest(h, line)
		return text, rested, nil
	}
	line.end()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return text, rested, err
}

// open makes a connection.
func (d *Deepgram) open(ctx context.Context, h Hints) (*deepgramLine, error) {
	s, err := d.dial(ctx, h)
	if err != nil {
		return nil, err
	}
	return newDeepgramLine(s), nil
}

func (d *Deepgram) dial(parent context.Context, h Hints) (*socket, error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	timer := time.AfterFunc(or(d.FirstByte, 8*time.Second), func() { cancel(errSilent) })
	defer timer.Stop()
	head := http.Header{"User-Agent": {"parley"}}
	if d.Key != "" {
		head.Set("Authorization", "Token "+d.Key)
	}
	s, err := dialSocket(ctx, d.pool(), d.address(h), head)
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) {
		err = errCut
	}
	return s, err
}

func (d *Deepgram) address(h Hints) string {
	q := url.Values{
		"model": {d.Model}, "encoding": {"linear16"}, "sample_rate": {strconv.Itoa(HearingRate)}, "channels": {"1"},
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

// adjoin puts two stretches of a transcript together.
func adjoin(a, b string) string {
	return strings.TrimSpace(strings.TrimSpace(a) + " " + strings.TrimSpace(b))
}
