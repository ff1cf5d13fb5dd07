package v2

import (
	"context"
	"fmt"

	"parley/internal/httpapi"
	"parley/internal/search"
)

// Found is a conversation of any origin that a search has found.
type Found struct {
	Conversation
	Source               string   `json:"source" doc:"Where the conversation began. The list of origins is open."`
	ParentConversationID *string  `json:"parentConversationId"`
	ParentSummary        *string  `json:"parentSummary"`
	EmbedOrigin          *string  `json:"embedOrigin"`
	Snippet              *Snippet `json:"snippet" doc:"Null without a query, and where only the title matched."`
}

// FieldDocs returns the docs that are too long for tags.
func (Found) FieldDocs() map[string]string {
	return map[string]string{
		"embedOrigin": "Page, without its query, or site where the agent was embedded when the conversation began.",
	}
}

// Snippet is an excerpt of the message that matches best.
type Snippet struct {
	Speaker    string      `json:"speaker" enum:"@messageRole" name:"MessageRole" doc:"Who wrote the excerpt."`
	Highlights []Highlight `json:"highlights" doc:"Joined, the values are the excerpt as it stands in the message."`
}

// Highlight is a part of an excerpt.
type Highlight struct {
	Value string `json:"value"`
	IsHit bool   `json:"isHit" doc:"Whether it is one of the words that were asked for."`
}

// FoundPage is a page of what a search has found.
type FoundPage struct {
	Data       []Found  `json:"data"`
	Pagination FoundEnd `json:"pagination"`
}

// FoundEnd holds the cursor of the next page.
type FoundEnd struct {
	Cursor  *string `json:"cursor" doc:"Opaque; repeat the search with it to get the next page. Null on the last one."`
	HasMore bool    `json:"hasMore"`
}

// SearchQuery is a search. Lists are passed on as texts: their items are validated by the search.
type SearchQuery struct {
	AgentRef
	Query            string `query:"query" max:"512" doc:"Words of messages or of the title; each of them must be there."`
	Source           string `query:"source" doc:"Origins, comma-separated."`
	Sentiment        string `query:"sentiment" doc:"positive, neutral, negative or unspecified, comma-separated."`
	Topic            string `query:"topic"`
	UserID           string `query:"userId" doc:"End users, comma-separated."`
	ActivityState    string `query:"activityState" doc:"ongoing, ended, taken_over or paused, comma-separated."`
	Feedback         string `query:"feedback" doc:"Ratings of messages: positive or negative, comma-separated."`
	Escalated        string `query:"escalated" enum:"true" doc:"Only conversations that were handed to a person."`
	ActionType       string `query:"actionType" doc:"Types of actions that ran, such as collect-leads, comma-separated."`
	Tool             string `query:"tool" doc:"Tools that were called, comma-separated."`
	ToolOutcome      string `query:"toolOutcome"`
	Procedure        string `query:"procedure" doc:"Procedures that ran, by name, comma-separated."`
	ProcedureOutcome string `query:"procedureOutcome"`
	HasVoice         string `query:"hasVoice" enum:"true,false" doc:"Whether a voice session took place."`
	StartDate        string `query:"startDate"`
	EndDate          string `query:"endDate" doc:"Created on this day or earlier, or at this time or earlier."`
	UpdatedAfter     string `query:"updatedAfter" doc:"Last active on this day or later, or at this time or later."`
	UpdatedBefore    string `query:"updatedBefore" doc:"Last active on this day or earlier, or at this time or earlier."`
	Limit            int    `query:"limit" min:"1" max:"25" default:"25" doc:"Most items on the page."`
	Cursor           string `query:"cursor"`
}

// FieldDocs returns the docs that are too long for tags.
func (SearchQuery) FieldDocs() map[string]string {
	return map[string]string{
		"topic": "Topics, comma-separated. A topic matches its subtopics, too; unspecified matches conversations without " +
			"one.",
		"toolOutcome": "How calls ended: success, error, pending or ignored, comma-separated; of the tools in tool, or of " +
			"any.",
		"procedureOutcome": "How procedures ended: completed, failed, abandoned or escalated, comma-separated; of those " +
			"in procedure, or of any.",
		"startDate": "Created on this day (YYYY-MM-DD, UTC) or later, or at this ISO 8601 time or later.",
		"cursor":    "The cursor of the page before; all parameters but limit must be as they were.",
	}
}

func (s *server) searchConversations(ctx context.Context, c *call, in *SearchQuery) (*FoundPage, error) {
	agent, err := s.findAgent(ctx, c, in.AgentID)
	if err != nil {
		return nil, err
	}
	page, err := s.Search.Find(ctx, &callerOf(c).Account, agent, in.searchQuery())
	if err != nil {
		return nil, fmt.Errorf("search conversations: %w", err)
	}
	return &FoundPage{httpapi.ConvertList(page.Hits, newFound), FoundEnd{page.Cursor, page.Cursor != nil}}, nil
}

func (q *SearchQuery) searchQuery() search.Query {
	return search.Query{Text: q.Query, Source: q.Source, Sentiment: q.Sentiment, Topic: q.Topic,
		UserID: q.UserID, ActivityState: q.ActivityState, Feedback: q.Feedback, Escalated: q.Escalated,
		ActionType: q.ActionType, Tool: q.Tool, ToolOutcome: q.ToolOutcome, Procedure: q.Procedure,
		ProcedureOutcome: q.ProcedureOutcome, HasVoice: q.HasVoice, StartDate: q.StartDate, EndDate: q.EndDate,
		UpdatedAfter: q.UpdatedAfter, UpdatedBefore: q.UpdatedBefore, Limit: q.Limit, Cursor: q.Cursor}
}

func newFound(h *search.Hit) Found {
	f := Found{Conversation: newConversation(&h.Conversation), Source: string(h.Channel),
		ParentConversationID: textOrNull(h.ParentID),
		ParentSummary:        textOrNull(h.ParentSummary), EmbedOrigin: textOrNull(h.EmbedOrigin)}
	if h.Snippet != nil {
		f.Snippet = &Snippet{Speaker: h.Snippet.Speaker}
		for _, part := range h.Snippet.Highlights {
			f.Snippet.Highlights = append(f.Snippet.Highlights, Highlight{Value: part.Value, IsHit: part.Hit})
		}
	}
	return f
}
