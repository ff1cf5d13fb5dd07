// Package openai answers and embeds in the wire formats of OpenAI's API, which many servers understand.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/prompt"
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
func (m *Model) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return stream.Answer(ctx, &m.Client, &m.quirks, &format, req)
}

type request struct {
	Model               string         `json:"model,omitempty"`
	Messages            []message      `json:"messages"`
	Tools               []tool         `json:"tools,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

func encodeRequest(req model.Request, h stream.Quirks) ([]byte, error) {
	w := request{Model: req.Model, Stream: true, Messages: convertMessages(req)}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, tool{"function", function{t.Name, t.Description, t.Parameters}})
	}
	if !h.FixedTemperature {
		w.Temperature = &req.Temperature
	}
	if !h.NoStreamOptions {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if h.UsesMaxCompletionTokens {
		w.MaxCompletionTokens = req.MaxTokens
	} else {
		w.MaxTokens = req.MaxTokens
	}
	var b bytes.Buffer
	size := 1024
	for _, m := range w.Messages {
		if m.Content != nil {
			size += len(*m.Content) + len(*m.Content)/16
		}
	}
	b.Grow(size) // the prompt is long: growing by doubling would copy it several times
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(w)
	return b.Bytes(), err
}

func convertMessages(req model.Request) []message {
	system := prompt.System(req)
	out := append(make([]message, 0, len(req.Messages)+1), message{Role: "system", Content: &system})
	for i := range req.Messages {
		m := &req.Messages[i]
		message := message{Role: m.Role, Content: &m.Text, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls,
				toolCall{c.ID, "function", functionCall{c.Name, stream.ToolArguments(c.Input)}})
		}
		if m.Text == "" && len(message.ToolCalls) > 0 {
			message.Content = nil
		}
		out = append(out, message)
	}
	return out
}
