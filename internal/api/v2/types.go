package v2

import (
	"time"

	"parley"
	"parley/internal/httpapi"
)

// Data wraps a single item (docs/interface/pagination.md#wrapped-replies).
type Data[T any] struct {
	Data T `json:"data"`
}

// Page is one page of a list.
type Page[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// Pagination locates a page in its list.
type Pagination struct {
	Cursor  *string `json:"cursor" doc:"Opaque; send it back to get the next page. Null on the last one."`
	HasMore bool    `json:"hasMore"`
	Total   int     `json:"total" min:"0" doc:"Items of the whole list."`
}

// Success is the reply of writes without a result.
type Success struct {
	Success bool `json:"success"`
}

// Paging selects a page.
type Paging struct {
	Cursor string `query:"cursor" doc:"The cursor of the page before."`
	Limit  int    `query:"limit" min:"1" max:"100" default:"20" doc:"Most items on the page."`
}

// AgentRef names the agent in a path.
type AgentRef struct {
	AgentID string `path:"agentId"`
}

// AgentRequest is a request with a body about an agent.
type AgentRequest[Body any] struct {
	AgentRef
	Body Body
}

// ConversationRequest is a request with a body about a conversation.
type ConversationRequest[Body any] struct {
	ConversationRef
	Body Body
}

// pageRequest converts the paging of a request. purpose binds the cursor to its list.
func (s *server) pageRequest(p Paging, purpose string) (parley.PageRequest, error) {
	after, err := s.cursors.Open(purpose, p.Cursor)
	return parley.PageRequest{Limit: p.Limit, After: after}, err
}

// newPage converts a page of the store.
func newPage[T, W any](s *server, page parley.Page[T], purpose string, render func(*T) W) *Page[W] {
	return &Page[W]{httpapi.ConvertList(page.Items, render), s.newPagination(page.Next, page.Total, purpose)}
}

func (s *server) newPagination(next *parley.Cursor, total int, purpose string) Pagination {
	return Pagination{Cursor: s.cursors.Seal(purpose, next), HasMore: next != nil, Total: total}
}

// formatTime returns a time as agents, sources and tickets hold it.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func formatTimeOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := formatTime(*t)
	return &s
}

// textOrNull returns nil for an empty text.
func textOrNull[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}
