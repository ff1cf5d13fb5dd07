// Package stream asks model providers and turns what they stream into chunks. What is particular to one wire format is
// in a Format.
package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model"
)

// Format is what distinguishes one provider's wire format from another's.
type Format struct {
	Path string // of the endpoint, below the base URL
	// adds the key and what else the provider wants; nil sends a bearer token
	SetHeaders func(h http.Header, key string)
	Encode     func(req model.Request, q Quirks) ([]byte, error) // returns the body of the request
	NewDecoder func() Decoder                                    // returns the decoder of one answer
}

// Decoder adds to d what the event data says, and reports whether data is one valid JSON object.
type Decoder func(d *Delta, data []byte) bool

const (
	maxRetries     = 2
	maxAmendments  = 3       // requests that are repeated without a parameter that was refused
	maxStreamLines = 1 << 18 // lines of one stream, comments included
	answerTimeout  = 30 * time.Second
	finishTimeout  = 2 * time.Second
	drainTimeout   = 50 * time.Millisecond
)

// Answer asks the provider and returns its answer as chunks.
func Answer(ctx context.Context, client *httpclient.Client, quirks *QuirkCache, format *Format,
	req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		fail := func(err error) {
			yield(model.Chunk{}, httpclient.WithCause(parley.NewError(parley.CodeChatStreaming), err, client.Key))
		}
		resp, err := sendRequest(ctx, client, quirks, format, req)
		if err != nil {
			fail(err)
			return
		}
		defer resp.Close()
		a := newAnswerReader(req, format.NewDecoder())
		if err := a.readStream(resp, yield); err != nil && !errors.Is(err, httpclient.ErrConsumerStopped) {
			fail(err)
		}
	}
}

// sendRequest sends the request until the provider accepts it, and repeats it where that can help.
func sendRequest(ctx context.Context, client *httpclient.Client, quirks *QuirkCache, format *Format,
	req model.Request) (*httpclient.Response, error) {
	for attempt, amended := 0, 0; ; {
		q := quirks.forModel(req.Model)
		body, err := format.Encode(req, q)
		if err != nil {
			return nil, err
		}
		resp, err := client.Send(ctx, httpclient.Request{
			Path:             format.Path,
			ContentType:      "application/json",
			Accept:           "text/event-stream, application/json",
			Body:             body,
			SetHeaders:       format.SetHeaders,
			FirstByteTimeout: answerTimeout,
			IdleTimeout:      answerTimeout,
		})
		if err == nil || ctx.Err() != nil {
			return resp, err
		}
		if amended < maxAmendments && quirks.learnFromError(req.Model, q, err) {
			amended++
			continue
		}
		if attempt == maxRetries {
			return nil, err
		}
		delay, canRetry := httpclient.RetryDelay(client.Backoff, attempt, err)
		if !canRetry {
			return nil, err
		}
		if err := httpclient.Sleep(ctx, delay); err != nil {
			return nil, err
		}
		attempt++
	}
}

// readStream turns the provider's stream into chunks. It returns ErrConsumerStopped when the consumer has stopped.
func (a *answerReader) readStream(resp *httpclient.Response, yield func(model.Chunk, error) bool) error {
	l := httpclient.NewLineReader(resp)
	defer l.Release()
	for {
		end := l.Fill()
		err := a.consume(l, end)
		if !a.flush(yield) {
			return httpclient.ErrConsumerStopped
		}
		switch {
		case err != nil:
			return err
		case a.isDone:
			return a.finishStream(resp, l, yield)
		case end == nil:
			if a.finishReason != "" {
				resp.SetReadTimeout(finishTimeout)
			}
		case a.finishReason != "" && !resp.IsCallerGone():
			return a.finishStream(resp, l, yield)
		case errors.Is(end, io.EOF):
			return httpclient.ErrStreamCut
		default:
			return end
		}
	}
}

func (a *answerReader) finishStream(resp *httpclient.Response, l *httpclient.LineReader,
	yield func(model.Chunk, error) bool) error {
	chunks, err := a.finalChunks()
	for _, chunk := range chunks {
		if !yield(chunk, nil) {
			err = httpclient.ErrConsumerStopped
			break
		}
	}
	if a.sawDoneMark {
		resp.SetReadTimeout(drainTimeout)
		l.Drain()
	}
	return err
}

// Delta is what one event of the stream adds. The decoder is written out by hand because it runs for every token of
// every answer, and because encoding/json would replace the halves of a code point that a provider split over two
// events.
type Delta struct {
	Text         []byte // appended to the text so far
	Calls        []ToolCallPart
	FinishReason []byte
	Usage        Usage
	ErrorJSON    []byte // the raw error, nil if there is none
	IsLast       bool   // nothing follows
}

type Usage struct{ Input, Output int }

// merge keeps what a later event says: providers count up.
func (u *Usage) merge(later Usage) {
	if later.Input > 0 {
		u.Input = later.Input
	}
	if later.Output > 0 {
		u.Output = later.Output
	}
}

// ToolCallPart is a fragment of a tool call; the index is -1 if the provider sends none.
type ToolCallPart struct {
	Index    int
	ID, Name []byte
	Input    []byte
}

// Quirks is what a model turned out not to accept.
type Quirks struct {
	FixedTemperature        bool // wants its own default
	UsesMaxCompletionTokens bool // calls the limit max_completion_tokens
	NoStreamOptions         bool // knows no stream_options
	NoCacheControl          bool // knows no cache_control
}

// QuirkCache remembers, per model, which parameters the provider refused, so that only the first request pays for it.
type QuirkCache struct {
	mu            sync.Mutex
	quirksByModel map[string]Quirks
}

func (q *QuirkCache) forModel(model string) Quirks {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.quirksByModel[model]
}

// learnFromError reports whether the refusal names a parameter that the next request can leave out.
func (q *QuirkCache) learnFromError(model string, sent Quirks, err error) bool {
	var r *httpclient.StatusError
	if !errors.As(err, &r) || r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity {
		return false
	}
	now := sent
	now.UsesMaxCompletionTokens = sent.UsesMaxCompletionTokens || bytes.Contains(r.Body, []byte("max_completion_tokens"))
	now.FixedTemperature = sent.FixedTemperature || bytes.Contains(r.Body, []byte("temperature"))
	now.NoStreamOptions = sent.NoStreamOptions || bytes.Contains(r.Body, []byte("stream_options"))
	now.NoCacheControl = sent.NoCacheControl || bytes.Contains(r.Body, []byte("cache_control"))
	if now == sent {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.quirksByModel == nil {
		q.quirksByModel = map[string]Quirks{}
	}
	q.quirksByModel[model] = now
	return true
}
