package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"
)

// postgresTx is the runner of one transaction.
type postgresTx struct {
	engine *postgresEngine
	tx     *sql.Tx
}

func (w postgresTx) exec(ctx context.Context, query string, args []any) (int64, error) {
	return w.engine.execOn(ctx, w.tx, query, args)
}

func (w postgresTx) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return w.engine.queryOn(ctx, w.tx, query, args)
}

func (s *postgresEngine) transact(ctx context.Context, lane Lane, fn func(*transaction) error) error {
	if lane == Bulk {
		select {
		case s.bulkSlots <- struct{}{}:
			defer func() { <-s.bulkSlots }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.retry(ctx, func() error { return s.runOnce(ctx, fn) })
}

// runOnce takes a connection while ctx lasts; from then on only the outcome counts.
func (s *postgresEngine) runOnce(ctx context.Context, fn func(*transaction) error) error {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return s.mapError(ctx, "connect", err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), transactionTimeout, errTooLong)
	defer cancel()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return beginError{s.mapError(ctx, "begin", err)}
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	t := &transaction{runner: postgresTx{s, tx}, ctx: ctx}
	if err := t.finish(fn(t)); err != nil {
		return err
	}
	return s.mapError(ctx, "commit", tx.Commit())
}

var errTooLong = errors.New("sqldb: the transaction took too long")

// beginError marks a transaction whose connection was dead before it began: another may be alive.
type beginError struct{ error }

func (u beginError) Unwrap() error { return u.error }

// retry runs fn again, up to three times, where the server asked for it: a serialization failure or a deadlock.
func (s *postgresEngine) retry(ctx context.Context, fn func() error) error {
	for try := 0; ; try++ {
		err := fn()
		switch {
		case !isRetryable(err):
			return err
		case try == maxRetries: // nothing is wrong with the request: it may come again
			return unavailable(err)
		}
		select {
		case <-time.After(time.Duration(1+rand.IntN(10<<try)) * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

func isRetryable(err error) bool {
	var u beginError
	state := sqlState(err)
	return state == "40001" || state == "40P01" || errors.As(err, &u)
}
