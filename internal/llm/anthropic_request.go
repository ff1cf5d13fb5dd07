package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// answerTokens is the longest answer asked of a model that must be told a bound: every model of Anthropic's allows it.
const answerTokens = 4096

type anthropicRequest struct {
	Model       string          `json:"model"`
	MaxTokens   int             `json:"max_tokens"`
	System      []anthropicPart `json:"system,omitempty"`
	Messages    []anthropicSaid `json:"messages"`
	Tools       []anthropicTool `json:"tools,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	Stream      bool            `json:"stream"`
}

type anthropicSaid struct {
	Role    string          `json:"role"`
	Content []anthropicPart `json:"content"`
}

// anthropicPart is one block of a message: a text, a call, or a call's result.
type anthropicPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	Cache     *anthropicCache `json:"cache_control,omitempty"`
}

// anthropicCache marks the end of what is the same from request to request.
type anthropicCache struct {
	Type string `json:"type"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func encodeAnthropic(req Request, h habit) ([]byte, error) {
	w := anthropicRequest{Model: req.Model, Stream: true, MaxTokens: req.MaxTokens, System: anthropicSystem(req, h), Messages: anthropicMessages(req.Messages)}
	if w.MaxTokens <= 0 {
		w.MaxTokens = answerTokens
	}
	if !h.ownTemperature {
		t := min(max(req.Temperature, 0), 1)
		w.Temperature = &t
	}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, anthropicTool{t.Name, t.Description, inputSchema(t.Parameters)})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(w)
	return b.Bytes(), err
}

// inputSchema gives the schema of a tool's input; there must be one.
func inputSchema(given json.RawMessage) json.RawMessage {
	if text := bytes.TrimSpace(given); len(text) > 0 && text[0] == '{' {
		return given
	}
	return json.RawMessage(`{"type":"object"}`)
}

// anthropicSystem parts what is the same from turn to turn, which the provider is told to cache together with the tools, from the
// passages.
func anthropicSystem(req Request, h habit) []anthropicPart {
	steady := anthropicPart{Type: "text", Text: steadyPrompt(req)}
	if !h.noCache {
		steady.Cache = &anthropicCache{Type: "ephemeral"}
	}
	if steady.Text == "" {
		return nil
	}
	parts := []anthropicPart{steady}
	if sources := sourcesPrompt(req); sources != "" {
		parts = append(parts, anthropicPart{Type: "text", Text: sources})
	}
	return parts
}

// anthropicMessages gives the conversation as the interface wants it: user and assistant take turns, the user begins, results of tools are the
// user's, and no text is empty.
func anthropicMessages(messages []Message) []anthropicSaid {
	said := make([]anthropicSaid, 0, len(messages)+1)
	for i := range messages {
		m := &messages[i]
		role := "user"
		if m.Role == "assistant" {
			role = "assistant"
		}
		parts := anthropicParts(m)
		switch last := len(said) - 1; {
		case len(parts) == 0:
		case last >= 0 && said[last].Role == role:
			said[last].Content = append(said[last].Content, parts...)
		case last < 0 && role == "assistant":
			said = append(said, anthropicSaid{"user", []anthropicPart{nothingSaid}}, anthropicSaid{role, parts})
		default:
			said = append(said, anthropicSaid{role, parts})
		}
	}
	return settled(said)
}

func anthropicParts(m *Message) (parts []anthropicPart) {
	if m.Role == "tool" {
		return []anthropicPart{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Text}}
	}
	if strings.TrimSpace(m.Text) != "" {
		parts = append(parts, anthropicPart{Type: "text", Text: m.Text})
	}
	for _, c := range m.ToolCalls {
		parts = append(parts, anthropicPart{Type: "tool_use", ID: c.ID, Name: c.Name, Input: json.RawMessage(arguments(c.Input))})
	}
	return parts
}

// settled makes sure of what the interface refuses a whole conversation for: each call has its result at the beginning of the message
// right behind it, each result has its call, and the last word is not the assistant's.
func settled(said []anthropicSaid) []anthropicSaid {
	if n := len(said); n > 0 && said[n-1].Role == "assistant" {
		said = append(said, anthropicSaid{Role: "user"})
	}
	for i := range said {
		if said[i].Role != "user" {
			continue
		}
		var calls []anthropicPart
		if i > 0 {
			calls = said[i-1].Content
		}
		if said[i].Content = resultsFirst(calls, said[i].Content); len(said[i].Content) == 0 {
			said[i].Content = []anthropicPart{nothingSaid}
		}
	}
	return said
}

// nothingSaid stands where the interface wants a message and there is none.
var nothingSaid = anthropicPart{Type: "text", Text: "…"}

// resultsFirst orders the blocks of a user's message behind the calls. The result of a call that is not there is left out.
func resultsFirst(calls, parts []anthropicPart) (list []anthropicPart) {
	for _, c := range calls {
		if c.Type != "tool_use" {
			continue
		}
		i := slices.IndexFunc(parts, func(p anthropicPart) bool { return p.Type == "tool_result" && p.ToolUseID == c.ID })
		if i < 0 {
			list = append(list, anthropicPart{Type: "tool_result", ToolUseID: c.ID, Content: "(no result)"})
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
