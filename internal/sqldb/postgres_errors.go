package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// sqlState returns PostgreSQL's SQLSTATE, "" when err does not come from it.
func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func isDuplicatePostgres(err error) bool { return sqlState(err) == "23505" }

// mapError is the error a caller sees. A lost connection also empties the pool, whose others are likely just as dead.
func (s *postgresEngine) mapError(ctx context.Context, query string, err error) error {
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
	s.pool.SetMaxIdleConns(0)
	s.pool.SetMaxIdleConns(maxConns)
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
	var connect *pgconn.ConnectError
	var network net.Error
	return pgconn.SafeToRetry(err) || errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, context.DeadlineExceeded)
}
