package openai

import (
	"strings"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// responseEvent is one event of a streamed response. Which of the fields are set depends on the type.
type responseEvent struct {
	Type            string      `json:"type"`
	SequenceNumber  int         `json:"sequence_number"`
	Response        *Response   `json:"response,omitempty"`
	ItemID          string      `json:"item_id,omitempty"`
	OutputIndex     *int        `json:"output_index,omitempty"`
	ContentIndex    *int        `json:"content_index,omitempty"`
	AnnotationIndex *int        `json:"annotation_index,omitempty"`
	Item            any         `json:"item,omitempty"`
	Part            *OutputText `json:"part,omitempty"`
	Delta           *string     `json:"delta,omitempty"`
	Text            *string     `json:"text,omitempty"`
	Name            string      `json:"name,omitempty"`
	Arguments       *string     `json:"arguments,omitempty"`
	Annotation      any         `json:"annotation,omitempty"`
	Logprobs        []struct{}  `json:"logprobs,omitzero"`
	Code            string      `json:"code,omitempty"`
	Message         string      `json:"message,omitempty"`
}

// responseWriter writes a response as events. The text of the answer is one item, which begins with its first word and
// ends with the answer; calls of tools have items behind it.
type responseWriter struct {
	response  Response
	messageID string
	sequence  int
	hasText   bool
	text      strings.Builder
	calls     []CallItem
	hasFailed bool
	err       error // the first failure to encode an event
}

func (w *responseWriter) send(out *httpapi.Stream, e responseEvent) {
	e.SequenceNumber = w.sequence
	w.sequence++
	if err := out.SendEvent(e.Type, 0, e); err != nil && w.err == nil {
		w.err = err
	}
}

func (w *responseWriter) begin(out *httpapi.Stream) {
	r := w.response
	w.send(out, responseEvent{Type: "response.created", Response: &r})
	w.send(out, responseEvent{Type: "response.in_progress", Response: &r})
}

func (w *responseWriter) write(out *httpapi.Stream, e *chat.Event) error {
	switch e.Kind {
	case chat.Text:
		w.writeText(out, e.Text)
	case chat.ToolCalled:
		if e.Call.RunsOnClient {
			w.calls = append(w.calls, newCallItem(e.Call.CallID, e.Call.Tool, e.Call.Input))
		}
	case chat.Failed:
		w.fail(out, e.Err)
	case chat.Finished:
		w.finish(out, e.Finish)
	case chat.ToolReturned, chat.NextRound: // of the agent's own tools
	}
	return w.err
}

// messageItem returns the item of the text.
func (w *responseWriter) messageItem(status string, content []OutputText) MessageItem {
	return MessageItem{ID: w.messageID, Type: "message", Status: status, Role: "assistant", Content: content}
}

func (w *responseWriter) writeText(out *httpapi.Stream, text string) {
	first := new(int)
	if !w.hasText {
		w.hasText = true
		w.send(out, responseEvent{Type: "response.output_item.added", OutputIndex: first,
			Item: w.messageItem(statusInProgress, []OutputText{})})
		empty := newOutputText("", []any{})
		w.send(out, responseEvent{Type: "response.content_part.added", ItemID: w.messageID, OutputIndex: first,
			ContentIndex: first, Part: &empty})
	}
	w.text.WriteString(text)
	w.send(out, responseEvent{Type: "response.output_text.delta", ItemID: w.messageID, OutputIndex: first,
		ContentIndex: first, Delta: &text, Logprobs: []struct{}{}})
}

// endText writes the end of the text, with its sources.
func (w *responseWriter) endText(out *httpapi.Stream, citations []parley.Citation) {
	first, text := new(int), w.text.String()
	part := newOutputText(text, newTextAnnotations(text, citations))
	for i, a := range part.Annotations {
		w.send(out, responseEvent{Type: "response.output_text.annotation.added", ItemID: w.messageID, OutputIndex: first,
			ContentIndex: first, AnnotationIndex: &i, Annotation: a})
	}
	w.send(out, responseEvent{Type: "response.output_text.done", ItemID: w.messageID, OutputIndex: first,
		ContentIndex: first, Text: &text, Logprobs: []struct{}{}})
	w.send(out, responseEvent{Type: "response.content_part.done", ItemID: w.messageID, OutputIndex: first,
		ContentIndex: first, Part: &part})
	item := w.messageItem(statusCompleted, []OutputText{part})
	w.send(out, responseEvent{Type: "response.output_item.done", OutputIndex: first, Item: item})
	w.response.Output = append(w.response.Output, item)
}

// writeCall writes a call that the client is to run. It comes whole.
func (w *responseWriter) writeCall(out *httpapi.Stream, c CallItem) {
	at, opened := len(w.response.Output), c
	opened.Status, opened.Arguments = statusInProgress, ""
	w.send(out, responseEvent{Type: "response.output_item.added", OutputIndex: &at, Item: opened})
	w.send(out, responseEvent{Type: "response.function_call_arguments.delta", ItemID: c.ID, OutputIndex: &at,
		Delta: &c.Arguments})
	w.send(out, responseEvent{Type: "response.function_call_arguments.done", ItemID: c.ID, OutputIndex: &at, Name: c.Name,
		Arguments: &c.Arguments})
	w.send(out, responseEvent{Type: "response.output_item.done", OutputIndex: &at, Item: c})
	w.response.Output = append(w.response.Output, c)
}

func (w *responseWriter) finish(out *httpapi.Stream, end *chat.Finish) {
	if end.Reason == "error" || end.Message == nil {
		if !w.hasFailed {
			w.fail(out, parley.NewError(parley.CodeChatStreaming))
		}
		return
	}
	if w.hasText {
		w.endText(out, end.Citations)
	}
	for _, c := range w.calls {
		w.writeCall(out, c)
	}
	w.response.Status, w.response.Usage = statusCompleted, newResponseUsage(end)
	w.send(out, responseEvent{Type: "response.completed", Response: &w.response})
}

// fail writes that there is no whole answer. Some clients read that in the response, and others in an event of its own.
func (w *responseWriter) fail(out *httpapi.Stream, e *parley.Error) {
	w.hasFailed = true
	_, body := renderFailure(e)
	failure := body.(Envelope).Error
	w.response.Status = statusFailed
	w.response.Error = &ResponseError{Code: *failure.Code, Message: failure.Message}
	w.send(out, responseEvent{Type: "response.failed", Response: &w.response})
	w.send(out, responseEvent{Type: "error", Code: *failure.Code, Message: failure.Message})
}
