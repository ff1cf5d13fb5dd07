// Package openai answers and embeds in the wire formats of OpenAI's API, which many servers understand.
package openai

import (
	"context"
	"iter"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/stream"
)

// Model answers in the OpenAI wire format (POST {BaseURL}/chat/completions, streamed), by any server that understands
// it.
//
// Every failure is a *parley.Error with CodeChatStreaming: its Message is safe for the caller, its Err holds the cause
// with the key removed. A request is repeated only while nothing of the answer has arrived.
type Model struct {
	httpclient.Client
	quirks stream.QuirkCache
}

var _ model.Model = (*Model)(nil)

var format = stream.Format{
	Path:       "/chat/completions",
	Encode:     encodeRequest,
	NewDecoder: func() stream.Decoder { return decodeDelta },
}

// Stream implements Model.
func (o *Model) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return stream.Answer(ctx, &o.Client, &o.quirks, &format, req)
}
