package llm

import (
	"context"
	"iter"
	"net/http"
	"sync"
	"time"
)

// Anthropic speaks Anthropic's Messages API (POST {BaseURL}/messages, streamed) to Anthropic or to any server that understands it.
//
// It fails and repeats as OpenAI does. The same bounds hold.
type Anthropic struct {
	BaseURL string       // up to and including the version; empty is AnthropicURL
	Key     string       // sent as x-api-key; empty sends none
	HTTP    *http.Client // nil takes a pool of its own that Close empties

	FirstByte time.Duration // longest wait for the first byte of the answer; 0 is 30 s
	Idle      time.Duration // longest silence inside an answer; 0 is 30 s
	Backoff   time.Duration // wait before the first retry, about three times that before the second; 0 is 200 ms

	once sync.Once
	line *OpenAI
}

var _ Model = (*Anthropic)(nil)

// AnthropicURL is where Anthropic itself answers.
const AnthropicURL = "https://api.anthropic.com/v1"

// anthropicVersion is the version of the interface that the requests are written for.
const anthropicVersion = "2023-06-01"

var anthropicFormat = format{path: "/messages", sign: signAnthropic, encode: encodeAnthropic, intake: newAnthropicIntake}

func signAnthropic(h http.Header, key string) {
	h.Set("Anthropic-Version", anthropicVersion)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

func newAnthropicIntake(req Request) *intake {
	a := newIntake(req)
	a.blocks = &blocks{}
	return a
}

// Stream implements Model.
func (a *Anthropic) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return a.over().Stream(ctx, req)
}

// Close drops the idle connections of the model's own pool.
func (a *Anthropic) Close() { a.over().Close() }

// over gives the line that the requests go over.
func (a *Anthropic) over() *OpenAI {
	a.once.Do(func() {
		url := a.BaseURL
		if url == "" {
			url = AnthropicURL
		}
		a.line = &OpenAI{BaseURL: url, Key: a.Key, HTTP: a.HTTP, FirstByte: a.FirstByte, Idle: a.Idle, Backoff: a.Backoff, format: &anthropicFormat}
	})
	return a.line
}
