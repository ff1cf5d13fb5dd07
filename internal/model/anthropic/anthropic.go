// Package anthropic answers in the wire format of Anthropic's Messages API.
package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strings"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/prompt"
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

// WireFormat returns the row of this wire format.
func WireFormat() model.WireFormat {
	return model.WireFormat{Name: "anthropic", DefaultURL: DefaultURL, New: func(baseURL, key string) model.Model {
		return &Model{Client: httpclient.Client{BaseURL: baseURL, Key: key}}
	}}
}

const apiVersion = "2023-06-01"

var format = stream.Format{
	Path:       "/messages",
	SetHeaders: SetHeaders,
	Encode:     encodeRequest,
	NewDecoder: func() stream.Decoder { return new(decoder).decode },
}

// SetHeaders adds a key, if there is one, and the version of the interface.
func SetHeaders(h http.Header, key string) {
	h.Set("Anthropic-Version", apiVersion)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

// Stream implements Model.
func (m *Model) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return stream.Answer(ctx, &m.Client, &m.quirks, &format, req)
}

// defaultMaxTokens is the longest answer asked of a model that requires a bound: every model of Anthropic's allows it.
const defaultMaxTokens = 4096

type request struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens"`
	System      []messagePart `json:"system,omitempty"`
	Messages    []message     `json:"messages"`
	Tools       []tool        `json:"tools,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`
	Stream      bool          `json:"stream"`
}

type message struct {
	Role    string        `json:"role"`
	Content []messagePart `json:"content"`
}

// messagePart is one block of a message: a text, a call, or a call's result.
type messagePart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	Cache     *cacheControl   `json:"cache_control,omitempty"`
}

// cacheControl marks the end of what is the same from request to request.
type cacheControl struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func encodeRequest(req model.Request, h stream.Quirks) ([]byte, error) {
	w := request{Model: req.Model, Stream: true, MaxTokens: req.MaxTokens, System: systemParts(req, h),
		Messages: convertMessages(req.Messages)}
	if w.MaxTokens <= 0 {
		w.MaxTokens = defaultMaxTokens
	}
	if !h.FixedTemperature {
		t := min(max(req.Temperature, 0), 1)
		w.Temperature = &t
	}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, tool{t.Name, t.Description, inputSchema(t.Parameters)})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(w)
	return b.Bytes(), err
}

// inputSchema returns the schema of a tool's input; there must be one.
func inputSchema(schema json.RawMessage) json.RawMessage {
	if text := bytes.TrimSpace(schema); len(text) > 0 && text[0] == '{' {
		return schema
	}
	return json.RawMessage(`{"type":"object"}`)
}

// systemParts returns the system prompt in two parts: what is the same from turn to turn, which the provider caches
// together with the tools, and the passages.
func systemParts(req model.Request, h stream.Quirks) []messagePart {
	steady := messagePart{Type: "text", Text: prompt.Instructions(req)}
	if !h.NoCacheControl {
		steady.Cache = &cacheControl{Type: "ephemeral"}
	}
	if steady.Text == "" {
		return nil
	}
	parts := []messagePart{steady}
	if sources := prompt.Sources(req); sources != "" {
		parts = append(parts, messagePart{Type: "text", Text: sources})
	}
	return parts
}

// convertMessages returns the conversation as the API wants it: user and assistant take turns, the user begins, results
// of tools are the user's, and no text is empty.
func convertMessages(messages []model.Message) []message {
	converted := make([]message, 0, len(messages)+1)
	for i := range messages {
		m := &messages[i]
		role := "user"
		if m.Role == "assistant" {
			role = "assistant"
		}
		parts := convertMessage(m)
		switch last := len(converted) - 1; {
		case len(parts) == 0:
		case last >= 0 && converted[last].Role == role:
			converted[last].Content = append(converted[last].Content, parts...)
		case last < 0 && role == "assistant":
			converted = append(converted, message{"user", []messagePart{emptyMessagePart}}, message{role, parts})
		default:
			converted = append(converted, message{role, parts})
		}
	}
	return pairToolResults(converted)
}

func convertMessage(m *model.Message) (parts []messagePart) {
	if m.Role == "tool" {
		return []messagePart{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Text}}
	}
	if strings.TrimSpace(m.Text) != "" {
		parts = append(parts, messagePart{Type: "text", Text: m.Text})
	}
	for _, c := range m.ToolCalls {
		parts = append(parts, messagePart{Type: "tool_use", ID: c.ID, Name: c.Name,
			Input: json.RawMessage(stream.ToolArguments(c.Input))})
	}
	return parts
}

// pairToolResults makes sure of what the API refuses a whole conversation for: each call has its result at the
// beginning of the message right behind it, each result has its call, and the last word is not the assistant's.
func pairToolResults(messages []message) []message {
	if n := len(messages); n > 0 && messages[n-1].Role == "assistant" {
		messages = append(messages, message{Role: "user"})
	}
	for i := range messages {
		if messages[i].Role != "user" {
			continue
		}
		var calls []messagePart
		if i > 0 {
			calls = messages[i-1].Content
		}
		if messages[i].Content = orderToolResults(calls, messages[i].Content); len(messages[i].Content) == 0 {
			messages[i].Content = []messagePart{emptyMessagePart}
		}
	}
	return messages
}

// emptyMessagePart is sent where the API wants a message and there is none.
var emptyMessagePart = messagePart{Type: "text", Text: "…"}

// orderToolResults orders the blocks of a user's message behind the calls. The result of a call that is not there is
// left out.
func orderToolResults(calls, parts []messagePart) (list []messagePart) {
	for _, c := range calls {
		if c.Type != "tool_use" {
			continue
		}
		i := slices.IndexFunc(parts, func(p messagePart) bool { return p.Type == "tool_result" && p.ToolUseID == c.ID })
		if i < 0 {
			list = append(list, messagePart{Type: "tool_result", ToolUseID: c.ID, Content: "(no result)"})
			continue
		}
		list = append(list, parts[i])
	}
	for _, p := range parts {
		if p.Type != "tool_result" {
			list = append(list, p)
		}
	}
	return list
}
