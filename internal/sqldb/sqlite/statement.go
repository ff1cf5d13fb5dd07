package sqlite

import (
	"container/list"
	"strings"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// maxStatements bounds the prepared statements of a connection. Preparing most statements takes longer than running
// them.
const maxStatements = 256

// statementCache keeps prepared statements by their text. The least recently used is dropped first.
type statementCache struct {
	conn   *Conn
	byText map[string]*statement
	order  list.List // of *statement, the latest used in front
}

// statement is a prepared statement.
type statement struct {
	conn    *Conn
	query   string
	rest    string // the statements that follow in the same text
	handle  uintptr
	element *list.Element // nil once it has left the cache
	inUse   bool
}

// acquire returns the statement of the text, which the caller releases.
func (c *statementCache) acquire(query string) (*statement, error) {
	if s := c.byText[query]; s != nil && !s.inUse {
		s.inUse = true
		c.order.MoveToFront(s.element)
		return s, nil
	}
	s, err := c.conn.prepare(query)
	if err != nil {
		return nil, err
	}
	s.inUse = true
	if c.byText[query] != nil {
		return s, nil // not cached: the cached one is in use
	}
	if c.byText == nil {
		c.byText = map[string]*statement{}
	}
	c.byText[query] = s
	s.element = c.order.PushFront(s)
	if c.order.Len() > maxStatements {
		c.remove(c.order.Back().Value.(*statement))
	}
	return s, nil
}

func (c *statementCache) release(s *statement) {
	s.inUse = false
	if s.element == nil {
		s.finalize()
	}
}

func (c *statementCache) remove(s *statement) {
	delete(c.byText, s.query)
	c.order.Remove(s.element)
	if s.element = nil; !s.inUse {
		s.finalize()
	}
}

func (c *statementCache) clear() {
	for _, s := range c.byText {
		c.remove(s)
	}
}

// prepare prepares the first statement of a text.
//
// SQLite uses the value of a bound LIMIT in its plan, and so prepares such a statement again each time it runs. It does
// not do so for an expression.
func (c *Conn) prepare(query string) (*statement, error) {
	text := strings.ReplaceAll(query, "limit ?", "limit 0 + ?")
	source, err := libc.CString(text)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, source)
	out := c.tls.Alloc(2 * pointerBytes)
	defer c.tls.Free(2 * pointerBytes)
	tail := out + pointerBytes
	if rc := lib.Xsqlite3_prepare_v3(c.tls, c.db, source, int32(len(text))+1, lib.SQLITE_PREPARE_PERSISTENT, out,
		tail); rc != lib.SQLITE_OK {
		return nil, c.newError(rc)
	}
	rest := strings.TrimSpace(text[readPointer(tail)-source:])
	return &statement{conn: c, query: query, rest: rest, handle: readPointer(out)}, nil
}

// run binds the arguments and runs the statement to its end.
func (s *statement) run(args []any) error {
	err := s.bind(args)
	for more := err == nil; more; {
		more, err = s.step()
	}
	s.reset()
	return err
}

// step runs the statement to its next row, or to its end.
func (s *statement) step() (hasRow bool, err error) {
	switch rc := lib.Xsqlite3_step(s.conn.tls, s.handle); rc {
	case lib.SQLITE_ROW:
		return true, nil
	case lib.SQLITE_DONE:
		return false, nil
	default:
		return false, s.conn.newError(rc)
	}
}

// reset ends a run. The arguments stay bound, but they are bound again before the next run.
func (s *statement) reset() { lib.Xsqlite3_reset(s.conn.tls, s.handle) }

func (s *statement) finalize() { lib.Xsqlite3_finalize(s.conn.tls, s.handle) }
