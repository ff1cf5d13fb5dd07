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
func (s *postgresEngine) checkDurability(ctx context.Context, allow bool) error {
	var setting string
	if err := s.pool.QueryRowContext(ctx, "show synchronous_commit").Scan(&setting); err != nil {
		return s.mapError(ctx, "open", err)
	}
	if setting == "off" && !allow {
		return errors.New("sqldb: synchronous_commit is off: a crash of the server would lose acknowledged " +
			"writes; turn it on, or allow it explicitly")
	}
	return nil
}

func (s *postgresEngine) dialect() Dialect { return Postgres }
func (s *postgresEngine) close() error     { return s.pool.Close() }

func (s *postgresEngine) migrate(ctx context.Context, m migrations) error {
	lock, err := migrationLock()
	if err != nil {
		return err
	}
	return s.mapError(ctx, "migrations", m.up(ctx, goose.DialectPostgres, s.pool, lock))
}

func (s *postgresEngine) setQuota(context.Context, int) error {
	return errors.New("sqldb: PostgreSQL has no quota of pages")
}

func (s *postgresEngine) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	err = s.retry(ctx, func() error {
		n, err = s.execOn(ctx, s.pool, query, args)
		return err
	})
	return n, err
}

func (s *postgresEngine) query(ctx context.Context, query string, args []any) (*Rows, error) {
	return s.queryOn(ctx, s.pool, query, args)
}

// execQuerier is a *sql.DB or a *sql.Tx.
type execQuerier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *postgresEngine) execOn(ctx context.Context, h execQuerier, query string, args []any) (int64, error) {
	r, err := h.ExecContext(ctx, s.rebinder.rebind(query), args...)
	if err != nil {
		return 0, s.mapError(ctx, query, err)
	}
	return r.RowsAffected()
}

func (s *postgresEngine) queryOn(ctx context.Context, h execQuerier, query string, args []any) (*Rows, error) {
	rows, err := h.QueryContext(ctx, s.rebinder.rebind(query), args...)
	if err != nil {
		return nil, s.mapError(ctx, query, err)
	}
	return &Rows{cursor: rows, mapError: func(err error) error { return s.mapError(ctx, query, err) }}, nil
}
