package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
)

// Message is what is said to an agent.
type Message struct {
	Text           string
	ConversationID string // continues a conversation; empty begins one
	UserID         string // the end user, by your own id; of a new conversation only
}

type chatBody struct {
	Message        string `json:"message,omitempty"`
	ConversationID string `json:"conversationId,omitempty"`
	UserID         string `json:"userId,omitempty"`
	Stream         bool   `json:"stream"`
}

func (m Message) body(stream bool) chatBody {
	return chatBody{m.Text, m.ConversationID, m.UserID, stream}
}

// Part is a piece of a message: a text, a call of a tool or its result.
type Part struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Input      json.RawMessage `json:"input"`
	Output     json.RawMessage `json:"output"`
}

// Citation says which bytes of a source support which bytes of the answer's text.
type Citation struct {
	SourceID    string  `json:"sourceId"`
	Name        string  `json:"name"`
	URL         *string `json:"url"`
	Start       int     `json:"start"`
	End         int     `json:"end"`
	AnswerStart int     `json:"answerStart"`
	AnswerEnd   int     `json:"answerEnd"`
}

// Metadata locates an answer in its conversation and holds its sources and its cost.
type Metadata struct {
	MessageID      string     `json:"messageId"` // of a stream only; an answer has it as its ID
	UserMessageID  string     `json:"userMessageId"`
	ConversationID string     `json:"conversationId"`
	UserID         *string    `json:"userId"`
	FinishReason   string     `json:"finishReason"` // stop, tool-calls or error
	Score          *float64   `json:"score"`
	Citations      []Citation `json:"citations"`
	Usage          struct {
		Credits float64 `json:"credits"`
	} `json:"usage"`
}

// Answer is what an agent has answered.
type Answer struct {
	ID       string   `json:"id"`
	Role     string   `json:"role"`
	Parts    []Part   `json:"parts"`
	Metadata Metadata `json:"metadata"`
}

// Text joins the texts of the answer.
func (a *Answer) Text() string {
	text := ""
	for _, p := range a.Parts {
		if p.Type == "text" {
			text += p.Text
		}
	}
	return text
}

// Chat sends a message and returns the whole answer.
func (c *Client) Chat(ctx context.Context, agent string, m Message) (*Answer, error) {
	var out struct {
		Data Answer `json:"data"`
	}
	err := c.Do(ctx, http.MethodPost, "/agents/"+escape(agent)+"/chat", m.body(false), &out)
	if err != nil {
		return nil, err
	}
	return &out.Data, nil
}

// SendToolResult sends the result of a tool call that ran at the client. Chat or Stream without a text then continue
// with the answer.
func (c *Client) SendToolResult(ctx context.Context, agent, conversation, call string, output any) error {
	body := map[string]any{"toolCallId": call, "output": output}
	path := "/agents/" + escape(agent) + "/conversations/" + escape(conversation) + "/tool-result"
	return c.Do(ctx, http.MethodPost, path, body, nil)
}

// Event is one event of an answer while it is being written. Which fields are set depends on the type.
type Event struct {
	Type         string          `json:"type"` // text-delta, tool-input-available, tool-output-available, finish …
	Delta        string          `json:"delta"`
	MessageID    string          `json:"messageId"`
	ToolCallID   string          `json:"toolCallId"`
	ToolName     string          `json:"toolName"`
	Input        json.RawMessage `json:"input"`
	Output       json.RawMessage `json:"output"`
	FinishReason string          `json:"finishReason"`
	ErrorText    string          `json:"errorText"`
	Metadata     Metadata        `json:"messageMetadata"` // of start and of finish
}

// ErrCutShort says that a stream has ended before the answer did.
var ErrCutShort = errors.New("parley: the stream ended before the answer did")

// Stream sends a message and returns the events of the answer as they come. The last item is an error where the answer
// fails or the stream is cut short. Leaving the loop ends the request; the server completes the answer all the same.
func (c *Client) Stream(ctx context.Context, agent string, m Message) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		resp, err := c.send(ctx, http.MethodPost, "/agents/"+escape(agent)+"/chat", m.body(true))
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		readEvents(resp.Body, yield)
	}
}

// readEvents reads the events of a stream. A line of any length is read.
func readEvents(from io.Reader, yield func(Event, error) bool) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: ")); ok && err == nil {
			var e Event
			switch {
			case string(data) == "[DONE]":
				return
			case json.Unmarshal(data, &e) != nil:
				err = fmt.Errorf("parley: an event cannot be read: %s", data)
			case e.Type == "error":
				err = &Error{Status: http.StatusOK, Code: "CHAT_STREAMING_ERROR", Message: e.ErrorText}
			case !yield(e, nil):
				return
			}
		}
		if errors.Is(err, io.EOF) {
			err = ErrCutShort
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
	}
}
