package sqldb

import (
	"container/list"
	"context"
	"database/sql"
	"sync"
)

// maxStatements bounds the prepared statements kept per pool: preparing costs SQLite more than running most of them.
const maxStatements = 256

// statements keeps prepared statements by their text, the longest unused leaving first.
type statements struct {
	prepare func(ctx context.Context, query string) (*sql.Stmt, error)

	mu     sync.Mutex
	byText map[string]*statement
	order  list.List // of *statement, the latest used in front
}

type statement struct {
	*sql.Stmt
	query string
	users int
	kept  *list.Element // nil once it has left the cache: the last user closes it
}

func newStatements(prepare func(context.Context, string) (*sql.Stmt, error)) *statements {
	return &statements{prepare: prepare, byText: map[string]*statement{}}
}

// take gives the statement of the text; the caller gives it back with put when its rows are closed.
func (c *statements) take(ctx context.Context, query string) (*statement, error) {
	if s := c.find(query); s != nil {
		return s, nil
	}
	prepared, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return c.keep(query, prepared), nil
}

func (c *statements) find(query string) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.byText[query]
	if s != nil {
		s.users++
		c.order.MoveToFront(s.kept)
	}
	return s
}

func (c *statements) keep(query string, prepared *sql.Stmt) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &statement{Stmt: prepared, query: query, users: 1}
	if c.byText[query] != nil {
		return s // somebody prepared it meanwhile; this one lives for one use
	}
	c.byText[query] = s
	s.kept = c.order.PushFront(s)
	if c.order.Len() > maxStatements {
		c.drop(c.order.Back().Value.(*statement))
	}
	return s
}

func (c *statements) put(s *statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.users--
	if s.users == 0 && s.kept == nil {
		_ = s.Close()
	}
}

func (c *statements) drop(s *statement) {
	delete(c.byText, s.query)
	c.order.Remove(s.kept)
	s.kept = nil
	if s.users == 0 {
		_ = s.Close()
	}
}

func (c *statements) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.byText {
		c.drop(s)
	}
}
