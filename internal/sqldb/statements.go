package sqldb

import (
	"container/list"
	"context"
	"database/sql"
	"sync"
)

// maxStatements bounds the prepared statements kept per pool: preparing costs SQLite more than running most of them.
const maxStatements = 256

// statementCache keeps prepared statements by their text, the longest unused leaving first.
type statementCache struct {
	prepare func(ctx context.Context, query string) (*sql.Stmt, error)

	mu     sync.Mutex
	byText map[string]*statement
	order  list.List // of *statement, the latest used in front
}

type statement struct {
	*sql.Stmt
	query   string
	users   int
	element *list.Element // nil once it has left the cache: the last user closes it
}

func newStatementCache(prepare func(context.Context, string) (*sql.Stmt, error)) *statementCache {
	return &statementCache{prepare: prepare, byText: map[string]*statement{}}
}

// acquire returns the statement of the text; the caller returns it with put when its rows are closed.
func (c *statementCache) acquire(ctx context.Context, query string) (*statement, error) {
	if s := c.find(query); s != nil {
		return s, nil
	}
	prepared, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return c.add(query, prepared), nil
}

func (c *statementCache) find(query string) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.byText[query]
	if s != nil {
		s.users++
		c.order.MoveToFront(s.element)
	}
	return s
}

func (c *statementCache) add(query string, prepared *sql.Stmt) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &statement{Stmt: prepared, query: query, users: 1}
	if c.byText[query] != nil {
		return s // another goroutine has prepared it meanwhile; this one is for one use
	}
	c.byText[query] = s
	s.element = c.order.PushFront(s)
	if c.order.Len() > maxStatements {
		c.remove(c.order.Back().Value.(*statement))
	}
	return s
}

func (c *statementCache) release(s *statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.users--
	if s.users == 0 && s.element == nil {
		_ = s.Close()
	}
}

func (c *statementCache) remove(s *statement) {
	delete(c.byText, s.query)
	c.order.Remove(s.element)
	s.element = nil
	if s.users == 0 {
		_ = s.Close()
	}
}

func (c *statementCache) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.byText {
		c.remove(s)
	}
}
