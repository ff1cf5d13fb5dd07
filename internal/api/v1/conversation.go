package v1

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// ConversationsQuery selects conversations of all origins.
type ConversationsQuery struct {
	ChatbotID string   `query:"chatbotId" required:"true"`
	Sources   []string `query:"filteredSources"`
	StartDate string   `query:"startDate" doc:"Created on this day (YYYY-MM-DD, UTC) or later."`
	EndDate   string   `query:"endDate" doc:"Created on this day or earlier."`
	Page      int      `query:"page" min:"1" max:"1000000" default:"1"`
	Size      int      `query:"size" min:"1" max:"100" default:"10"`
}

// FieldDocs returns the docs that are too long for tags.
func (ConversationsQuery) FieldDocs() map[string]string {
	return map[string]string{
		"filteredSources": "Origins, comma-separated; the conversations of any of them. API stands for both of its kinds.",
	}
}

// Conversation is a conversation with all its messages.
type Conversation struct {
	ID        string        `json:"id"`
	CreatedAt string        `json:"created_at" doc:"ISO 8601, UTC."`
	ChatbotID string        `json:"chatbot_id"`
	Customer  string        `json:"customer" doc:"The end user; empty when nobody is known."`
	Source    string        `json:"source" doc:"Where the conversation began. The list of origins is open."`
	Messages  []ChatMessage `json:"messages" doc:"Oldest first."`
}

// FieldDocs returns the docs that are too long for tags.
func (Conversation) FieldDocs() map[string]string {
	return map[string]string{
		"id": "Your own id where the conversation came through this interface, and the service's otherwise.",
	}
}

// Conversations is one page of conversations, newest first.
type Conversations struct {
	Data []Conversation `json:"data"`
}

// listConversations sends its reply while it reads the messages: a page may be larger than memory.
func (s *server) listConversations(ctx context.Context, c *call, in *ConversationsQuery) (*Conversations, error) {
	filter, err := in.storeFilter()
	if err != nil {
		return nil, err
	}
	page, err := s.DB.ConversationsAtOffset(ctx, agentRef(c, in.ChatbotID), filter, (in.Page-1)*in.Size, in.Size)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	out := c.StreamJSON()
	out.Text(`{"data":[`)
	for i := range page {
		if i > 0 {
			out.Text(",")
		}
		if err := s.writeConversation(ctx, out, &page[i]); err != nil {
			return nil, out.End(fmt.Errorf("write conversation: %w", err))
		}
	}
	out.Text("]}")
	return nil, out.End(nil)
}

// messageBatchSize is how many messages are read at once.
const messageBatchSize = 200

// writeConversation writes a conversation. Its messages are read in batches, so that no transaction is open while a
// slow client reads.
func (s *server) writeConversation(ctx context.Context, out *httpapi.JSONStream, conv *parley.Conversation) error {
	if err := out.Open(newConversationHead(conv)); err != nil {
		return err
	}
	out.Text(`,"messages":[`)
	first := true
	for seq := int64(0); ; {
		messages, err := s.DB.MessagesAfter(ctx, conv.Ref(), seq, messageBatchSize)
		if err != nil || len(messages) == 0 {
			out.Text("]}")
			return err
		}
		for i := range messages {
			if !first {
				out.Text(",")
			}
			if err := out.Value(ChatMessage{Role: messages[i].Role(), Content: messages[i].Text()}); err != nil {
				return err
			}
			first, seq = false, messages[i].Seq
		}
	}
}

// conversationHead is a Conversation without its messages.
type conversationHead struct {
	ID        string `json:"id"`
	CreatedAt string `json:"created_at"`
	ChatbotID string `json:"chatbot_id"`
	Customer  string `json:"customer"`
	Source    string `json:"source"`
}

func newConversationHead(c *parley.Conversation) conversationHead {
	h := conversationHead{ID: string(c.ID), CreatedAt: formatTime(c.CreatedAt), ChatbotID: string(c.AgentID),
		Customer: string(c.UserID), Source: conversationSource(c)}
	if c.API == parley.APIV1 && c.ExternalID != "" {
		h.ID = c.ExternalID
	}
	return h
}

// formatTime returns a time in the form of REST v1.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// The two sources of conversations through an API. They are stored as one channel and a flag.
const (
	apiStreamSource = "API (stream)"
	apiWholeSource  = "API (non-stream)"
)

func conversationSource(c *parley.Conversation) string {
	switch {
	case c.Channel != parley.ChannelAPI:
		return string(c.Channel)
	case c.Streamed:
		return apiStreamSource
	}
	return apiWholeSource
}

func (q *ConversationsQuery) storeFilter() (f store.ConversationFilter, err error) {
	var whole, streamed bool
	for _, source := range q.Sources {
		switch source {
		case apiStreamSource:
			streamed = true
		case apiWholeSource:
			whole = true
		case string(parley.ChannelAPI):
			streamed, whole = true, true
		default: // an unknown origin has no conversations
			f.Channels = append(f.Channels, parley.Channel(source))
		}
	}
	if streamed || whole {
		f.Channels = append(f.Channels, parley.ChannelAPI)
	}
	if streamed != whole {
		f.Streamed = &streamed
	}
	f.CreatedFrom, f.CreatedBefore, err = parseDayRange(q.StartDate, q.EndDate)
	return f, err
}

// parseDayRange parses a range of days in UTC, each YYYY-MM-DD or empty. from is the first moment of the start day,
// before the first moment after the end day. It fails with VALIDATION_INVALID_BODY or
// VALIDATION_INVALID_DATE_RANGE.
func parseDayRange(start, end string) (from, before *time.Time, err error) {
	if from, err = parseDay("startDate", start); err != nil {
		return nil, nil, err
	}
	last, err := parseDay("endDate", end)
	if err != nil || last == nil {
		return from, nil, err
	}
	if from != nil && last.Before(*from) {
		return nil, nil, parley.NewError(parley.CodeInvalidDateRange)
	}
	next := last.AddDate(0, 0, 1)
	return from, &next, nil
}

func parseDay(field, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return nil, parley.Invalid(field, "must be a day such as 2026-01-31")
	}
	return &t, nil
}
