package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// defaultMaxTokens is the longest answer asked of a model that must be told a bound: every model of Anthropic's allows it.
const defaultMaxTokens = 4096

type anthropicRequest struct {
	Model       string             `json:"model"`
	MaxTokens   int                `json:"max_tokens"`
	System      []anthropicPart    `json:"system,omitempty"`
	Messages    []anthropicMessage `json:"messages"`
	Tools       []anthropicTool    `json:"tools,omitempty"`
	Temperature *float64           `json:"temperature,omitempty"`
	Stream      bool               `json:"stream"`
}

type anthropicMessage struct {
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

func encodeAnthropic(req Request, h modelQuirks) ([]byte, error) {
	w := anthropicRequest{Model: req.Model, Stream: true, MaxTokens: req.MaxTokens, System: anthropicSystem(req, h), Messages: anthropicMessages(req.Messages)}
	if w.MaxTokens <= 0 {
		w.MaxTokens = defaultMaxTokens
	}
	if !h.fixedTemperature {
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

// inputSchema returns the schema of a tool's input; there must be one.
func inputSchema(given json.RawMessage) json.RawMessage {
	if text := bytes.TrimSpace(given); len(text) > 0 && text[0] == '{' {
		return given
	}
	return json.RawMessage(`{"type":"object"}`)
}

// anthropicSystem parts what is the same from turn to turn, which the provider is told to cache together with the tools, from the
// passages.
func anthropicSystem(req Request, h modelQuirks) []anthropicPart {
	steady := anthropicPart{Type: "text", Text: cacheablePrompt(req)}
	if !h.noCacheControl {
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

// anthropicMessages returns the conversation as the interface wants it: user and assistant take turns, the user begins, results of tools are the
// user's, and no text is empty.
func anthropicMessages(messages []Message) []anthropicMessage {
	converted := make([]anthropicMessage, 0, len(messages)+1)
	for i := range messages {
		m := &messages[i]
		role := "user"
		if m.Role == "assistant" {
			role = "assistant"
		}
		parts := anthropicParts(m)
		switch last := len(converted) - 1; {
		case len(parts) == 0:
		case last >= 0 && converted[last].Role == role:
			converted[last].Content = append(converted[last].Content, parts...)
		case last < 0 && role == "assistant":
			converted = append(converted, anthropicMessage{"user", []anthropicPart{emptyMessagePart}}, anthropicMessage{role, parts})
		default:
			converted = append(converted, anthropicMessage{role, parts})
		}
	}
	return pairToolResults(converted)
}

func anthropicParts(m *Message) (parts []anthropicPart) {
	if m.Role == "tool" {
		return []anthropicPart{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Text}}
	}
	if strings.TrimSpace(m.Text) != "" {
		parts = append(parts, anthropicPart{Type: "text", Text: m.Text})
	}
	for _, c := range m.ToolCalls {
		parts = append(parts, anthropicPart{Type: "tool_use", ID: c.ID, Name: c.Name, Input: json.RawMessage(toolArguments(c.Input))})
	}
	return parts
}

// pairToolResults makes sure of what the interface refuses a whole conversation for: each call has its result at the beginning of the message
// right behind it, each result has its call, and the last word is not the assistant's.
func pairToolResults(messages []anthropicMessage) []anthropicMessage {
	if n := len(messages); n > 0 && messages[n-1].Role == "assistant" {
		messages = append(messages, anthropicMessage{Role: "user"})
	}
	for i := range messages {
		if messages[i].Role != "user" {
			continue
		}
		var calls []anthropicPart
		if i > 0 {
			calls = messages[i-1].Content
		}
		if messages[i].Content = orderToolResults(calls, messages[i].Content); len(messages[i].Content) == 0 {
			messages[i].Content = []anthropicPart{emptyMessagePart}
		}
	}
	return messages
}

// emptyMessagePart stands where the interface wants a message and there is none.
var emptyMessagePart = anthropicPart{Type: "text", Text: "…"}

// orderToolResults orders the blocks of a user's message behind the calls. The result of a call that is not there is left out.
func orderToolResults(calls, parts []anthropicPart) (list []anthropicPart) {
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
