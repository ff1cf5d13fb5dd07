package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley/internal/sqldb/sqlite"
)

// The write-ahead log is copied into the file once it holds copyAtPages pages that are not in the file yet (4 MB). When
// all of it is copied, SQLite starts it from the beginning again. Under constant load that may not happen; then the log
// is truncated at truncateAtPages (256 MB), for which writers wait. The log is checked every checkInterval at most.
const (
	copyAtPages     = 4 << 20 / 4096
	truncateAtPages = 256 << 20 / 4096
	checkInterval   = 25 * time.Millisecond
)

// checkpointer copies the write-ahead log into the database file on a connection and a goroutine of its own.
type checkpointer struct {
	mu      sync.Mutex // guards conn
	conn    *sqlite.Conn
	counter *commitCounter
	logger  *slog.Logger
	wake    chan struct{} // receives after a commit
	closing chan struct{}
	stopped chan struct{}
}

func newCheckpointer(conn *sqlite.Conn, counter *commitCounter, logger *slog.Logger) *checkpointer {
	c := &checkpointer{conn: conn, counter: counter, logger: logger,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), stopped: make(chan struct{})}
	go c.loop()
	return c
}

func (c *checkpointer) loop() {
	defer close(c.stopped)
	pause := time.NewTimer(0)
	for {
		select {
		case <-c.closing:
			return
		case <-pause.C:
		}
		select {
		case <-c.closing:
			return
		case <-c.wake:
			if err := c.checkLog(); err != nil {
				c.logger.Warn("sqldb: checkpoint", "error", err)
			}
		}
		pause.Reset(checkInterval)
	}
}

// checkLog copies or truncates the log when it is long enough.
func (c *checkpointer) checkLog() error {
	pages, copied, err := c.checkpoint("noop")
	if err != nil || pages-copied < copyAtPages && pages < truncateAtPages {
		return err
	}
	c.counter.incrementDue.Store(true) // what is committed from now on is in the log alone
	defer c.counter.incrementDue.Store(true)
	if pages, _, err = c.checkpoint("passive"); err != nil || pages < truncateAtPages {
		return err
	}
	_, _, err = c.checkpoint("truncate")
	return err
}

// checkpoint runs a checkpoint and returns the pages in the log and how many of them are in the file. It is no error
// when a reader or the writer was in the way: the next checkpoint will copy the rest.
func (c *checkpointer) checkpoint(mode string) (pages, copied int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var busy int
	err = queryRow(context.Background(), c.conn, "pragma wal_checkpoint("+mode+")", &busy, &pages, &copied)
	return pages, copied, err
}

// stop empties the log and closes the connection. The writer must have stopped.
func (c *checkpointer) stop() error {
	close(c.closing)
	<-c.stopped
	pages, _, err := c.checkpoint("truncate")
	if err == nil && pages == 0 {
		err = c.counter.remove()
	}
	return errors.Join(err, c.counter.file.Close(), c.conn.Close())
}
