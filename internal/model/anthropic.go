package model

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

	FirstByteTimeout time.Duration // longest wait for the first byte of the answer; 0 is 30 s
	IdleTimeout      time.Duration // longest silence inside an answer; 0 is 30 s
	Backoff          time.Duration // wait before the first retry, about three times that before the second; 0 is 200 ms

	once   sync.Once
	openAI *OpenAI
}

var _ Model = (*Anthropic)(nil)

// AnthropicURL is where Anthropic itself answers.
const AnthropicURL = "https://api.anthropic.com/v1"

// anthropicVersion is the version of the interface that the requests are written for.
const anthropicVersion = "2023-06-01"

var anthropicFormat = wireFormat{path: "/messages", setHeaders: setAnthropicHeaders, encode: encodeAnthropic, newReader: newAnthropicReader}

func setAnthropicHeaders(h http.Header, key string) {
	h.Set("Anthropic-Version", anthropicVersion)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

func newAnthropicReader(req Request) *answerReader {
	a := newAnswerReader(req)
	a.anthropic = &anthropicDecoder{}
	return a
}

// Stream implements Model.
func (a *Anthropic) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return a.transport().Stream(ctx, req)
}

// Close drops the idle connections of the model's own pool.
func (a *Anthropic) Close() { a.transport().Close() }

// transport returns the line that the requests go over.
func (a *Anthropic) transport() *OpenAI {
	a.once.Do(func() {
		url := a.BaseURL
		if url == "" {
			url = AnthropicURL
		}
		a.openAI = &OpenAI{BaseURL: url, Key: a.Key, HTTP: a.HTTP, FirstByteTimeout: a.FirstByteTimeout, IdleTimeout: a.IdleTimeout, Backoff: a.Backoff, format: &anthropicFormat}
	})
	return a.openAI
}
