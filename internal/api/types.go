package api

import (
	"time"

	"parley"
)

// Data wraps one thing (facts 1.1).
type Data[T any] struct {
	Data T `json:"data"`
}

// Page is one page of a list (interface 2.4b).
type Page[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// Pagination says where a page stands in its list.
type Pagination struct {
	Cursor  *string `json:"cursor" doc:"Opaque; send it back to get the next page. Null on the last one."`
	HasMore bool    `json:"hasMore"`
	Total   int     `json:"total" min:"0" doc:"Items of the whole list."`
}

// Success is the reply of writes that have nothing to tell.
type Success struct {
	Success bool `json:"success"`
}

// Paging asks for one page.
type Paging struct {
	Cursor string `query:"cursor" doc:"The cursor of the page before."`
	Limit  int    `query:"limit" min:"1" max:"100" default:"20" doc:"Most items on the page."`
}

// AgentRef names the agent in a path.
type AgentRef struct {
	AgentID string `path:"agentId"`
}

// ask turns the paging of a request into the store's words. purpose ties the cursor to its list.
func (s *server) ask(p Paging, purpose string) (parley.PageAsk, error) {
	after, err := s.cursors.Open(purpose, p.Cursor)
	return parley.PageAsk{Limit: p.Limit, After: after}, err
}

// pageOf turns a page of the store's into the interface's.
func pageOf[T, W any](s *server, page parley.Page[T], purpose string, render func(*T) W) *Page[W] {
	out := &Page[W]{Data: make([]W, 0, len(page.Items)), Pagination: s.pagination(page.Next, page.Total, purpose)}
	for i := range page.Items {
		out.Data = append(out.Data, render(&page.Items[i]))
	}
	return out
}

func (s *server) pagination(next *parley.Mark, total int, purpose string) Pagination {
	return Pagination{Cursor: s.cursors.Seal(purpose, next), HasMore: next != nil, Total: total}
}

// iso writes a moment as agents, sources and tickets do.
func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func isoOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := iso(*t)
	return &s
}

// textOrNull writes a text that may be missing.
func textOrNull[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}
