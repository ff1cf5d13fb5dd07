package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/sqldb/sqlite"
)

// The write-ahead log is copied into the file once it holds copyAtPages pages that are not in the file yet (4 MB). When
// all of it is copied, SQLite starts it from the beginning again. Under constant load that does not happen; then
// writers wait while the last pages of a log of restartAtPages (16 MB) are copied, and for readers for maxReaderWait.
// The file keeps its size meanwhile, which makes commits faster, but it is truncated at truncateAtPages (256 MB). The
// log is checked every checkInterval at most.
const (
	copyAtPages     = 4 << 20 / 4096
	restartAtPages  = 16 << 20 / 4096
	truncateAtPages = 256 << 20 / 4096
	maxReaderWait   = 10 * time.Millisecond
	checkInterval   = 25 * time.Millisecond
)

// emptyRetryInterval is how long emptying the log waits for readers.
const emptyRetryInterval = time.Second

// checkpointer copies the write-ahead log into the database file on a connection and a goroutine of its own.
type checkpointer struct {
	mu      sync.Mutex // guards conn
	conn    *sqlite.Conn
	counter *commitCounter
	logger  *slog.Logger
	// restartAt is the number of pages at which the log is to start from its beginning. Only the goroutine uses it.
	restartAt int
	emptyDue  atomic.Bool   // the log is to be emptied, however short it is
	wake      chan struct{} // receives after a commit
	closing   chan struct{}
	stopped   chan struct{}
}

func newCheckpointer(conn *sqlite.Conn, counter *commitCounter, logger *slog.Logger) *checkpointer {
	c := &checkpointer{conn: conn, counter: counter, logger: logger, restartAt: restartAtPages,
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

// checkLog copies the log when it is long enough, and has it start from the beginning.
func (c *checkpointer) checkLog() error {
	if c.emptyDue.Swap(false) {
		return c.emptyLog()
	}
	pages, copied, err := c.checkpoint("noop")
	if err != nil || pages-copied < copyAtPages {
		return err
	}
	c.counter.incrementDue.Store(true) // what is committed from now on is in the log alone
	defer c.counter.incrementDue.Store(true)
	if pages, _, err = c.checkpoint("passive"); err != nil {
		return err
	}
	return c.restartLog(pages)
}

// requestEmptyLog has the log emptied by the goroutine.
func (c *checkpointer) requestEmptyLog() {
	c.emptyDue.Store(true)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// emptyLog copies all of the log and cuts it off. Where a reader or the writer is in the way, it is tried again later.
func (c *checkpointer) emptyLog() error {
	c.counter.incrementDue.Store(true) // what is committed from now on is in the log alone
	defer c.counter.incrementDue.Store(true)
	pages, _, err := c.checkpoint("truncate")
	if err != nil || pages != 0 {
		time.AfterFunc(emptyRetryInterval, c.requestEmptyLog)
	}
	return err
}

// restartLog has the log start from its beginning if it is long enough. Where a reader is in the way, it is tried again
// when the log has become as long again.
func (c *checkpointer) restartLog(pages int) error {
	if pages < c.restartAt {
		return nil
	}
	mode := "restart"
	if pages >= truncateAtPages {
		mode = "truncate"
	}
	c.restartAt = pages + restartAtPages
	left, copied, err := c.checkpoint(mode)
	if left == copied {
		c.restartAt = restartAtPages
	}
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
