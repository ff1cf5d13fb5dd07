package llm

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"
)

// OpenAI speaks the OpenAI wire format (POST {BaseURL}/chat/completions, streamed) to any server that understands it.
//
// Every failure is a *parley.Error with CodeChatStreaming: its Message is safe for the caller, its Err holds the cause
// with the key removed. A request is repeated only while nothing of the answer has arrived.
type OpenAI struct {
	BaseURL string       // up to and including the version, e.g. https://host/v1
	Key     string       // sent as a bearer token; empty sends none
	HTTP    *http.Client // nil takes a pool of its own that Close empties

	FirstByte time.Duration // longest wait for the first byte of the answer; 0 is 30 s
	Idle      time.Duration // longest silence inside an answer; 0 is 30 s
	Backoff   time.Duration // wait before the first retry, about three times that before the second; 0 is 200 ms

	once   sync.Once
	client *http.Client
	habits habits
	format *format // nil is the OpenAI one; Anthropic asks through the same code
}

// format is what tells one wire format from another.
type format struct {
	path   string                          // of the endpoint, behind the base URL
	sign   func(h http.Header, key string) // adds the key and what else the provider wants to see
	encode func(req Request, h habit) ([]byte, error)
	intake func(req Request) *intake
}

var openAIFormat = format{path: "/chat/completions", sign: bearer, encode: encode, intake: newIntake}

func bearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

func (o *OpenAI) spoken() *format {
	if o.format == nil {
		return &openAIFormat
	}
	return o.format
}

var _ Model = (*OpenAI)(nil)

const (
	dialTimeout = 10 * time.Second
	maxLine     = 1 << 20  // bytes of one line of the stream
	maxText     = 1 << 20  // bytes of one answer; more ends it with "length"
	maxEvents   = 1 << 18  // lines of one stream, comments included
	maxStream   = 64 << 20 // bytes of one stream, framing included
	afterFinish = 2 * time.Second
	afterDone   = 50 * time.Millisecond
)

// Stream implements Model.
func (o *OpenAI) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		c, err := o.open(ctx, req)
		if err != nil {
			yield(Chunk{}, o.failed(err))
			return
		}
		defer c.close()
		a := o.spoken().intake(req)
		if err := a.read(c, yield); err != nil && !errors.Is(err, errStopped) {
			yield(Chunk{}, o.failed(err))
		}
	}
}

// Close drops the idle connections of the model's own pool.
func (o *OpenAI) Close() {
	if o.HTTP == nil {
		o.pool().CloseIdleConnections()
	}
}

func (o *OpenAI) endpoint() string {
	path := o.spoken().path
	return strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), path) + path
}

func (o *OpenAI) firstByte() time.Duration { return or(o.FirstByte, 30*time.Second) }
func (o *OpenAI) idle() time.Duration      { return or(o.Idle, 30*time.Second) }
func (o *OpenAI) backoff() time.Duration   { return or(o.Backoff, 200*time.Millisecond) }

func or(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}

// read turns the provider's stream into chunks. It returns errStopped when the consumer has had enough.
func (a *intake) read(c *call, yield func(Chunk, error) bool) error {
	l := newLines(c)
	defer l.free()
	for {
		end := l.fill()
		err := a.take(l, end)
		if !a.flush(yield) {
			return errStopped
		}
		switch {
		case err != nil:
			return err
		case a.done:
			return a.conclude(c, l, yield)
		case end == nil:
			if a.finish != "" {
				c.wait, c.idle = afterFinish, afterFinish
			}
		case a.finish != "" && !c.given():
			return a.conclude(c, l, yield)
		case errors.Is(end, io.EOF):
			return errCut
		default:
			return end
		}
	}
}

func (a *intake) conclude(c *call, l *lines, yield func(Chunk, error) bool) error {
	chunks, err := a.end()
	for _, chunk := range chunks {
		if !yield(chunk, nil) {
			err = errStopped
			break
		}
	}
	if a.marked {
		c.wait, c.idle = afterDone, afterDone
		l.drain()
	}
	return err
}
