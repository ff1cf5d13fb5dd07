package openai

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// ResponseRequest is a conversation to go on with.
type ResponseRequest struct{ Body ResponseBody }

// ResponseBody is the body of a request for a response. Members that it does not have are ignored.
type ResponseBody struct {
	Model        string                              `json:"model" min:"1"`
	Input        httpapi.Either[string, []InputItem] `json:"input"`
	Instructions httpapi.Opt[string]                 `json:"instructions,omitzero" nullable:"true"`
	Stream       httpapi.Opt[bool]                   `json:"stream,omitzero" nullable:"true"`
	Temperature  httpapi.Opt[float64]                `json:"temperature,omitzero" nullable:"true" min:"0" max:"2"`
	Tools        httpapi.Opt[[]ResponseTool]         `json:"tools,omitzero" nullable:"true" max:"128"`
	ToolChoice   json.RawMessage                     `json:"tool_choice,omitempty"`
	User         httpapi.Opt[string]                 `json:"user,omitzero" nullable:"true" max:"128"`
	Metadata     httpapi.Opt[map[string]string]      `json:"metadata,omitzero" nullable:"true"`

	// What follows is refused unless it changes nothing.

	PreviousResponseID httpapi.Opt[string]     `json:"previous_response_id,omitzero" nullable:"true"`
	Conversation       json.RawMessage         `json:"conversation,omitempty"`
	Prompt             json.RawMessage         `json:"prompt,omitempty"`
	Background         httpapi.Opt[bool]       `json:"background,omitzero" nullable:"true"`
	Text               httpapi.Opt[TextFormat] `json:"text,omitzero" nullable:"true"`
}

// TextFormat is the form of a text.
type TextFormat struct {
	Format httpapi.Opt[Format] `json:"format,omitzero" nullable:"true"`
}

// ResponseTool is a tool of the client.
type ResponseTool struct {
	Type        string              `json:"type"`
	Name        httpapi.Opt[string] `json:"name,omitzero" pattern:"^[A-Za-z0-9_-]{1,64}$"`
	Description httpapi.Opt[string] `json:"description,omitzero" nullable:"true"`
	Parameters  json.RawMessage     `json:"parameters,omitempty"`
}

// InputItem is a message, a call of a tool or the result of one.
type InputItem struct {
	Type      httpapi.Opt[string]                             `json:"type,omitzero"`
	Role      httpapi.Opt[string]                             `json:"role,omitzero"`
	Content   httpapi.Opt[httpapi.Either[string, []TextPart]] `json:"content,omitzero" nullable:"true"`
	CallID    httpapi.Opt[string]                             `json:"call_id,omitzero"`
	Name      httpapi.Opt[string]                             `json:"name,omitzero" nullable:"true"`
	Arguments httpapi.Opt[string]                             `json:"arguments,omitzero"`
	Output    httpapi.Opt[httpapi.Either[string, []TextPart]] `json:"output,omitzero"`
}

// addTo adds the item to the conversation; at is where the client has sent it.
func (item *InputItem) addTo(x *exchange, at string) error {
	switch item.Type.Value {
	case "", "message":
		return item.addMessageTo(x, at)
	case "function_call":
		if !x.addCall(item.CallID.Value, item.Name.Value, item.Arguments.Value) {
			return parley.Invalid(at+".arguments", "must be a JSON object")
		}
	case "function_call_output":
		text, err := joinText(item.Output, at+".output")
		if err != nil {
			return err
		}
		if !x.addResult(item.CallID.Value, text) {
			return parley.Invalid(at+".call_id", "must name a call of the items before it that has no result yet")
		}
	case "reasoning": // of another model; it says nothing to this one
	case "item_reference":
		return parley.Invalid(at+".type", "must not be item_reference: nothing is stored, so send the item itself; "+
			"most clients do so with store: false")
	default:
		return parley.Invalid(at+".type", "must be message, function_call or function_call_output")
	}
	return nil
}

func (item *InputItem) addMessageTo(x *exchange, at string) error {
	text, err := joinText(item.Content, at+".content")
	if err != nil {
		return err
	}
	switch item.Role.Value {
	case "user":
		x.addText(parley.AuthorUser, text)
	case "assistant":
		x.addText(parley.AuthorAssistant, text)
	case "system", "developer":
		x.addInstructions(text)
	default:
		return parley.Invalid(at+".role", "must be one of: user, assistant, system, developer")
	}
	return nil
}

// request returns the request for the turn.
func (b *ResponseBody) request() (chat.Request, error) {
	if err := b.checkSupported(); err != nil {
		return chat.Request{}, err
	}
	x := &exchange{field: "input"}
	x.addInstructions(b.Instructions.Value)
	if b.Input.A != nil {
		x.addText(parley.AuthorUser, *b.Input.A)
	} else {
		for i := range *b.Input.B {
			if err := (*b.Input.B)[i].addTo(x, indexed("input", i)); err != nil {
				return chat.Request{}, err
			}
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
		if tool.Name.Value == "" {
			return req, parley.Invalid(at+".name", "is required")
		}
		function := FunctionTool{Name: tool.Name.Value, Description: tool.Description, Parameters: tool.Parameters}
		own, err := function.clientTool(at)
		if err != nil {
			return req, err
		}
		req.ClientTools = append(req.ClientTools, own)
	}
	req.Streamed, req.UserID = b.Stream.Value, parley.EndUserID(b.User.Value)
	req.Temperature = boundTemperature(b.Temperature)
	return req, applyToolChoice(&req, b.ToolChoice)
}

// checkSupported refuses what would change the answer in a way that agents cannot.
func (b *ResponseBody) checkSupported() error {
	refused := map[string]string{}
	const notStored = "cannot be used: responses are not stored, so send the whole conversation as input"
	if b.PreviousResponseID.Ptr() != nil {
		refused["previous_response_id"] = notStored
	}
	if isGiven(b.Conversation) {
		refused["conversation"] = notStored
	}
	if isGiven(b.Prompt) {
		refused["prompt"] = "cannot be used: the agent has its own instructions"
	}
	if b.Background.Value {
		refused["background"] = "must be false"
	}
	if f := b.Text.Value.Format.Ptr(); f != nil && f.Type != "text" {
		refused["text.format"] = "must be text: answers are words with their sources"
	}
	return parley.InvalidFields(refused)
}

// Response is an answer. It has a list of items: the message, and calls of tools that the client is to run.
type Response struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object" enum:"response"`
	CreatedAt          int64             `json:"created_at"`
	Status             string            `json:"status" enum:"in_progress,completed,failed"`
	Background         bool              `json:"background"`
	Error              *ResponseError    `json:"error"`
	IncompleteDetails  *struct{}         `json:"incomplete_details"`
	Instructions       *string           `json:"instructions"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	Metadata           map[string]string `json:"metadata"`
	Model              string            `json:"model"`
	Output             []any             `json:"output"`
	ParallelToolCalls  bool              `json:"parallel_tool_calls"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Reasoning          Reasoning         `json:"reasoning"`
	Store              bool              `json:"store"`
	Temperature        float64           `json:"temperature"`
	Text               ResponseText      `json:"text"`
	ToolChoice         json.RawMessage   `json:"tool_choice"`
	Tools              []ToolEcho        `json:"tools"`
	TopP               float64           `json:"top_p"`
	Truncation         string            `json:"truncation" enum:"disabled"`
	Usage              *ResponseUsage    `json:"usage"`
	User               *string           `json:"user"`
}

// ResponseError is why a response has failed.
type ResponseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Reasoning is what is told of it: nothing.
type Reasoning struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

// ResponseText is the form of texts.
type ResponseText struct {
	Format Format `json:"format"`
}

// ToolEcho is a tool of the client, as it was sent.
type ToolEcho struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// ResponseUsage counts what models have read and written.
type ResponseUsage struct {
	InputTokens         int          `json:"input_tokens"`
	InputTokensDetails  CachedTokens `json:"input_tokens_details"`
	OutputTokens        int          `json:"output_tokens"`
	OutputTokensDetails ThoughtSize  `json:"output_tokens_details"`
	TotalTokens         int          `json:"total_tokens"`
}

// CachedTokens are those that cost less; they are not counted apart.
type CachedTokens struct {
	CachedTokens int `json:"cached_tokens"`
}

// ThoughtSize is how much a model has written for itself; it is not counted apart.
type ThoughtSize struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

func newResponseUsage(end *chat.Finish) *ResponseUsage {
	return &ResponseUsage{InputTokens: end.InputTokens, OutputTokens: end.OutputTokens,
		TotalTokens: end.InputTokens + end.OutputTokens}
}

const (
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusFailed     = "failed"
)

// MessageItem is the message of an answer.
type MessageItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type" enum:"message"`
	Status  string       `json:"status"`
	Role    string       `json:"role" enum:"assistant"`
	Content []OutputText `json:"content"`
}

// OutputText is the text of a message.
type OutputText struct {
	Type        string     `json:"type" enum:"output_text"`
	Text        string     `json:"text"`
	Annotations []any      `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

func newOutputText(text string, annotations []any) OutputText {
	return OutputText{Type: "output_text", Text: text, Annotations: annotations, Logprobs: []struct{}{}}
}

// CallItem is a call of a tool that the client is to run.
type CallItem struct {
	ID        string `json:"id"`
	Type      string `json:"type" enum:"function_call"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func newCallItem(id, name string, input json.RawMessage) CallItem {
	return CallItem{ID: "fc_" + id, Type: "function_call", Status: statusCompleted, CallID: id, Name: name,
		Arguments: string(input)}
}

// urlAnnotation and fileAnnotation say what a stretch of the answer rests on: a source with an address, or another.
type urlAnnotation struct {
	Type       string `json:"type"`
	StartIndex int    `json:"start_index"`
	EndIndex   int    `json:"end_index"`
	URL        string `json:"url"`
	Title      string `json:"title"`
}

type fileAnnotation struct {
	Type     string `json:"type"`
	FileID   string `json:"file_id"`
	Filename string `json:"filename"`
	Index    int    `json:"index"`
}

// newTextAnnotations returns the sources of the answer. Those without an address are named as files are.
func newTextAnnotations(text string, citations []parley.Citation) []any {
	list := []any{}
	for i, at := range citedSpans(text, citations) {
		c := &citations[i]
		if c.URL != "" {
			list = append(list, urlAnnotation{"url_citation", at.start, at.end, c.URL, c.Name})
		} else {
			list = append(list, fileAnnotation{"file_citation", string(c.SourceID), c.Name, at.end})
		}
	}
	return list
}

// newResponse returns a response that has just begun.
func (s *server) newResponse(turn *chat.Turn, b *ResponseBody) Response {
	r := Response{ID: "resp_" + answerID(turn), Object: "response", CreatedAt: s.Now().Unix(),
		Status: statusInProgress, Instructions: b.Instructions.Ptr(), Metadata: b.Metadata.Value, Model: b.Model,
		Output: []any{}, ParallelToolCalls: true, Temperature: 1, Text: ResponseText{Format{"text"}},
		ToolChoice: b.ToolChoice, Tools: []ToolEcho{}, TopP: 1, Truncation: "disabled", User: b.User.Ptr()}
	if r.Metadata == nil {
		r.Metadata = map[string]string{}
	}
	if t := b.Temperature.Ptr(); t != nil {
		r.Temperature = *t
	}
	if !isGiven(r.ToolChoice) {
		r.ToolChoice = json.RawMessage(`"auto"`)
	}
	for _, tool := range b.Tools.Value {
		echo := ToolEcho{Type: tool.Type, Name: tool.Name.Value, Description: tool.Description.Ptr(),
			Parameters: tool.Parameters}
		if !isGiven(echo.Parameters) {
			echo.Parameters = json.RawMessage(noParameters)
		}
		r.Tools = append(r.Tools, echo)
	}
	return r
}

func (s *server) createResponse(ctx context.Context, c *call, in *ResponseRequest) (*Response, error) {
	turn, err := s.startTurn(ctx, c, in.Body.Model, in.Body.request)
	if err != nil {
		return nil, err
	}
	r := s.newResponse(turn, &in.Body)
	w := &responseWriter{response: r, messageID: "msg_" + answerID(turn)}
	if in.Body.Stream.Value {
		return nil, s.streamTurn(ctx, c, turn, w)
	}
	end, err := waitForAnswer(ctx, turn)
	if err != nil {
		return nil, err
	}
	r.Status, r.Usage = statusCompleted, newResponseUsage(end)
	if text := end.Message.Text(); text != "" {
		r.Output = append(r.Output, MessageItem{ID: w.messageID, Type: "message", Status: statusCompleted,
			Role: "assistant", Content: []OutputText{newOutputText(text, newTextAnnotations(text, end.Citations))}})
	}
	for _, p := range openCalls(end.Message) {
		r.Output = append(r.Output, newCallItem(p.ToolCallID, p.ToolName, p.Input))
	}
	return &r, nil
}
