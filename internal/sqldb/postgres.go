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
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

const (
	maxConns            = 20
	maxIdleTime         = 5 * time.Minute
	maxBulkTransactions = 4 // transactions of the Bulk lane at a time
	maxRetries          = 3
	connectTimeout      = 5 * time.Second
	// transactionTimeout bounds a transaction that its caller can no longer cancel, in case the network loses it.
	transactionTimeout = time.Minute
)

// postgresEngine is the PostgreSQL engine.
type postgresEngine struct {
	pool      *pgxpool.Pool
	rebinder  rebinder
	bulkSlots chan struct{}
	running   atomic.Int32 // transactions
	log       *slog.Logger
}

func openPostgres(ctx context.Context, c Config) (engine, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, err
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "parley"
	}
	config.MaxConns, config.MaxConnIdleTime, config.MaxConnLifetime = maxConns, maxIdleTime, 0
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), config)
	if err != nil {
		return nil, err
	}
	e := &postgresEngine{pool: pool, bulkSlots: make(chan struct{}, maxBulkTransactions), log: c.Logger}
	if err := e.checkDurability(ctx, c.AllowAsyncCommit); err != nil {
		pool.Close()
		return nil, err
	}
	return e, nil
}

// checkDurability refuses a server that would lose acknowledged writes in a crash.
func (e *postgresEngine) checkDurability(ctx context.Context, allow bool) error {
	var setting string
	if err := e.pool.QueryRow(ctx, "show synchronous_commit").Scan(&setting); err != nil {
		return e.mapError(ctx, "open", err)
	}
	if setting == "off" && !allow {
		return errors.New("sqldb: synchronous_commit is off: a crash of the server would lose acknowledged " +
			"writes; turn it on, or allow it explicitly")
	}
	return nil
}

func (e *postgresEngine) dialect() Dialect { return Postgres }

func (e *postgresEngine) close() error {
	e.pool.Close()
	return nil
}

// migrate uses connections of its own: the library wants a pool of database/sql.
func (e *postgresEngine) migrate(ctx context.Context, m migrations) error {
	// Nodes that start together wait for the one that migrates: they try every second for ten minutes.
	sessionLock, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return err
	}
	pool := stdlib.OpenDB(*e.pool.Config().ConnConfig)
	defer pool.Close()
	return e.mapError(ctx, "migrations", m.up(ctx, goose.DialectPostgres, pool, goose.WithSessionLocker(sessionLock)))
}

func (e *postgresEngine) setQuota(context.Context, int) error {
	return errors.New("sqldb: PostgreSQL has no quota of pages")
}

func (e *postgresEngine) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	err = e.retry(ctx, func() error {
		return e.withConn(ctx, query, func(conn *pgxpool.Conn) error {
			defer conn.Release()
			n, err = e.execOn(ctx, conn.Conn(), query, args)
			return err
		})
	})
	return n, err
}

func (e *postgresEngine) query(ctx context.Context, query string, args []any) (rows *Rows, err error) {
	err = e.withConn(ctx, query, func(conn *pgxpool.Conn) error {
		received, err := conn.Query(ctx, e.rebinder.rebind(query), args...)
		if err != nil {
			conn.Release()
			return e.mapError(ctx, query, err)
		}
		rows, err = e.newRows(ctx, query, conn.Conn(), received, conn.Release)
		return err
	})
	return rows, err
}

// withConn calls use with a connection, which use releases. If the connection turns out to be closed before anything
// was sent on it, use is called again with another one.
func (e *postgresEngine) withConn(ctx context.Context, query string, use func(conn *pgxpool.Conn) error) error {
	for try := 0; ; try++ {
		conn, err := e.pool.Acquire(ctx)
		if err != nil {
			return e.mapError(ctx, query, err)
		}
		if err = use(conn); err == nil || try == maxRetries || ctx.Err() != nil || !pgconn.SafeToRetry(err) {
			return err
		}
	}
}

func (e *postgresEngine) execOn(ctx context.Context, conn *pgx.Conn, query string, args []any) (int64, error) {
	tag, err := conn.Exec(ctx, e.rebinder.rebind(query), args...)
	return tag.RowsAffected(), e.mapError(ctx, query, err)
}

// newRows waits for the first row of a statement, and so for its error. release is called when the rows are closed.
func (e *postgresEngine) newRows(ctx context.Context, query string, conn *pgx.Conn, received pgx.Rows,
	release func()) (*Rows, error) {
	c := &postgresRows{rows: received, types: conn.TypeMap()}
	rows := &Rows{cursor: c, mapError: func(err error) error { return e.mapError(ctx, query, err) }, release: release}
	if c.onFirst = received.Next(); c.onFirst {
		return rows, nil
	}
	if err := received.Err(); err != nil {
		_ = rows.Close()
		return nil, e.mapError(ctx, query, err)
	}
	return rows, nil
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
	e.running.Add(1)
	defer e.running.Add(-1)
	return e.retry(ctx, func() error { return e.runOnce(ctx, fn) })
}

func (e *postgresEngine) transactDeferred(ctx context.Context, lane Lane, queued func(*Deferral),
	fn func(*transaction) error) error {
	s := newDeferredStart(e)
	defer close(s.ended)
	queued(&Deferral{start: s})
	if err := s.wait(ctx); err != nil {
		return err
	}
	return e.transact(ctx, lane, fn)
}

// runOnce runs fn in one transaction. ctx bounds the wait for a connection; after that the transaction is not
// cancelled.
func (e *postgresEngine) runOnce(ctx context.Context, fn func(*transaction) error) error {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return e.mapError(ctx, "connect", err)
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), transactionTimeout, errTooLong)
	defer cancel()
	tx := newPostgresTx(e, conn.Conn())
	defer tx.rollback(ctx)
	t := &transaction{runner: tx, ctx: ctx}
	if err = t.finish(fn(t)); err == nil {
		err = tx.commit(ctx)
	}
	if tx.lost {
		return beginError{err}
	}
	return err
}

var errTooLong = errors.New("sqldb: the transaction took too long")

// beginError marks a transaction whose connection was closed before it began: another connection may work.
type beginError struct{ error }

func (e beginError) Unwrap() error { return e.error }

// retry runs fn again, up to maxRetries times, after a serialization failure, a deadlock or a connection that was
// closed.
func (e *postgresEngine) retry(ctx context.Context, fn func() error) error {
	for try := 0; ; try++ {
		err := fn()
		switch {
		case !isRetryable(err):
			return err
		case try == maxRetries: // the request is all right: the client may send it again
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

// sqlState returns PostgreSQL's SQLSTATE; "" for an error that is not PostgreSQL's.
func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func isDuplicatePostgres(err error) bool { return sqlState(err) == "23505" }

// mapError returns the error for the caller. After a lost connection it also resets the pool, whose other connections
// are probably lost as well.
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
	e.pool.Reset()
	return unavailable(err)
}

// IsConnectError reports whether PostgreSQL was not connected to, as where it has no such database or user.
func IsConnectError(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting
}

// isUnavailable reports whether the server is down, starting, stopping, full or out of reach, and has not just refused
// a statement.
func isUnavailable(err error) bool {
	if state := sqlState(err); state != "" {
		switch state[:2] {
		case "08", "53", "58":
			return true
		}
		return strings.HasPrefix(state, "57P0")
	}
	for _, lost := range []error{driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, syscall.ECONNRESET,
		sql.ErrConnDone, context.DeadlineExceeded} { // migrations use database/sql and return its errors
		if errors.Is(err, lost) {
			return true
		}
	}
	_, network := errors.AsType[net.Error](err)
	return IsConnectError(err) || network || pgconn.SafeToRetry(err)
}
