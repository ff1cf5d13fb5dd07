package openai

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// CompletionRequest is a conversation to go on with.
type CompletionRequest struct{ Body CompletionBody }

// CompletionBody is the body of a chat completion. Members that it does not have are ignored: nothing that a client
// relies on follows from them.
type CompletionBody struct {
	Model         string                     `json:"model" min:"1"`
	Messages      []Message                  `json:"messages" min:"1" max:"1000"`
	Stream        httpapi.Opt[bool]          `json:"stream,omitzero" nullable:"true"`
	StreamOptions httpapi.Opt[StreamOptions] `json:"stream_options,omitzero" nullable:"true"`
	Temperature   httpapi.Opt[float64]       `json:"temperature,omitzero" nullable:"true" min:"0" max:"2"`
	Tools         httpapi.Opt[[]Tool]        `json:"tools,omitzero" nullable:"true" max:"128"`
	ToolChoice    json.RawMessage            `json:"tool_choice,omitempty"`
	User          httpapi.Opt[string]        `json:"user,omitzero" nullable:"true" max:"128"`

	// What follows is refused unless it changes nothing.

	N              httpapi.Opt[int]      `json:"n,omitzero" nullable:"true"`
	Stop           json.RawMessage       `json:"stop,omitempty"`
	ResponseFormat httpapi.Opt[Format]   `json:"response_format,omitzero" nullable:"true"`
	Logprobs       httpapi.Opt[bool]     `json:"logprobs,omitzero" nullable:"true"`
	Modalities     httpapi.Opt[[]string] `json:"modalities,omitzero" nullable:"true"`
	Functions      json.RawMessage       `json:"functions,omitempty"`
}

// StreamOptions say what a stream holds besides the answer.
type StreamOptions struct {
	IncludeUsage httpapi.Opt[bool] `json:"include_usage,omitzero" nullable:"true"`
}

// Format is the form of an answer.
type Format struct {
	Type string `json:"type"`
}

// Tool is a tool of the client.
type Tool struct {
	Type     string                    `json:"type"`
	Function httpapi.Opt[FunctionTool] `json:"function,omitzero"`
}

// Message is one message of the conversation.
type Message struct {
	Role       string                                          `json:"role" enum:"system,developer,user,assistant,tool"`
	Content    httpapi.Opt[httpapi.Either[string, []TextPart]] `json:"content,omitzero" nullable:"true"`
	ToolCalls  httpapi.Opt[[]ToolCall]                         `json:"tool_calls,omitzero" nullable:"true"`
	ToolCallID httpapi.Opt[string]                             `json:"tool_call_id,omitzero" nullable:"true"`
}

// TextPart is a part of a message.
type TextPart struct {
	Type    string              `json:"type"`
	Text    httpapi.Opt[string] `json:"text,omitzero" nullable:"true"`
	Refusal httpapi.Opt[string] `json:"refusal,omitzero" nullable:"true"`
}

// ToolCall is a call of a tool of the client.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type,omitempty"`
	Function FunctionCall `json:"function"`
}

// FunctionCall is what is called. Arguments are a JSON object as text.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// textTypes are the types of the parts that can be read.
var textTypes = map[string]bool{"text": true, "input_text": true, "output_text": true, "refusal": true}

// joinText returns the text of a content; at is where the client has sent it.
func joinText(content httpapi.Opt[httpapi.Either[string, []TextPart]], at string) (string, error) {
	if content.Value.A != nil {
		return *content.Value.A, nil
	}
	if content.Value.B == nil {
		return "", nil
	}
	var text strings.Builder
	for i, p := range *content.Value.B {
		if !textTypes[p.Type] {
			return "", parley.Invalid(indexed(at, i)+".type", "must be text: agents read no pictures, sound or files here")
		}
		text.WriteString(p.Text.Value)
		text.WriteString(p.Refusal.Value)
	}
	return text.String(), nil
}

// addTo adds the message to the conversation; at is where the client has sent it.
func (m *Message) addTo(x *exchange, at string) error {
	text, err := joinText(m.Content, at+".content")
	if err != nil {
		return err
	}
	switch m.Role {
	case "user":
		x.addText(parley.AuthorUser, text)
	case "tool":
		if !x.addResult(m.ToolCallID.Value, text) {
			return parley.Invalid(at+".tool_call_id", "must name a call of the message before it that has no result yet")
		}
	case "assistant":
		x.addText(parley.AuthorAssistant, text)
		for i, c := range m.ToolCalls.Value {
			if !x.addCall(c.ID, c.Function.Name, c.Function.Arguments) {
				return parley.Invalid(indexed(at+".tool_calls", i)+".function.arguments", "must be a JSON object")
			}
		}
	default:
		x.addInstructions(text)
	}
	return nil
}

// request returns the request for the turn.
func (b *CompletionBody) request() (chat.Request, error) {
	if err := b.checkSupported(); err != nil {
		return chat.Request{}, err
	}
	x := &exchange{field: "messages"}
	for i := range b.Messages {
		if err := b.Messages[i].addTo(x, indexed("messages", i)); err != nil {
			return chat.Request{}, err
		}
	}
	req, err := x.request()
	if err != nil {
		return req, err
	}
	for i, tool := range b.Tools.Value {
		at := indexed("tools", i)
		if err := checkToolType(tool.Type, at); err != nil {
			return req, err
		}
		if !tool.Function.Present {
			return req, parley.Invalid(at+".function", "is required")
		}
		own, err := tool.Function.Value.clientTool(at + ".function")
		if err != nil {
			return req, err
		}
		req.ClientTools = append(req.ClientTools, own)
	}
	req.Streamed, req.UserID = b.Stream.Value, parley.EndUserID(b.User.Value)
	req.Temperature = boundTemperature(b.Temperature)
	return req, applyToolChoice(&req, b.ToolChoice)
}

// boundTemperature returns the temperature within what agents know, whose highest is 1; nil for the agent's own.
func boundTemperature(t httpapi.Opt[float64]) *float64 {
	if t.Ptr() == nil {
		return nil
	}
	bound := min(t.Value, 1)
	return &bound
}

// checkSupported refuses what would change the answer in a way that agents cannot.
func (b *CompletionBody) checkSupported() error {
	refused := map[string]string{}
	if b.N.Ptr() != nil && b.N.Value != 1 {
		refused["n"] = "must be 1: there is one answer"
	}
	if isGiven(b.Stop) && string(b.Stop) != "[]" {
		refused["stop"] = "cannot be set: answers end by themselves"
	}
	if f := b.ResponseFormat.Ptr(); f != nil && f.Type != "text" {
		refused["response_format"] = "must be text: answers are words with their sources"
	}
	if b.Logprobs.Value {
		refused["logprobs"] = "must be false: they are not known"
	}
	for _, m := range b.Modalities.Value {
		if m != "text" {
			refused["modalities"] = "must be text alone"
		}
	}
	if isGiven(b.Functions) {
		refused["functions"] = "cannot be used any more: send tools"
	}
	return parley.InvalidFields(refused)
}

// Completion is the answer in one piece.
type Completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object" enum:"chat.completion"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   Usage    `json:"usage"`
}

// Choice is the answer; there is one.
type Choice struct {
	Index        int       `json:"index"`
	Message      Answer    `json:"message"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason string    `json:"finish_reason" enum:"stop,tool_calls"`
}

// Answer is the message of the assistant.
type Answer struct {
	Role        string       `json:"role" enum:"assistant"`
	Content     *string      `json:"content"`
	Refusal     *string      `json:"refusal"`
	Annotations []Annotation `json:"annotations"`
	ToolCalls   []ToolCall   `json:"tool_calls,omitempty"`
}

// Annotation says what a stretch of the answer rests on.
type Annotation struct {
	Type        string      `json:"type" enum:"url_citation"`
	URLCitation URLCitation `json:"url_citation"`
}

// URLCitation is a source that has an address. The indexes count characters of the answer.
type URLCitation struct {
	StartIndex int    `json:"start_index"`
	EndIndex   int    `json:"end_index"`
	URL        string `json:"url"`
	Title      string `json:"title"`
}

// Usage counts what models have read and written.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

func newUsage(end *chat.Finish) Usage {
	return Usage{end.InputTokens, end.OutputTokens, end.InputTokens + end.OutputTokens}
}

// newAnnotations returns the sources of the answer that have an address: the form knows no others.
func newAnnotations(text string, citations []parley.Citation) []Annotation {
	list := []Annotation{}
	for i, at := range citedSpans(text, citations) {
		if c := &citations[i]; c.URL != "" {
			list = append(list, Annotation{"url_citation", URLCitation{at.start, at.end, c.URL, c.Name}})
		}
	}
	return list
}

// newToolCalls returns the calls that the client is to run.
func newToolCalls(m *parley.Message) (list []ToolCall) {
	for _, p := range openCalls(m) {
		list = append(list, ToolCall{p.ToolCallID, functionType, FunctionCall{p.ToolName, string(p.Input)}})
	}
	return list
}

// finishReason returns why an answer has ended.
func finishReason(end *chat.Finish) string {
	if end.Reason == "tool-calls" {
		return "tool_calls"
	}
	return "stop"
}

func newAnswer(end *chat.Finish) Answer {
	text := end.Message.Text()
	a := Answer{Role: "assistant", Annotations: newAnnotations(text, end.Citations), ToolCalls: newToolCalls(end.Message)}
	if text != "" || len(a.ToolCalls) == 0 {
		a.Content = &text
	}
	return a
}

func (s *server) createCompletion(ctx context.Context, c *call, in *CompletionRequest) (*Completion, error) {
	turn, err := s.startTurn(ctx, c, in.Body.Model, in.Body.request)
	if err != nil {
		return nil, err
	}
	head := chunkHead{ID: "chatcmpl-" + answerID(turn), Created: s.Now().Unix(), Model: in.Body.Model}
	if in.Body.Stream.Value {
		return nil, s.streamTurn(ctx, c, turn, &completionWriter{head: head,
			hasUsage: in.Body.StreamOptions.Value.IncludeUsage.Value})
	}
	end, err := waitForAnswer(ctx, turn)
	if err != nil {
		return nil, err
	}
	return &Completion{ID: head.ID, Object: "chat.completion", Created: head.Created, Model: head.Model,
		Choices: []Choice{{Message: newAnswer(end), FinishReason: finishReason(end)}}, Usage: newUsage(end)}, nil
}

// answerID returns the id of an answer without the prefix of messages: each form has prefixes of its own.
func answerID(turn *chat.Turn) string { return strings.TrimPrefix(string(turn.MessageID), "msg_") }

// startTurn begins the answer of an agent. An agent that is not there is told before what else is wrong.
func (s *server) startTurn(ctx context.Context, c *call, model string,
	build func() (chat.Request, error)) (*chat.Turn, error) {
	caller := callerOf(c)
	ref := caller.AgentRef(parley.AgentID(model))
	if err := s.DB.CheckAgent(ctx, ref, s.Now()); err != nil {
		return nil, err
	}
	req, err := build()
	if err != nil {
		return nil, err
	}
	return s.Chat.Start(ctx, caller.Caller, ref.Agent, req)
}

// waitForAnswer returns the whole answer. A part of one is a failure: clients could not tell it.
func waitForAnswer(ctx context.Context, turn *chat.Turn) (*chat.Finish, error) {
	end, err := turn.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if end.Reason == "error" || end.Message == nil {
		return nil, parley.NewError(parley.CodeChatStreaming)
	}
	return end, nil
}

const (
	defaultKeepAliveInterval = 15 * time.Second
	streamOpenDelay          = 10 * time.Second // how long a stream waits for the answer to begin before it is opened
)
