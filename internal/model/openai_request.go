package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
)

type openAIRequest struct {
	Model               string               `json:"model,omitempty"`
	Messages            []openAIMessage      `json:"messages"`
	Tools               []openAITool         `json:"tools,omitempty"`
	Temperature         *float64             `json:"temperature,omitempty"`
	MaxTokens           int                  `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                  `json:"max_completion_tokens,omitempty"`
	Stream              bool                 `json:"stream"`
	StreamOptions       *openAIStreamOptions `json:"stream_options,omitempty"`
}

type openAIStreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type openAIMessage struct {
	Role       string           `json:"role"`
	Content    *string          `json:"content"`
	ToolCalls  []openAIToolCall `json:"tool_calls,omitempty"`
	ToolCallID string           `json:"tool_call_id,omitempty"`
}

type openAIToolCall struct {
	ID       string             `json:"id"`
	Type     string             `json:"type"`
	Function openAIFunctionCall `json:"function"`
}

type openAIFunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type openAITool struct {
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

func encodeOpenAI(req Request, h modelQuirks) ([]byte, error) {
	w := openAIRequest{Model: req.Model, Stream: true, Messages: openAIMessages(req)}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, openAITool{"function", openAIFunction{t.Name, t.Description, t.Parameters}})
	}
	if !h.fixedTemperature {
		w.Temperature = &req.Temperature
	}
	if !h.noStreamOptions {
		w.StreamOptions = &openAIStreamOptions{IncludeUsage: true}
	}
	if h.usesMaxCompletionTokens {
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

func openAIMessages(req Request) []openAIMessage {
	system := systemPrompt(req)
	out := append(make([]openAIMessage, 0, len(req.Messages)+1), openAIMessage{Role: "system", Content: &system})
	for i := range req.Messages {
		m := &req.Messages[i]
		message := openAIMessage{Role: m.Role, Content: &m.Text, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls, openAIToolCall{c.ID, "function", openAIFunctionCall{c.Name, toolArguments(c.Input)}})
		}
		if m.Text == "" && len(message.ToolCalls) > 0 {
			message.Content = nil
		}
		out = append(out, message)
	}
	return out
}

// toolArguments returns a call's input as a JSON object: some providers refuse a whole conversation for one broken call in it.
func toolArguments(input json.RawMessage) string {
	if text := bytes.TrimSpace(input); len(text) > 0 && text[0] == '{' && json.Valid(text) {
		return string(text)
	}
	return "{}"
}

// modelQuirks is what a model turned out not to accept.
type modelQuirks struct {
	fixedTemperature        bool // wants its own default
	usesMaxCompletionTokens bool // calls the limit max_completion_tokens
	noStreamOptions         bool // knows no stream_options
	noCacheControl          bool // knows no cache_control
}

// quirkCache remembers, per model, which parameters the provider refused, so that only the first request pays for it.
type quirkCache struct {
	mu            sync.Mutex
	quirksByModel map[string]modelQuirks
}

func (h *quirkCache) forModel(model string) modelQuirks {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.quirksByModel[model]
}

// learnFromError reports whether the refusal names a parameter that the next request can leave out.
func (h *quirkCache) learnFromError(model string, sent modelQuirks, err error) bool {
	var r *statusError
	if !errors.As(err, &r) || r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity {
		return false
	}
	now := sent
	now.usesMaxCompletionTokens = sent.usesMaxCompletionTokens || bytes.Contains(r.body, []byte("max_completion_tokens"))
	now.fixedTemperature = sent.fixedTemperature || bytes.Contains(r.body, []byte("temperature"))
	now.noStreamOptions = sent.noStreamOptions || bytes.Contains(r.body, []byte("stream_options"))
	now.noCacheControl = sent.noCacheControl || bytes.Contains(r.body, []byte("cache_control"))
	if now == sent {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.quirksByModel == nil {
		h.quirksByModel = map[string]modelQuirks{}
	}
	h.quirksByModel[model] = now
	return true
}
