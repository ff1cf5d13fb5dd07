package bus

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	postgresChannel = "parley"
	connectTimeout  = 5 * time.Second
)

// Postgres is an engine on PostgreSQL's LISTEN and NOTIFY. It has two connections of its own, to listen and to publish:
// a transaction that notifies makes all others that do wait for its commit, so none that stores anything does.
type Postgres struct {
	config *pgx.ConnConfig

	mu     sync.Mutex
	sender *pgx.Conn // nil until something is published
}

// NewPostgres returns an engine on a database. It connects when it is used.
func NewPostgres(url string) (*Postgres, error) {
	parsed, err := pgxpool.ParseConfig(url) // the address may have settings of a pool
	if err != nil {
		return nil, err
	}
	config := parsed.ConnConfig
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "parley bus"
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // a proxy may hand out another connection for each statement
	return &Postgres{config: config}, nil
}

// Listen receives what is published until ctx is done or the connection is lost.
func (p *Postgres) Listen(ctx context.Context, ready func(), received func(message string)) error {
	conn, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		return err
	}
	defer closeConn(ctx, conn)
	if _, err := conn.Exec(ctx, "listen "+postgresChannel); err != nil {
		return err
	}
	ready()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		received(n.Payload)
	}
}

// Publish notifies all that listen, in a transaction of its own. A connection that was lost meanwhile is replaced.
func (p *Postgres) Publish(ctx context.Context, message string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	isOld := p.sender != nil
	err := p.publish(ctx, message)
	if err != nil && isOld {
		err = p.publish(ctx, message)
	}
	return err
}

// publish notifies on the connection, or a new one. p.mu is held.
func (p *Postgres) publish(ctx context.Context, message string) (err error) {
	if p.sender == nil {
		if p.sender, err = pgx.ConnectConfig(ctx, p.config); err != nil {
			p.sender = nil
			return err
		}
	}
	if _, err = p.sender.Exec(ctx, "select pg_notify('"+postgresChannel+"', $1)", message); err != nil {
		closeConn(ctx, p.sender) // the next message gets another one
		p.sender = nil
	}
	return err
}

// Close closes the connection that publishes.
func (p *Postgres) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sender != nil {
		closeConn(context.Background(), p.sender)
		p.sender = nil
	}
}

// closeConn closes a connection, also when ctx is done.
func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
	defer stop()
	_ = conn.Close(ctx) // it is of no use any more
}
