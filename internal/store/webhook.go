package store

import (
	"context"
	"database/sql"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// WebhookFollower is the name under which the follower of the event log that writes deliveries stores its positions. It
// must not change.
const WebhookFollower = "webhook"

var webhookTable = newTable("webhooks", func(h *parley.Webhook) []field {
	return []field{
		{"id", &h.ID},
		{"account_id", &h.AccountID},
		{"agent_id", nullableText(&h.AgentID)},
		{"endpoint", &h.Endpoint},
		{"events", jsonDest{&h.Events}},
		{"signing", &h.SealedSigningKeys},
		{"key_id", nullableText(&h.KeyID)},
		{"channel", nullableText(&h.Channel)},
		{"name", nullableText(&h.Name)},
		{"disabled_at", timePointerDest{&h.DisabledAt}},
		{"created_at", timeDest{&h.CreatedAt}},
		{"updated_at", timeDest{&h.UpdatedAt}},
	}
})

func webhookNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Webhook not found.") }

// CreateWebhook writes a new webhook. It must be called in a transaction that has locked the account or, where it names
// one, the agent.
func (db *DB) CreateWebhook(ctx context.Context, h *parley.Webhook) error {
	return webhookTable.insert(ctx, db, "", h)
}

// Webhooks lists the webhooks of one agent, oldest first, without those of all agents of its account.
func (db *DB) Webhooks(ctx context.Context, ref parley.AgentRef) ([]parley.Webhook, error) {
	return webhookTable.list(ctx, db, `
		where account_id = ? and agent_id = ?
		order by created_at, id`, ref.Account, ref.Agent)
}

// AccountWebhooks lists all webhooks of an account, oldest first, those of single agents too.
func (db *DB) AccountWebhooks(ctx context.Context, account parley.AccountID) ([]parley.Webhook, error) {
	return webhookTable.list(ctx, db, `
		where account_id = ?
		order by created_at, id`, account)
}

// DeliveryHour counts the deliveries of a webhook that were written in an hour.
type DeliveryHour struct {
	WebhookID parley.WebhookID
	Hour      int // since the beginning of the count
	All       int
	Dead      int
}

// DeliveryHours counts the deliveries of each webhook of an account by hours since a moment, in no order. Hours without
// any are left out.
func (db *DB) DeliveryHours(ctx context.Context, account parley.AccountID, since time.Time) ([]DeliveryHour, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (h DeliveryHour, err error) {
		err = scan(&h.WebhookID, &h.Hour, &h.All, &h.Dead)
		return h, err
	}, `
		select
		  d.webhook_id,
		  (d.created_at - ?) / 3600000 as hour,
		  count(*),
		  sum(case when d.state = 'dead' then 1 else 0 end)
		from webhooks h
		  join webhook_deliveries d on d.webhook_id = h.id and d.account_id = h.account_id
		where h.account_id = ? and d.created_at >= ?
		group by d.webhook_id, hour`, millis(since), account, millis(since))
}

// AllWebhooks lists the webhooks of every account. It is the operator's view and is not limited to one account.
func (db *DB) AllWebhooks(ctx context.Context) ([]parley.Webhook, error) {
	return webhookTable.list(ctx, db, `
		order by account_id, created_at, id`)
}

// Webhook finds an account's webhook. Fails with NOT_FOUND.
func (db *DB) Webhook(ctx context.Context, account parley.AccountID, id parley.WebhookID) (*parley.Webhook, error) {
	h, err := webhookTable.one(ctx, db, `where id = ? and account_id = ?`, id, account)
	if sqldb.IsNotFound(err) {
		return nil, webhookNotFound()
	}
	return &h, err
}

// UpdateWebhook has an account's webhook changed and writes it back. Fails with NOT_FOUND.
func (db *DB) UpdateWebhook(ctx context.Context, account parley.AccountID, id parley.WebhookID, now time.Time,
	change func(*parley.Webhook) error) error {
	own := `id = ? and account_id = ?`
	h, err := webhookTable.one(ctx, db, `where `+own+db.sql.ForUpdate(), id, account)
	if sqldb.IsNotFound(err) {
		return webhookNotFound()
	}
	if err != nil {
		return err
	}
	if err := change(&h); err != nil {
		return err
	}
	h.UpdatedAt = now
	fields := webhookTable.pick(&h, "endpoint", "events", "signing", "key_id", "name", "disabled_at", "updated_at")
	_, err = db.update(ctx, "webhooks", fields, own, id, account)
	return err
}

// ChannelInAnyAccount finds a channel by its id: this is how an owner becomes known, so it asks for none. Fails with
// NOT_FOUND, also for a webhook that only sends and for a channel of an agent that is being deleted.
func (db *DB) ChannelInAnyAccount(ctx context.Context, id parley.WebhookID) (*parley.Webhook, error) {
	return webhookTable.find(ctx, db, parley.CodeNotFound, `
		where id = ? and channel is not null
		  and exists (select 1 from agents where agents.id = webhooks.agent_id and agents.deleted_at is null)`, id)
}

// OwnerOfWebhook returns the account of a webhook. It is the operator's view and is not limited to one account. Fails
// with NOT_FOUND.
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

var deliveryTable = newTable("webhook_deliveries", func(d *parley.Delivery) []field {
	return []field{
		{"id", &d.ID},
		{"account_id", &d.AccountID},
		{"agent_id", nullableText(&d.AgentID)},
		{"webhook_id", &d.WebhookID},
		{"event", &d.Event},
		{"conversation_id", nullableText(&d.ConversationID)},
		{"event_seq", nullableNumber(&d.EventNumber)},
		{"body", &d.Body},
		{"state", &d.State},
		{"attempts", &d.Attempts},
		{"due_at", timeDest{&d.DueAt}},
		{"last_status", nullableNumber(&d.LastStatus)},
		{"last_error", nullableText(&d.LastError)},
		{"last_millis", nullableNumber(&d.LastMillis)},
		{"last_answer", nullableText(&d.LastAnswer)},
		{"created_at", timeDest{&d.CreatedAt}},
		{"updated_at", timeDest{&d.UpdatedAt}},
		{"delivered_at", timePointerDest{&d.DeliveredAt}},
	}
})

func deliveryNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Delivery not found.") }

// AddDelivery writes a delivery that is to be sent. It is due no earlier than the one that it waits for: what is due is
// looked for often, and what only waits need not be read then.
func (db *DB) AddDelivery(ctx context.Context, d *parley.Delivery) error {
	pending := *d
	pending.State, pending.Attempts, pending.UpdatedAt = parley.DeliveryPending, 0, d.CreatedAt
	if d.ConversationID != "" {
		if err := db.postponeDelivery(ctx, &pending); err != nil {
			return err
		}
	}
	return deliveryTable.insert(ctx, db, "", &pending)
}

// postponeDelivery has a new delivery due no earlier than the latest of its conversation that is pending.
func (db *DB) postponeDelivery(ctx context.Context, d *parley.Delivery) error {
	due, err := sqldb.One(ctx, db.sql, sqldb.Column[int64], latestPendingDelivery, d.ConversationID, d.WebhookID,
		d.AccountID)
	if sqldb.IsNotFound(err) {
		return nil
	}
	if err == nil && due > millis(d.DueAt) {
		d.DueAt = timeFromMillis(due)
	}
	return err
}

const latestPendingDelivery = `
	select due_at
	from webhook_deliveries
	where conversation_id = ? and webhook_id = ? and account_id = ? and state = 'pending'
	order by event_seq desc
	limit 1`

// moveLaterDeliveries sets when the deliveries are due that wait for a pending one, those of which the time that they
// have holds to the condition.
func (db *DB) moveLaterDeliveries(ctx context.Context, d *parley.Delivery, condition string) error {
	if d.ConversationID == "" {
		return nil
	}
	at := millis(d.DueAt)
	return db.exec(ctx, `
		update webhook_deliveries set due_at = ?
		where conversation_id = ? and webhook_id = ? and account_id = ? and state = 'pending' and event_seq > ?
		  and due_at `+condition+` ?`, at, d.ConversationID, d.WebhookID, d.AccountID, d.EventNumber, at)
}

// Delivery finds a delivery with what is sent. Fails with NOT_FOUND.
func (db *DB) Delivery(ctx context.Context, account parley.AccountID, id parley.DeliveryID) (*parley.Delivery, error) {
	return deliveryTable.find(ctx, db, parley.CodeNotFound, `where id = ? and account_id = ?`, id, account)
}

// isFirstDelivery says that no earlier delivery of the same conversation waits. Only those of channels have one.
const isFirstDelivery = `
	(conversation_id is null or not exists (
	  select 1
	  from webhook_deliveries earlier
	  where earlier.conversation_id = webhook_deliveries.conversation_id
	    and earlier.webhook_id = webhook_deliveries.webhook_id and earlier.state = 'pending'
	    and earlier.event_seq < webhook_deliveries.event_seq
	))`

// DueDeliveries lists a webhook's deliveries that are to be sent by now, at most limit, those that are due longest
// first. Those of a channel that are of one conversation wait for each other.
func (db *DB) DueDeliveries(ctx context.Context, account parley.AccountID, hook parley.WebhookID, now time.Time,
	limit int) ([]parley.Delivery, error) {
	return deliveryTable.list(ctx, db, `
		where webhook_id = ? and account_id = ? and state = 'pending' and due_at <= ?
		  and `+isFirstDelivery+`
		order by due_at, id
		limit ?`, hook, account, millis(now), limit)
}

// NextDeliveryTime returns when the next of a webhook's deliveries is due; nil when none is waiting.
func (db *DB) NextDeliveryTime(ctx context.Context, account parley.AccountID, hook parley.WebhookID) (*time.Time,
	error) {
	at, err := sqldb.One(ctx, db.sql, sqldb.Column[sql.NullInt64], `
		select min(due_at)
		from webhook_deliveries
		where webhook_id = ? and account_id = ? and state = 'pending'
		  and `+isFirstDelivery, hook, account)
	return timeOrNil(at), err
}

// SaveDeliveryAttempt writes the state of a pending delivery after an attempt. One that is gone, or no longer pending,
// is left alone. Where it is to be tried again, those that wait for it are due no earlier.
func (db *DB) SaveDeliveryAttempt(ctx context.Context, d *parley.Delivery) error {
	fields := deliveryTable.pick(d, "state", "attempts", "due_at", "last_status", "last_error", "last_millis",
		"last_answer", "updated_at", "delivered_at")
	n, err := db.update(ctx, "webhook_deliveries", fields,
		`id = ? and webhook_id = ? and account_id = ? and state = 'pending'`,
		d.ID, d.WebhookID, d.AccountID)
	if err != nil || n == 0 || d.State != parley.DeliveryPending {
		return err
	}
	return db.moveLaterDeliveries(ctx, d, `<`)
}

// ResetDelivery makes a delivery pending, as if it had never been tried, and returns it. Those that wait for it follow
// at once. Fails with NOT_FOUND.
func (db *DB) ResetDelivery(ctx context.Context, account parley.AccountID, id parley.DeliveryID,
	now time.Time) (*parley.Delivery, error) {
	d, err := deliveryTable.oneFrom(ctx, db, `
		update webhook_deliveries set
		  state = 'pending',
		  attempts = 0,
		  due_at = ?,
		  updated_at = ?,
		  delivered_at = null
		where id = ? and account_id = ?
		returning `+deliveryTable.columns, millis(now), millis(now), id, account)
	if sqldb.IsNotFound(err) {
		return nil, deliveryNotFound()
	}
	if err != nil {
		return nil, err
	}
	return &d, db.moveLaterDeliveries(ctx, &d, `>`)
}

// OwnerOfDelivery returns the account of a delivery. It is the operator's view and is not limited to one account. Fails
// with NOT_FOUND.
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
	return deliveryTable.list(ctx, db, `
		where `+where+`
		order by updated_at desc, id desc
		limit ?`, append(args, limit)...)
}

// WebhookDeliveries lists the deliveries of a webhook, the newest first, of all states if none is named.
func (db *DB) WebhookDeliveries(ctx context.Context, hook *parley.Webhook, state parley.DeliveryState,
	ask parley.PageRequest) (parley.Page[parley.Delivery], error) {
	where, args := `webhook_id = ? and account_id = ?`, []any{hook.ID, hook.AccountID}
	if state != "" {
		where, args = where+` and state = ?`, append(args, state)
	}
	return deliveryTable.page(ctx, db, ask, func(d parley.Delivery) parley.Cursor {
		return parley.Cursor{SortValue: millis(d.CreatedAt), ID: string(d.ID)}
	}, where, args...)
}

// EraseWebhookDeliveries erases the deliveries of a deleted webhook, in chunks in the bulk lane.
func (db *DB) EraseWebhookDeliveries(ctx context.Context, account parley.AccountID, hook parley.WebhookID) error {
	return db.eraseDeliveries(ctx, `webhook_id = ? and account_id = ?`, hook, account)
}

// EraseFinishedDeliveries erases the deliveries of all accounts that have come to their end before a moment, in chunks
// in the bulk lane. It is a job of the installation and is not limited to one account.
func (db *DB) EraseFinishedDeliveries(ctx context.Context, before time.Time) error {
	return db.eraseDeliveries(ctx, `state in ('delivered', 'dead') and updated_at < ?`, millis(before))
}

func (db *DB) eraseDeliveries(ctx context.Context, where string, args ...any) error {
	return db.execInChunks(ctx, `
		delete from webhook_deliveries
		where id in (select id from webhook_deliveries where `+where+` limit ?)`, args...)
}
