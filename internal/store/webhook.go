package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const webhookColumns = `
  id,
  account_id,
  agent_id,
  endpoint,
  events,
  signing,
  key_id,
  created_at,
  updated_at`

func scanWebhook(scan sqldb.Scan) (h parley.Webhook, err error) {
	err = scan(
		&h.ID,
		&h.AccountID,
		nullableText(&h.AgentID),
		&h.Endpoint,
		jsonDest{&h.Events},
		&h.SealedSigningKeys,
		nullableText(&h.KeyID),
		timeDest{&h.CreatedAt},
		timeDest{&h.UpdatedAt},
	)
	if err != nil {
		return h, fmt.Errorf("webhook %s: %w", h.ID, err)
	}
	return h, nil
}

func webhookNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Webhook not found.") }

// CreateWebhook writes a new webhook. It must be called in a transaction that has locked the account or, where it names
// one, the agent.
func (db *DB) CreateWebhook(ctx context.Context, h *parley.Webhook) error {
	_, err := db.sql.Exec(ctx, `insert into webhooks (`+webhookColumns+`)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		h.ID, h.AccountID, textOrNil(h.AgentID), h.Endpoint, toJSON(h.Events), h.SealedSigningKeys, textOrNil(h.KeyID),
		millis(h.CreatedAt), millis(h.UpdatedAt))
	return err
}

// Webhooks lists an account's webhooks, oldest first; agent narrows them to those of an agent, empty does not.
func (db *DB) Webhooks(ctx context.Context, ref parley.AgentRef) ([]parley.Webhook, error) {
	where, args := `account_id = ?`, []any{ref.Account}
	if ref.Agent != "" {
		where, args = where+` and agent_id = ?`, append(args, ref.Agent)
	}
	return sqldb.All(ctx, db.sql, scanWebhook, `
		select `+webhookColumns+`
		from webhooks
		where `+where+`
		order by created_at, id`, args...)
}

// AllWebhooks lists the webhooks of every account. It is the operator's view and asks for no account.
func (db *DB) AllWebhooks(ctx context.Context) ([]parley.Webhook, error) {
	return sqldb.All(ctx, db.sql, scanWebhook, `
		select `+webhookColumns+`
		from webhooks
		order by account_id, created_at, id`)
}

// Webhook finds an account's webhook. Fails with NOT_FOUND.
func (db *DB) Webhook(ctx context.Context, account parley.AccountID, id parley.WebhookID) (*parley.Webhook, error) {
	h, err := sqldb.One(ctx, db.sql, scanWebhook, `
		select `+webhookColumns+`
		from webhooks
		where id = ? and account_id = ?`, id, account)
	if sqldb.IsNotFound(err) {
		return nil, webhookNotFound()
	}
	return &h, err
}

// OwnerOfWebhook returns the account of a webhook. It is the operator's view and asks for no account. Fails with
// NOT_FOUND.
func (db *DB) OwnerOfWebhook(ctx context.Context, id parley.WebhookID) (parley.AccountID, error) {
	account, err := sqldb.One(ctx, db.sql, sqldb.Column[parley.AccountID], `
		select account_id
		from webhooks
		where id = ?`, id)
	if sqldb.IsNotFound(err) {
		return "", webhookNotFound()
	}
	return account, err
}

// DeleteWebhook deletes a webhook; its deliveries are left for EraseWebhookDeliveries. Fails with NOT_FOUND.
func (db *DB) DeleteWebhook(ctx context.Context, account parley.AccountID, id parley.WebhookID) error {
	n, err := db.sql.Exec(ctx, `delete from webhooks where id = ? and account_id = ?`, id, account)
	if err == nil && n == 0 {
		return webhookNotFound()
	}
	return err
}

const deliveryColumns = `
  id,
  account_id,
  agent_id,
  webhook_id,
  event,
  body,
  state,
  attempts,
  due_at,
  last_status,
  last_error,
  created_at,
  updated_at,
  delivered_at`

func scanDelivery(scan sqldb.Scan) (d parley.Delivery, err error) {
	var status sql.NullInt64
	err = scan(
		&d.ID,
		&d.AccountID,
		nullableText(&d.AgentID),
		&d.WebhookID,
		&d.Event,
		&d.Body,
		&d.State,
		&d.Attempts,
		timeDest{&d.DueAt},
		&status,
		nullableText(&d.LastError),
		timeDest{&d.CreatedAt},
		timeDest{&d.UpdatedAt},
		timePointerDest{&d.DeliveredAt},
	)
	d.LastStatus = int(status.Int64)
	return d, err
}

func deliveryNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Delivery not found.") }

// AddDelivery writes a delivery that is to be sent.
func (db *DB) AddDelivery(ctx context.Context, d *parley.Delivery) error {
	_, err := db.sql.Exec(ctx, `
		insert into webhook_deliveries (
		  id,
		  account_id,
		  agent_id,
		  webhook_id,
		  event,
		  body,
		  state,
		  attempts,
		  due_at,
		  created_at,
		  updated_at
		)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, d.ID, d.AccountID, textOrNil(d.AgentID), d.WebhookID, d.Event,
		d.Body, string(parley.DeliveryPending), 0,
		millis(d.DueAt), millis(d.CreatedAt), millis(d.CreatedAt))
	return err
}

// DueDeliveries lists a webhook's deliveries that are to be sent by now, at most limit, those that are due longest
// first.
func (db *DB) DueDeliveries(ctx context.Context, account parley.AccountID, hook parley.WebhookID, now time.Time,
	limit int) ([]parley.Delivery, error) {
	return sqldb.All(ctx, db.sql, scanDelivery, `
		select `+deliveryColumns+`
		from webhook_deliveries
		where webhook_id = ? and account_id = ? and state = 'pending' and due_at <= ?
		order by due_at, id
		limit ?`, hook, account, millis(now), limit)
}

// NextDeliveryTime returns when the next of a webhook's deliveries is due; nil when none is waiting.
func (db *DB) NextDeliveryTime(ctx context.Context, account parley.AccountID, hook parley.WebhookID) (*time.Time,
	error) {
	at, err := sqldb.One(ctx, db.sql, sqldb.Column[sql.NullInt64], `
		select min(due_at)
		from webhook_deliveries
		where webhook_id = ? and account_id = ? and state = 'pending'`, hook, account)
	return timeOrNil(at), err
}

// SaveDeliveryAttempt writes how a pending delivery stands after an attempt. One that is gone, or no longer pending, is
// left alone.
func (db *DB) SaveDeliveryAttempt(ctx context.Context, d *parley.Delivery) error {
	_, err := db.sql.Exec(ctx, `
		update webhook_deliveries set
		  state = ?,
		  attempts = ?,
		  due_at = ?,
		  last_status = ?,
		  last_error = ?,
		  updated_at = ?,
		  delivered_at = ?
		where id = ? and webhook_id = ? and account_id = ? and state = 'pending'`, string(d.State), d.Attempts,
		millis(d.DueAt), numberOrNil(d.LastStatus), textOrNil(d.LastError),
		millis(d.UpdatedAt), millisOrNil(d.DeliveredAt), d.ID, d.WebhookID, d.AccountID)
	return err
}

// ResetDelivery makes a delivery pending, as if it had never been tried, and returns it. Fails with NOT_FOUND.
func (db *DB) ResetDelivery(ctx context.Context, account parley.AccountID, id parley.DeliveryID,
	now time.Time) (*parley.Delivery, error) {
	d, err := sqldb.One(ctx, db.sql, scanDelivery, `
		update webhook_deliveries set
		  state = 'pending',
		  attempts = 0,
		  due_at = ?,
		  updated_at = ?,
		  delivered_at = null
		where id = ? and account_id = ?
		returning `+deliveryColumns, millis(now), millis(now), id, account)
	if sqldb.IsNotFound(err) {
		return nil, deliveryNotFound()
	}
	return &d, err
}

// OwnerOfDelivery returns the account of a delivery. It is the operator's view and asks for no account. Fails with
// NOT_FOUND.
func (db *DB) OwnerOfDelivery(ctx context.Context, id parley.DeliveryID) (parley.AccountID, error) {
	account, err := sqldb.One(ctx, db.sql, sqldb.Column[parley.AccountID], `
		select account_id
		from webhook_deliveries
		where id = ?`, id)
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

// Deliveries lists deliveries, those that changed last first, at most limit. It is the operator's view: without an
// account in the filter it lists those of all.
func (db *DB) Deliveries(ctx context.Context, f DeliveryFilter, limit int) ([]parley.Delivery, error) {
	where, args := `1 = 1`, []any{}
	for _, narrow := range []struct{ column, value string }{{"account_id", string(f.Account)},
		{"webhook_id", string(f.Webhook)}, {"state", string(f.State)}} {
		if narrow.value != "" {
			where, args = where+` and `+narrow.column+` = ?`, append(args, narrow.value)
		}
	}
	return sqldb.All(ctx, db.sql, scanDelivery, `
		select `+deliveryColumns+`
		from webhook_deliveries
		where `+where+`
		order by updated_at desc, id desc
		limit ?`, append(args, limit)...)
}

// EraseWebhookDeliveries erases the deliveries of a deleted webhook, in chunks in the bulk lane.
func (db *DB) EraseWebhookDeliveries(ctx context.Context, account parley.AccountID, hook parley.WebhookID) error {
	return db.eraseDeliveries(ctx, `webhook_id = ? and account_id = ?`, hook, account)
}

// EraseFinishedDeliveries erases the deliveries of all accounts that have come to their end before a moment, in chunks
// in the bulk lane. It is a job of the installation and asks for no account.
func (db *DB) EraseFinishedDeliveries(ctx context.Context, before time.Time) error {
	return db.eraseDeliveries(ctx, `state in ('delivered', 'dead') and updated_at < ?`, millis(before))
}

func (db *DB) eraseDeliveries(ctx context.Context, where string, args ...any) error {
	for {
		var n int64
		err := db.Transact(ctx, sqldb.Bulk, func(tx *DB) (err error) {
			n, err = tx.sql.Exec(ctx,
				`delete from webhook_deliveries where id in (select id from webhook_deliveries where `+where+
					` limit ?)`, append(args[:len(args):len(args)], maxEraseRows)...)
			return err
		})
		if err != nil || n < maxEraseRows {
			return err
		}
	}
}
