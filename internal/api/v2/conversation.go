package v2

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Conversation is the summary of a conversation (docs/interface/conversations.md#summary).
type Conversation struct {
	ID        string  `json:"id" format:"uuid"`
	Title     *string `json:"title"`
	CreatedAt int64   `json:"createdAt" doc:"Epoch seconds."`
	UpdatedAt int64   `json:"updatedAt" doc:"Epoch seconds of the last activity."`
	UserID    *string `json:"userId" doc:"The end user, by the client's own id."`
	Status    string  `json:"status" enum:"@conversationStatus" name:"ConversationStatus"`
}

func newConversation(c *parley.Conversation) Conversation {
	return Conversation{ID: string(c.ID), Title: textOrNull(c.Title), CreatedAt: c.CreatedAt.Unix(),
		UpdatedAt: c.UpdatedAt.Unix(), UserID: textOrNull(c.UserID), Status: string(c.Status)}
}

// History is a conversation with a page of its messages.
type History struct {
	Conversation
	Messages []Message `json:"messages" doc:"The newest messages, oldest first."`
}

// HistoryPage is the reply to a request for one conversation. Its cursor continues in the list of messages.
type HistoryPage struct {
	Data       History    `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// ConversationRef names the conversation in a path.
type ConversationRef struct {
	AgentID        string `path:"agentId"`
	ConversationID string `path:"conversationId" id:"uuid"`
}

// ConversationQuery narrows the list of conversations.
type ConversationQuery struct {
	AgentRef
	Paging
	StartDate string `query:"startDate"`
	EndDate   string `query:"endDate" doc:"Created on this day or earlier, or at this time or earlier."`
}

// FieldDocs returns the docs that are too long for tags.
func (ConversationQuery) FieldDocs() map[string]string {
	return map[string]string{
		"startDate": "Created on this day (YYYY-MM-DD, UTC) or later, or at this ISO 8601 time or later.",
	}
}

func (s *server) listConversations(ctx context.Context, c *call, in *ConversationQuery) (*Page[Conversation], error) {
	from, before, err := parseDateRange(in.StartDate, in.EndDate)
	if err != nil {
		return nil, err
	}
	if v := callerOf(c).Visitor; v != nil {
		return s.visitorConversations(ctx, v, in.Limit)
	}
	return s.conversationPage(ctx, c, in.AgentID, in.Paging, "conversations "+in.AgentID,
		store.ConversationFilter{Channel: parley.ChannelAPI, CreatedFrom: from, CreatedBefore: before})
}

// visitorConversations lists the latest conversations of a visitor, on one page.
func (s *server) visitorConversations(ctx context.Context, v *parley.Visitor, limit int) (*Page[Conversation], error) {
	list, err := s.DB.VisitorConversations(ctx, v, limit)
	if err != nil {
		return nil, fmt.Errorf("list a visitor's conversations: %w", err)
	}
	return &Page[Conversation]{httpapi.ConvertList(list, newConversation), Pagination{Total: len(list)}}, nil
}

func (s *server) getConversation(ctx context.Context, c *call, in *ConversationRef) (*HistoryPage, error) {
	conv, err := s.findAPIConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	page, err := s.messagePage(ctx, c, conv, parley.PageRequest{Limit: 20})
	if err != nil {
		return nil, err
	}
	return &HistoryPage{History{newConversation(conv), page.Data}, page.Pagination}, nil
}

// findAPIConversation returns a conversation that began through the API. It fails with RESOURCE_NOT_FOUND for one
// of another origin, too, with a message that says how it can be read.
func (s *server) findAPIConversation(ctx context.Context, c *call, agent, id string) (*parley.Conversation, error) {
	return s.findConversation(ctx, c, agent, id, parley.CodeResourceNotFound)
}

// findHandoverConversation is findAPIConversation, but it also finds conversations of tickets that were opened
// through the API: their customers exchange messages with people, too. Those of a channel have the same origin where
// their messenger has none of its own, and a name there.
func (s *server) findHandoverConversation(ctx context.Context, c *call,
	agent, id string) (*parley.Conversation, error) {
	conv, err := s.findConversation(ctx, c, agent, id, parley.CodeResourceNotFound, parley.ChannelUnspecified)
	if err == nil && conv.Channel == parley.ChannelUnspecified && conv.ExternalID != "" {
		return nil, newOriginError(conv)
	}
	return conv, err
}

// findConversation returns a conversation that began through the API or has one of the other channels. It fails
// with notFoundCode for an unknown id.
func (s *server) findConversation(ctx context.Context, c *call, agent, id string, notFoundCode parley.Code,
	otherChannels ...parley.Channel) (*parley.Conversation, error) {
	if v := callerOf(c).Visitor; v != nil {
		return s.findVisitorConversation(ctx, v, id, notFoundCode)
	}
	conv, err := s.DB.Conversation(ctx, agentRef(c, agent).ConversationRef(parley.ConversationID(id)))
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return nil, parley.NewError(notFoundCode)
	}
	if err != nil {
		return nil, fmt.Errorf("find conversation: %w", err)
	}
	if conv.Channel != parley.ChannelAPI && !slices.Contains(otherChannels, conv.Channel) {
		return nil, newOriginError(conv)
	}
	return conv, nil
}

// newOriginError returns the failure of reading a conversation of another origin.
func newOriginError(c *parley.Conversation) error {
	return parley.NewErrorf(parley.CodeResourceNotFound,
		"This conversation came from %q, and only conversations that began through the API are read here. "+
			"Export it instead: GET /agents/%s/conversations/export?conversationId=%s", c.Channel, c.AgentID, c.ID)
}

// findVisitorConversation returns a conversation of a visitor. One of somebody else is not found.
func (s *server) findVisitorConversation(ctx context.Context, v *parley.Visitor, id string,
	notFoundCode parley.Code) (*parley.Conversation, error) {
	conv, err := s.DB.VisitorConversation(ctx, v, parley.ConversationID(id))
	if parley.IsCode(err, parley.CodeConversationNotFound) {
		return nil, parley.NewError(notFoundCode)
	}
	return conv, err
}

// parseDateRange parses the two dates of a query. A whole day in UTC is included; before is the first moment after
// the range.
func parseDateRange(start, end string) (from, before *time.Time, err error) {
	if start != "" {
		at, _, ok := httpapi.ParseTime(start)
		if !ok {
			return nil, nil, parley.Invalid("startDate", httpapi.InvalidTimeMessage)
		}
		from = &at
	}
	if end != "" {
		at, wholeDay, ok := httpapi.ParseTime(end)
		if !ok {
			return nil, nil, parley.Invalid("endDate", httpapi.InvalidTimeMessage)
		}
		endExclusive := httpapi.ExclusiveEnd(at, wholeDay)
		if from != nil && (!wholeDay && from.After(at) || !from.Before(endExclusive)) {
			return nil, nil, parley.NewError(parley.CodeInvalidDateRange)
		}
		before = &endExclusive
	}
	return from, before, nil
}

// UserConversationQuery asks for the conversations of an end user (docs/interface/conversations.md#summary).
type UserConversationQuery struct {
	AgentRef
	UserID string `path:"userId"`
	Paging
}

// listUserConversations lists the conversations that an end user has begun through the API. An id that no user can
// have finds nothing, like any unknown one.
func (s *server) listUserConversations(ctx context.Context, c *call,
	in *UserConversationQuery) (*Page[Conversation], error) {
	return s.conversationPage(ctx, c, in.AgentID, in.Paging, "conversations "+in.AgentID+" of "+in.UserID,
		store.ConversationFilter{Channel: parley.ChannelAPI, User: parley.EndUserID(in.UserID)})
}

// conversationPage returns one page of a list of conversations.
func (s *server) conversationPage(ctx context.Context, c *call, agent string, paging Paging, purpose string,
	filter store.ConversationFilter) (*Page[Conversation], error) {
	request, err := s.pageRequest(paging, purpose)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Conversations(ctx, agentRef(c, agent), filter, request)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	return newPage(s, page, purpose, newConversation), nil
}

// Message is one message of a conversation (docs/interface/conversations.md#messages).
type Message struct {
	ID        string                `json:"id"`
	Role      string                `json:"role" enum:"@messageRole" name:"MessageRole"`
	Parts     []Part                `json:"parts"`
	CreatedAt int64                 `json:"createdAt" doc:"Epoch seconds."`
	Feedback  string                `json:"feedback,omitempty" enum:"@rating" name:"Rating"`
	Metadata  httpapi.Opt[Evidence] `json:"metadata,omitzero" doc:"Of the assistant's messages only."`
}

// FieldDocs returns the docs that are too long for tags.
func (Message) FieldDocs() map[string]string {
	return map[string]string{
		"feedback": "Of the assistant's messages that somebody has rated.",
	}
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

// Evidence is the confidence in an answer and the sources that support it.
type Evidence struct {
	Score       *float64   `json:"score" min:"0" max:"1" doc:"Confidence of the answer; null when the model cannot tell."`
	AnswerState *string    `json:"answerState" enum:"@answerState" name:"AnswerState"`
	Citations   []Citation `json:"citations"`
}

// FieldDocs returns the docs that are too long for tags.
func (Evidence) FieldDocs() map[string]string {
	return map[string]string{
		"answerState": "What the answer says of itself: it answers; it is not sure and quotes what is nearest; " +
			"or the sources do not hold it. Null when the model does not tell.",
		"citations": "Which bytes of which version of a source support which bytes of the answer's text.",
	}
}

// Citation links a span of the answer's text to the bytes of a source's version that support it.
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

func newEvidence(score *float64, state parley.AnswerState, citations []parley.Citation) Evidence {
	e := Evidence{Score: score, AnswerState: textOrNull(state), Citations: make([]Citation, len(citations))}
	for i, c := range citations {
		e.Citations[i] = Citation{SourceID: string(c.SourceID), Name: c.Name, URL: textOrNull(c.URL),
			VersionHash: c.VersionHash,
			Start:       c.Start, End: c.End, AnswerStart: c.AnswerStart, AnswerEnd: c.AnswerEnd}
	}
	return e
}

// newMessage returns a message as clients see it now: a tool call without a result has one that says so.
func (s *server) newMessage(m *parley.Message) Message {
	out := Message{ID: string(m.ID), Role: m.Role(), Parts: newParts(m.VisibleParts(s.Now())),
		CreatedAt: m.CreatedAt.Unix()}
	if out.Role == "assistant" {
		out.Feedback = m.Feedback
		out.Metadata = httpapi.Some(newEvidence(m.Score, m.AnswerState, m.Citations))
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
	parts := make([]Part, 0, len(list))
	for _, p := range list {
		if p.Type != parley.PartFile {
			parts = append(parts, Part{Type: p.Type, Text: p.Text, ToolCallID: p.ToolCallID, ToolName: p.ToolName,
				Input: p.Input, Output: p.Output})
		}
	}
	return parts
}

// MessageQuery asks for a page of messages.
type MessageQuery struct {
	ConversationRef
	Paging
}

func (s *server) listMessages(ctx context.Context, c *call, in *MessageQuery) (*Page[Message], error) {
	conv, err := s.findAPIConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	request, err := s.pageRequest(in.Paging, messagesPurpose(conv))
	if err != nil {
		return nil, err
	}
	return s.messagePage(ctx, c, conv, request)
}

func messagesPurpose(conv *parley.Conversation) string { return "messages " + string(conv.ID) }

// messagePage returns one page of a conversation's messages. The list begins with the newest page; within a page
// the oldest message is first.
func (s *server) messagePage(ctx context.Context, c *call, conv *parley.Conversation,
	request parley.PageRequest) (*Page[Message], error) {
	page, err := s.DB.Messages(ctx, agentRef(c, conv.AgentID).ConversationRef(conv.ID), request)
	if err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	return newPage(s, page, messagesPurpose(conv), s.newMessage), nil
}

// FeedbackRequest rates a message.
type FeedbackRequest struct {
	ConversationRef
	MessageID string `path:"messageId"`
	Body      FeedbackBody
}

// FeedbackBody is the body of a rating (docs/interface/conversations.md#feedback). It may have no other members.
type FeedbackBody struct {
	Feedback *string `json:"feedback" enum:"@rating" name:"Rating" doc:"Null takes the rating back."`
}

func (s *server) rateMessage(ctx context.Context, c *call, in *FeedbackRequest) (*Data[Message], error) {
	if err := s.checkConversation(ctx, c, in.ConversationRef); err != nil {
		return nil, err
	}
	rating := ""
	if in.Body.Feedback != nil {
		rating = *in.Body.Feedback
	}
	m, err := s.Conversations.Rate(ctx, agentRef(c, in.AgentID).
		ConversationRef(parley.ConversationID(in.ConversationID)), parley.MessageID(in.MessageID), rating)
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		return nil, parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("rate message: %w", err)
	}
	return &Data[Message]{s.newMessage(m)}, nil
}
