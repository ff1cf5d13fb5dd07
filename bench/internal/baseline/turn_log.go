package baseline

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver Parley uses, so that both pay the same for a write
)

// How the baseline makes a turn durable.
const (
	GroupedCommits  = "grouped" // as Parley does: turns that wait together are committed together, with synchronous=FULL
	SingleCommits   = "alone"   // one commit a turn, with synchronous=FULL
	UnsyncedCommits = "lax"     // grouped, with synchronous=OFF: lost with the power
)

const maxGroup = 64

type turnEntry struct {
	question, answer string
	done             chan error
}

// turnLog is the baseline's database: one table, one connection that writes, and otherwise SQLite as it comes, in WAL
// mode.
type turnLog struct {
	db       *sql.DB
	conn     *sql.Conn
	insert   *sql.Stmt
	maxGroup int // turns in a commit
	entries  chan turnEntry
	stopped  chan struct{}
}

func openTurnLog(ctx context.Context, dir, mode string) (*turnLog, error) {
	sync, groupLimit := "full", maxGroup
	switch mode {
	case SingleCommits:
		groupLimit = 1
	case UnsyncedCommits:
		sync = "off"
	}
	db, err := sql.Open("sqlite",
		"file:"+filepath.Join(dir, mode+".db")+"?_pragma=journal_mode(wal)&_pragma=synchronous("+sync+")")
	if err != nil {
		return nil, err
	}
	l := &turnLog{db: db, maxGroup: groupLimit, entries: make(chan turnEntry, maxGroup), stopped: make(chan struct{})}
	if err := l.prepare(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	go l.commitLoop()
	return l, nil
}

func (l *turnLog) prepare(ctx context.Context) (err error) {
	if l.conn, err = l.db.Conn(ctx); err != nil {
		return err
	}
	if _, err = l.conn.ExecContext(ctx,
		"create table turns (id integer primary key, question text, answer text, at integer)"); err != nil {
		return err
	}
	l.insert, err = l.conn.PrepareContext(ctx, "insert into turns (question, answer, at) values (?, ?, ?)")
	return err
}

// writeTurn returns when the turn is committed.
func (l *turnLog) writeTurn(question, answer string) error {
	e := turnEntry{question, answer, make(chan error, 1)}
	l.entries <- e
	return <-e.done
}

func (l *turnLog) commitLoop() {
	defer close(l.stopped)
	var group []turnEntry
	for e := range l.entries {
		group = append(group[:0], e)
		for waiting := true; waiting && len(group) < l.maxGroup; {
			select {
			case e, ok := <-l.entries:
				if waiting = ok; ok {
					group = append(group, e)
				}
			default:
				waiting = false
			}
		}
		err := l.commit(group)
		for _, e := range group {
			e.done <- err
		}
	}
}

func (l *turnLog) commit(group []turnEntry) error {
	ctx := context.Background()
	if _, err := l.conn.ExecContext(ctx, "begin immediate"); err != nil {
		return err
	}
	for _, e := range group {
		if _, err := l.insert.ExecContext(ctx, e.question, e.answer, time.Now().UnixMilli()); err != nil {
			_, _ = l.conn.ExecContext(ctx, "rollback")
			return err
		}
	}
	_, err := l.conn.ExecContext(ctx, "commit")
	return err
}

func (l *turnLog) close() error {
	close(l.entries)
	<-l.stopped
	return errors.Join(l.insert.Close(), l.conn.Close(), l.db.Close())
}
