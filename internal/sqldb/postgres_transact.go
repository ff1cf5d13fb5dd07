package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"
)

// within is the runner of one transaction.
type within struct {
	server *server
	tx     *sql.Tx
}

func (w within) exec(ctx context.Context, query string, args []any) (int64, error) {
	return w.server.execOn(ctx, w.tx, query, args)
}

func (w within) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return w.server.queryOn(ctx, w.tx, query, args)
}

func (s *server) transact(ctx context.Context, lane Lane, fn func(*transaction) error) error {
	if lane == Bulk {
		select {
		case s.bulk <- struct{}{}:
			defer func() { <-s.bulk }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.retry(ctx, func() error { return s.once(ctx, fn) })
}

// once takes a connection while ctx lasts; from then on only the outcome counts.
func (s *server) once(ctx context.Context, fn func(*transaction) error) error {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return s.fail(ctx, "connect", err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), longestTransaction, errTooLong)
	defer cancel()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return unbegun{s.fail(ctx, "begin", err)}
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	t := &transaction{on: within{s, tx}, ctx: ctx}
	if err := t.end(fn(t)); err != nil {
		return err
	}
	return s.fail(ctx, "commit", tx.Commit())
}

var errTooLong = errors.New("sqldb: the transaction took too long")

// unbegun marks a transaction whose connection was dead before it began: another may be alive.
type unbegun struct{ error }

func (u unbegun) Unwrap() error { return u.error }

// retry runs fn again, up to three times, where the server asked for it: a serialization failure or a deadlock.
func (s *server) retry(ctx context.Context, fn func() error) error {
	for try := 0; ; try++ {
		err := fn()
		switch {
		case !again(err):
			return err
		case try == retries: // nothing is wrong with the request: it may come again
			return unavailable(err)
		}
		select {
		case <-time.After(time.Duration(1+rand.IntN(10<<try)) * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

func again(err error) bool {
	var u unbegun
	state := stateOf(err)
	return state == "40001" || state == "40P01" || errors.As(err, &u)
}
