package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

const (
	maxConns            = 20
	maxBulkTransactions = 4 // transactions of the Bulk lane at a time
	maxRetries          = 3
	connectTimeout      = 5 * time.Second
	// transactionTimeout bounds a transaction that its caller can no longer cancel, should the network swallow it.
	transactionTimeout = time.Minute
)

// postgresEngine is the PostgreSQL engine.
type postgresEngine struct {
	pool      *sql.DB
	rebinder  rebinder
	bulkSlots chan struct{}
	log       *slog.Logger
}

func openPostgres(ctx context.Context, c Config) (engine, error) {
	config, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "parley"
	}
	s := &postgresEngine{pool: stdlib.OpenDB(*config), bulkSlots: make(chan struct{}, maxBulkTransactions), log: c.Logger}
	s.pool.SetMaxOpenConns(maxConns)
	s.pool.SetMaxIdleConns(maxConns)
	s.pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := s.checkDurability(ctx, c.AllowAsyncCommit); err != nil {
		return nil, errors.Join(err, s.pool.Close())
	}
	return s, nil
}

// checkDurability refuses a server that acknowledges what a crash would take back.
func (e *postgresEngine) checkDurability(ctx context.Context, allow bool) error {
	var setting string
	if err := e.pool.QueryRowContext(ctx, "show synchronous_commit").Scan(&setting); err != nil {
		return e.mapError(ctx, "open", err)
	}
	if setting == "off" && !allow {
		return errors.New("sqldb: synchronous_commit is off: a crash of the server would lose acknowledged " +
			"writes; turn it on, or allow it explicitly")
	}
	return nil
}

func (e *postgresEngine) dialect() Dialect { return Postgres }
func (e *postgresEngine) close() error     { return e.pool.Close() }

func (e *postgresEngine) migrate(ctx context.Context, m migrations) error {
	// Nodes that start together wait for the one that migrates, asking every second for ten minutes.
	oneAtATime, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return err
	}
	return e.mapError(ctx, "migrations", m.up(ctx, goose.DialectPostgres, e.pool, goose.WithSessionLocker(oneAtATime)))
}

func (e *postgresEngine) setQuota(context.Context, int) error {
	return errors.New("sqldb: PostgreSQL has no quota of pages")
}

func (e *postgresEngine) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	err = e.retry(ctx, func() error {
		n, err = e.execOn(ctx, e.pool, query, args)
		return err
	})
	return n, err
}

func (e *postgresEngine) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return e.queryOn(ctx, e.pool, query, args)
}

// execQuerier is a *sql.DB or a *sql.Tx.
type execQuerier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (e *postgresEngine) execOn(ctx context.Context, h execQuerier, query string, args []any) (int64, error) {
	r, err := h.ExecContext(ctx, e.rebinder.rebind(query), args...)
	if err != nil {
		return 0, e.mapError(ctx, query, err)
	}
	return r.RowsAffected()
}

func (e *postgresEngine) queryOn(ctx context.Context, h execQuerier, query string, args []any) (*Rows, error) {
	rows, err := h.QueryContext(ctx, e.rebinder.rebind(query), args...)
	if err != nil {
		return nil, e.mapError(ctx, query, err)
	}
	return &Rows{cursor: rows, mapError: func(err error) error { return e.mapError(ctx, query, err) }}, nil
}

// postgresTx is the runner of one transaction.
type postgresTx struct {
	engine *postgresEngine
	tx     *sql.Tx
}

func (t postgresTx) exec(ctx context.Context, query string, args []any) (int64, error) {
	return t.engine.execOn(ctx, t.tx, query, args)
}

func (t postgresTx) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return t.engine.queryOn(ctx, t.tx, query, args)
}

func (e *postgresEngine) transact(ctx context.Context, lane Lane, fn func(*transaction) error) error {
	if lane == Bulk {
		select {
		case e.bulkSlots <- struct{}{}:
			defer func() { <-e.bulkSlots }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return e.retry(ctx, func() error { return e.runOnce(ctx, fn) })
}

// runOnce takes a connection while ctx lasts; from then on only the outcome counts.
func (e *postgresEngine) runOnce(ctx context.Context, fn func(*transaction) error) error {
	conn, err := e.pool.Conn(ctx)
	if err != nil {
		return e.mapError(ctx, "connect", err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), transactionTimeout, errTooLong)
	defer cancel()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return beginError{e.mapError(ctx, "begin", err)}
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	t := &transaction{runner: postgresTx{e, tx}, ctx: ctx}
	if err := t.finish(fn(t)); err != nil {
		return err
	}
	return e.mapError(ctx, "commit", tx.Commit())
}

var errTooLong = errors.New("sqldb: the transaction took too long")

// beginError marks a transaction whose connection was dead before it began: another may be alive.
type beginError struct{ error }

func (e beginError) Unwrap() error { return e.error }

// retry runs fn again, up to three times, where the server asked for it: a serialization failure or a deadlock.
func (e *postgresEngine) retry(ctx context.Context, fn func() error) error {
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
	_, notBegun := errors.AsType[beginError](err)
	state := sqlState(err)
	return state == "40001" || state == "40P01" || notBegun
}

// sqlState returns PostgreSQL's SQLSTATE, "" when err does not come from it.
func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func isDuplicatePostgres(err error) bool { return sqlState(err) == "23505" }

// mapError is the error a caller sees. A lost connection also empties the pool, whose others are likely just as dead.
func (e *postgresEngine) mapError(ctx context.Context, query string, err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	err = annotateError(query, err)
	clientGone := ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTooLong)
	if clientGone || !isUnavailable(err) {
		return err
	}
	if sqlState(err) == "53100" {
		return unavailable(fmt.Errorf("%w: %w", ErrFull, err))
	}
	e.pool.SetMaxIdleConns(0)
	e.pool.SetMaxIdleConns(maxConns)
	return unavailable(err)
}

// isUnavailable tells a server that is gone, going, coming, full or out of reach from one that refused a statement.
func isUnavailable(err error) bool {
	if state := sqlState(err); state != "" {
		switch state[:2] {
		case "08", "53", "58":
			return true
		}
		return strings.HasPrefix(state, "57P0")
	}
	for _, lost := range []error{driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, syscall.ECONNRESET,
		sql.ErrConnDone, context.DeadlineExceeded} {
		if errors.Is(err, lost) {
			return true
		}
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connecting || network || pgconn.SafeToRetry(err)
}
