package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

const (
	maxConns       = 20
	maxBulk        = 4 // transactions of the Bulk lane at a time
	retries        = 3
	connectTimeout = 5 * time.Second
	// longestTransaction bounds a transaction that its caller can no longer cancel, should the network swallow it.
	longestTransaction = time.Minute
)

// server is the PostgreSQL engine.
type server struct {
	pool  *sql.DB
	texts rebinder
	bulk  chan struct{}
	log   *slog.Logger
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
	s := &server{pool: stdlib.OpenDB(*config), bulk: make(chan struct{}, maxBulk), log: c.Logger}
	s.pool.SetMaxOpenConns(maxConns)
	s.pool.SetMaxIdleConns(maxConns)
	s.pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := s.durable(ctx, c.AllowAsyncCommit); err != nil {
		return nil, errors.Join(err, s.pool.Close())
	}
	return s, nil
}

// durable refuses a server that acknowledges what a crash would take back.
func (s *server) durable(ctx context.Context, allow bool) error {
	var setting string
	if err := s.pool.QueryRowContext(ctx, "show synchronous_commit").Scan(&setting); err != nil {
		return s.fail(ctx, "open", err)
	}
	if setting == "off" && !allow {
		return errors.New("sqldb: synchronous_commit is off: a crash of the server would lose acknowledged writes; turn it on, or allow it explicitly")
	}
	return nil
}

func (s *server) dialect() Dialect { return Postgres }
func (s *server) close() error     { return s.pool.Close() }

func (s *server) migrate(ctx context.Context, m migrations) error {
	lock, err := oneAtATime()
	if err != nil {
		return err
	}
	return s.fail(ctx, "migrations", m.up(ctx, goose.DialectPostgres, s.pool, lock))
}

func (s *server) setQuota(context.Context, int) error {
	return errors.New("sqldb: PostgreSQL has no quota of pages")
}

func (s *server) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	err = s.retry(ctx, func() error {
		n, err = s.execOn(ctx, s.pool, query, args)
		return err
	})
	return n, err
}

func (s *server) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return s.queryOn(ctx, s.pool, query, args)
}

// handle is a *sql.DB or a *sql.Tx.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *server) execOn(ctx context.Context, h handle, query string, args []any) (int64, error) {
	r, err := h.ExecContext(ctx, s.texts.rebind(query), args...)
	if err != nil {
		return 0, s.fail(ctx, query, err)
	}
	return r.RowsAffected()
}

func (s *server) queryOn(ctx context.Context, h handle, query string, args []any) (*Rows, error) {
	rows, err := h.QueryContext(ctx, s.texts.rebind(query), args...)
	if err != nil {
		return nil, s.fail(ctx, query, err)
	}
	return &Rows{Rows: rows, fail: func(err error) error { return s.fail(ctx, query, err) }}, nil
}
