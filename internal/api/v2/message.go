package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// Message is one message of a conversation (interface 2.4).
type Message struct {
	ID        string                `json:"id"`
	Role      string                `json:"role" enum:"user,assistant" name:"MessageRole"`
	Parts     []Part                `json:"parts"`
	CreatedAt int64                 `json:"createdAt" doc:"Epoch seconds."`
	Feedback  string                `json:"feedback,omitempty" enum:"positive,negative" name:"Rating" doc:"Of the assistant's messages that somebody has rated."`
	Metadata  httpapi.Opt[Evidence] `json:"metadata,omitzero" doc:"Of the assistant's messages only."`
}

// Part is a piece of a message.
type Part struct {
	Type       string          `json:"type" enum:"text,tool-call,tool-result"`
	Text       string          `json:"text,omitempty" doc:"Of a text."`
	ToolCallID string          `json:"toolCallId,omitempty" doc:"Of a tool's call or result."`
	ToolName   string          `json:"toolName,omitempty"`
	Input      json.RawMessage `json:"input,omitempty" doc:"Of a tool's call."`
	Output     json.RawMessage `json:"output,omitempty" doc:"Of a tool's result."`
}

// Evidence is how far an answer can be trusted, and what it rests on.
type Evidence struct {
	Score     *float64   `json:"score" min:"0" max:"1" doc:"Confidence of the answer; null when the model cannot tell."`
	Citations []Citation `json:"citations" doc:"Which bytes of which version of a source support which bytes of the answer's text."`
}

// Citation ties a stretch of the answer's text to the bytes of a source's version that support it.
type Citation struct {
	SourceID    string  `json:"sourceId" format:"uuid"`
	Name        string  `json:"name"`
	URL         *string `json:"url"`
	VersionHash string  `json:"versionHash" doc:"SHA-256 of the version's text, hex."`
	Start       int     `json:"start" doc:"First byte in the version's text."`
	End         int     `json:"end"`
	AnswerStart int     `json:"answerStart" doc:"First byte in the answer's text."`
	AnswerEnd   int     `json:"answerEnd"`
}

func newEvidence(score *float64, citations []parley.Citation) Evidence {
	e := Evidence{Score: score, Citations: make([]Citation, len(citations))}
	for i, c := range citations {
		e.Citations[i] = Citation{SourceID: string(c.SourceID), Name: c.Name, URL: textOrNull(c.URL), VersionHash: c.VersionHash,
			Start: c.Start, End: c.End, AnswerStart: c.AnswerStart, AnswerEnd: c.AnswerEnd}
	}
	return e
}

// newMessage is a message as it is shown, now: a call without a result has one that says so.
func (s *server) newMessage(m *parley.Message) Message {
	out := Message{ID: string(m.ID), Role: m.Role(), Parts: newParts(m.VisibleParts(s.Now())), CreatedAt: m.CreatedAt.Unix()}
	if out.Role == "assistant" {
		out.Feedback = m.Feedback
		out.Metadata = httpapi.Some(newEvidence(m.Score, m.Citations))
	}
	return out
}

// messageParts returns a message's parts as they are stored; a missing message has none.
func messageParts(m *parley.Message) []Part {
	if m == nil {
		return []Part{}
	}
	return newParts(m.Parts)
}

func newParts(list []parley.Part) []Part {
	parts := make([]Part, len(list))
	for i, p := range list {
		parts[i] = Part(p)
	}
	return parts
}

// MessageQuery asks for a page of messages.
type MessageQuery struct {
	ConversationRef
	Paging
}

func (s *server) listMessages(ctx context.Context, c *httpapi.Call, in *MessageQuery) (*Page[Message], error) {
	conv, err := s.findAPIConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	ask, err := s.pageRequest(in.Paging, messagesPurpose(conv))
	if err != nil {
		return nil, err
	}
	return s.messagePage(ctx, c, conv, ask)
}

func messagesPurpose(conv *parley.Conversation) string { return "messages " + string(conv.ID) }

// messagePage reads one page of a conversation's messages: the list walks backward, a page runs forward (interface 4.8).
func (s *server) messagePage(ctx context.Context, c *httpapi.Call, conv *parley.Conversation, ask parley.PageRequest) (*Page[Message], error) {
	page, err := s.DB.Messages(ctx, callerOf(c).Account.ID, conv.AgentID, conv.ID, ask)
	if err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	return newPage(s, page, messagesPurpose(conv), s.newMessage), nil
}
