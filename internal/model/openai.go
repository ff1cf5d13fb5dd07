package model

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

	FirstByteTimeout time.Duration // longest wait for the first byte of the answer; 0 is 30 s
	IdleTimeout      time.Duration // longest silence inside an answer; 0 is 30 s
	Backoff          time.Duration // wait before the first retry, about three times that before the second; 0 is 200 ms

	once   sync.Once
	client *http.Client
	quirks quirkCache
	format *wireFormat // nil is the OpenAI one; Anthropic asks through the same code
}

// wireFormat is what tells one wire format from another.
type wireFormat struct {
	path       string                          // of the endpoint, behind the base URL
	setHeaders func(h http.Header, key string) // adds the key and what else the provider wants to see
	encode     func(req Request, h modelQuirks) ([]byte, error)
	newReader  func(req Request) *answerReader
}

var openAIFormat = wireFormat{path: "/chat/completions", setHeaders: setBearer, encode: encodeOpenAI, newReader: newAnswerReader}

func setBearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

func (o *OpenAI) formatOrDefault() *wireFormat {
	if o.format == nil {
		return &openAIFormat
	}
	return o.format
}

var _ Model = (*OpenAI)(nil)

const (
	dialTimeout    = 10 * time.Second
	maxLineBytes   = 1 << 20  // bytes of one line of the stream
	maxTextBytes   = 1 << 20  // bytes of one answer; more ends it with "length"
	maxStreamLines = 1 << 18  // lines of one stream, comments included
	maxStreamBytes = 64 << 20 // bytes of one stream, framing included
	finishTimeout  = 2 * time.Second
	drainTimeout   = 50 * time.Millisecond
)

// Stream implements Model.
func (o *OpenAI) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		c, err := o.callProvider(ctx, req)
		if err != nil {
			yield(Chunk{}, o.wrapError(err))
			return
		}
		defer c.close()
		a := o.formatOrDefault().newReader(req)
		if err := a.readStream(c, yield); err != nil && !errors.Is(err, errConsumerStopped) {
			yield(Chunk{}, o.wrapError(err))
		}
	}
}

// Close drops the idle connections of the model's own pool.
func (o *OpenAI) Close() {
	if o.HTTP == nil {
		o.httpClient().CloseIdleConnections()
	}
}

func (o *OpenAI) endpoint() string {
	path := o.formatOrDefault().path
	return strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), path) + path
}

func (o *OpenAI) firstByteTimeout() time.Duration {
	return durationOr(o.FirstByteTimeout, 30*time.Second)
}
func (o *OpenAI) idleTimeout() time.Duration  { return durationOr(o.IdleTimeout, 30*time.Second) }
func (o *OpenAI) retryBackoff() time.Duration { return durationOr(o.Backoff, 200*time.Millisecond) }

func durationOr(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}

// readStream turns the provider's stream into chunks. It returns errConsumerStopped when the consumer has had enough.
func (a *answerReader) readStream(c *providerCall, yield func(Chunk, error) bool) error {
	l := newLineReader(c)
	defer l.release()
	for {
		end := l.fill()
		err := a.consume(l, end)
		if !a.flush(yield) {
			return errConsumerStopped
		}
		switch {
		case err != nil:
			return err
		case a.isDone:
			return a.finishStream(c, l, yield)
		case end == nil:
			if a.finishReason != "" {
				c.readTimeout, c.idleTimeout = finishTimeout, finishTimeout
			}
		case a.finishReason != "" && !c.isCallerGone():
			return a.finishStream(c, l, yield)
		case errors.Is(end, io.EOF):
			return errStreamCut
		default:
			return end
		}
	}
}

func (a *answerReader) finishStream(c *providerCall, l *lineReader, yield func(Chunk, error) bool) error {
	chunks, err := a.finalChunks()
	for _, chunk := range chunks {
		if !yield(chunk, nil) {
			err = errConsumerStopped
			break
		}
	}
	if a.sawDoneMark {
		c.readTimeout, c.idleTimeout = drainTimeout, drainTimeout
		l.drain()
	}
	return err
}
