// Package anthropic answers in the wire format of Anthropic's Messages API.
package anthropic

import (
	"context"
	"iter"
	"net/http"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/stream"
)

// Model answers in the wire format of Anthropic's Messages API (POST {BaseURL}/messages, streamed), by Anthropic or any
// server that understands it.
//
// Every failure is a *parley.Error with CodeChatStreaming: its Message is safe for the caller, its Err holds the cause
// with the key removed. A request is repeated only while nothing of the answer has arrived.
type Model struct {
	httpclient.Client
	quirks stream.QuirkCache
}

var _ model.Model = (*Model)(nil)

// DefaultURL is the address of Anthropic itself.
const DefaultURL = "https://api.anthropic.com/v1"

// apiVersion is the version of the API that the requests are written for.
const apiVersion = "2023-06-01"

var format = stream.Format{
	Path:       "/messages",
	SetHeaders: setHeaders,
	Encode:     encodeRequest,
	NewDecoder: newDecoder,
}

func setHeaders(h http.Header, key string) {
	h.Set("Anthropic-Version", apiVersion)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

func newDecoder() stream.Decoder { return new(decoder).decode }

// Stream implements Model.
func (a *Model) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return stream.Answer(ctx, &a.Client, &a.quirks, &format, req)
}
