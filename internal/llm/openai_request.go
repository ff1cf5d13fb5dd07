package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
)

type wireRequest struct {
	Model               string       `json:"model,omitempty"`
	Messages            []wireSaid   `json:"messages"`
	Tools               []wireTool   `json:"tools,omitempty"`
	Temperature         *float64     `json:"temperature,omitempty"`
	MaxTokens           int          `json:"max_tokens,omitempty"`
	MaxCompletionTokens int          `json:"max_completion_tokens,omitempty"`
	Stream              bool         `json:"stream"`
	StreamOptions       *wireOptions `json:"stream_options,omitempty"`
}

type wireOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireSaid struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function wireFunc `json:"function"`
}

type wireFunc struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

func encode(req Request, h habit) ([]byte, error) {
	w := wireRequest{Model: req.Model, Stream: true, Messages: wireMessages(req)}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, wireTool{"function", wireFunction{t.Name, t.Description, t.Parameters}})
	}
	if !h.ownTemperature {
		w.Temperature = &req.Temperature
	}
	if !h.noUsage {
		w.StreamOptions = &wireOptions{IncludeUsage: true}
	}
	if h.completionTokens {
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

func wireMessages(req Request) []wireSaid {
	system := systemPrompt(req)
	out := append(make([]wireSaid, 0, len(req.Messages)+1), wireSaid{Role: "system", Content: &system})
	for i := range req.Messages {
		m := &req.Messages[i]
		said := wireSaid{Role: m.Role, Content: &m.Text, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			said.ToolCalls = append(said.ToolCalls, wireCall{c.ID, "function", wireFunc{c.Name, arguments(c.Input)}})
		}
		if m.Text == "" && len(said.ToolCalls) > 0 {
			said.Content = nil
		}
		out = append(out, said)
	}
	return out
}

// arguments gives a call's input as a JSON object: some providers refuse a whole conversation for one broken call in it.
func arguments(input json.RawMessage) string {
	if text := bytes.TrimSpace(input); len(text) > 0 && text[0] == '{' && json.Valid(text) {
		return string(text)
	}
	return "{}"
}

// habit is what a model turned out not to accept.
type habit struct {
	ownTemperature   bool // wants its own default
	completionTokens bool // calls the limit max_completion_tokens
	noUsage          bool // knows no stream_options
	noCache          bool // knows no cache_control
}

// habits remembers, per model, which parameters the provider refused, so that only the first request pays for it.
type habits struct {
	mu    sync.Mutex
	known map[string]habit
}

func (h *habits) of(model string) habit {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known[model]
}

// learn reports whether the refusal names a parameter that the next request can leave out.
func (h *habits) learn(model string, sent habit, err error) bool {
	var r *refusal
	if !errors.As(err, &r) || r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity {
		return false
	}
	now := sent
	now.completionTokens = sent.completionTokens || bytes.Contains(r.body, []byte("max_completion_tokens"))
	now.ownTemperature = sent.ownTemperature || bytes.Contains(r.body, []byte("temperature"))
	now.noUsage = sent.noUsage || bytes.Contains(r.body, []byte("stream_options"))
	now.noCache = sent.noCache || bytes.Contains(r.body, []byte("cache_control"))
	if now == sent {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[string]habit{}
	}
	h.known[model] = now
	return true
}
