package store

import (
	"context"
	"database/sql"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const deliveryColumns = `id, account_id, agent_id, webhook_id, event, body, state, attempts, due_at, last_status, last_error, created_at, updated_at, delivered_at`

func scanDelivery(scan sqldb.Scan) (d parley.Delivery, err error) {
	var agent, failure sql.NullString
	var status, delivered sql.NullInt64
	var due, created, updated int64
	err = scan(&d.ID, &d.AccountID, &agent, &d.WebhookID, &d.Event, &d.Body, &d.State, &d.Attempts, &due, &status, &failure, &created, &updated, &delivered)
	d.AgentID, d.LastStatus, d.LastError = parley.AgentID(agent.String), int(status.Int64), failure.String
	d.DueAt, d.CreatedAt, d.UpdatedAt, d.DeliveredAt = timeFromMillis(due), timeFromMillis(created), timeFromMillis(updated), timeOrNil(delivered)
	return d, err
}

func deliveryNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Delivery not found.") }

// AddDelivery writes a delivery that is to be sent.
func (db *DB) AddDelivery(ctx context.Context, d *parley.Delivery) error {
	_, err := db.sql.Exec(ctx, `insert into webhook_deliveries (id, account_id, agent_id, webhook_id, event, body, state, attempts, due_at, created_at, updated_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, d.ID, d.AccountID, textOrNil(d.AgentID), d.WebhookID, d.Event, d.Body, string(parley.DeliveryPending), 0,
		millis(d.DueAt), millis(d.CreatedAt), millis(d.CreatedAt))
	return err
}

// DueDeliveries lists a webhook's deliveries that are to be sent by now, at most limit, those that are due longest first.
func (db *DB) DueDeliveries(ctx context.Context, account parley.AccountID, hook parley.WebhookID, now time.Time, limit int) ([]parley.Delivery, error) {
	return sqldb.All(ctx, db.sql, scanDelivery, `select `+deliveryColumns+` from webhook_deliveries where webhook_id = ? and account_id = ? and state = 'pending' and due_at <= ?
		order by due_at, id limit ?`, hook, account, millis(now), limit)
}

// NextDeliveryTime tells when the next of a webhook's deliveries is due; nil when none is waiting.
func (db *DB) NextDeliveryTime(ctx context.Context, account parley.AccountID, hook parley.WebhookID) (*time.Time, error) {
	at, err := sqldb.One(ctx, db.sql, sqldb.Column[sql.NullInt64], `select min(due_at) from webhook_deliveries where webhook_id = ? and account_id = ? and state = 'pending'`, hook, account)
	return timeOrNil(at), err
}

// SaveDeliveryAttempt writes how a pending delivery stands after an attempt. One that is gone, or no longer pending, is left alone.
func (db *DB) SaveDeliveryAttempt(ctx context.Context, d *parley.Delivery) error {
	_, err := db.sql.Exec(ctx, `update webhook_deliveries set state = ?, attempts = ?, due_at = ?, last_status = ?, last_error = ?, updated_at = ?, delivered_at = ?
		where id = ? and webhook_id = ? and account_id = ? and state = 'pending'`, string(d.State), d.Attempts, millis(d.DueAt), numberOrNil(d.LastStatus), textOrNil(d.LastError),
		millis(d.UpdatedAt), millisOrNil(d.DeliveredAt), d.ID, d.WebhookID, d.AccountID)
	return err
}

func numberOrNil(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// ResetDelivery makes a delivery pending, as if it had never been tried, and gives it. Fails with NOT_FOUND.
func (db *DB) ResetDelivery(ctx context.Context, account parley.AccountID, id parley.DeliveryID, now time.Time) (*parley.Delivery, error) {
	d, err := sqldb.One(ctx, db.sql, scanDelivery, `update webhook_deliveries set state = 'pending', attempts = 0, due_at = ?, updated_at = ?, delivered_at = null
		where id = ? and account_id = ? returning `+deliveryColumns, millis(now), millis(now), id, account)
	if sqldb.IsNotFound(err) {
		return nil, deliveryNotFound()
	}
	return &d, err
}

// OwnerOfDelivery tells whose a delivery is. It is the operator's view and asks for no account. Fails with NOT_FOUND.
func (db *DB) OwnerOfDelivery(ctx context.Context, id parley.DeliveryID) (parley.AccountID, error) {
	account, err := sqldb.One(ctx, db.sql, sqldb.Column[parley.AccountID], `select account_id from webhook_deliveries where id = ?`, id)
	if sqldb.IsNotFound(err) {
		return "", deliveryNotFound()
	}
	return account, err
}

// DeliveryFilter narrows a list of deliveries. Zero fields do not.
type DeliveryFilter struct {
	Account parley.AccountID
	Webhook parley.WebhookID
	State   parley.DeliveryState
}

// Deliveries lists deliveries, those that changed last first, at most limit. It is the operator's view: without an account
// in the filter it lists those of all.
func (db *DB) Deliveries(ctx context.Context, f DeliveryFilter, limit int) ([]parley.Delivery, error) {
	where, args := `1 = 1`, []any{}
	for _, narrow := range []struct{ column, value string }{{"account_id", string(f.Account)}, {"webhook_id", string(f.Webhook)}, {"state", string(f.State)}} {
		if narrow.value != "" {
			where, args = where+` and `+narrow.column+` = ?`, append(args, narrow.value)
		}
	}
	return sqldb.All(ctx, db.sql, scanDelivery, `select `+deliveryColumns+` from webhook_deliveries where `+where+` order by updated_at desc, id desc limit ?`, append(args, limit)...)
}

// EraseWebhookDeliveries erases what a webhook that was taken away has left, in chunks in the bulk lane.
func (db *DB) EraseWebhookDeliveries(ctx context.Context, account parley.AccountID, hook parley.WebhookID) error {
	return db.eraseDeliveries(ctx, `webhook_id = ? and account_id = ?`, hook, account)
}

// EraseFinishedDeliveries erases the deliveries of all accounts that have come to their end before a moment, in chunks in the bulk lane.
// It is a job of the installation and asks for no account.
func (db *DB) EraseFinishedDeliveries(ctx context.Context, before time.Time) error {
	return db.eraseDeliveries(ctx, `state in ('delivered', 'dead') and updated_at < ?`, millis(before))
}

func (db *DB) eraseDeliveries(ctx context.Context, where string, args ...any) error {
	for {
		var n int64
		err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) (err error) {
			n, err = tx.sql.Exec(ctx, `delete from webhook_deliveries where id in (select id from webhook_deliveries where `+where+` limit ?)`, append(args[:len(args):len(args)], maxEraseRows)...)
			return err
		})
		if err != nil || n < maxEraseRows {
			return err
		}
	}
}
