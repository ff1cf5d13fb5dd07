package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"parley"
	"parley/internal/sqldb"
)

const webhookColumns = `id, account_id, agent_id, endpoint, events, signing, key_id, created_at, updated_at`

func scanWebhook(scan sqldb.Scan) (h parley.Webhook, err error) {
	var agent, events, key sql.NullString
	var created, updated int64
	if err := scan(&h.ID, &h.AccountID, &agent, &h.Endpoint, &events, &h.SealedSigningKeys, &key, &created, &updated); err != nil {
		return h, err
	}
	h.AgentID, h.KeyID = parley.AgentID(agent.String), parley.KeyID(key.String)
	h.CreatedAt, h.UpdatedAt = timeFromMillis(created), timeFromMillis(updated)
	if err := fromJSON(events, &h.Events); err != nil {
		return h, fmt.Errorf("webhook %s: %w", h.ID, err)
	}
	return h, nil
}

func webhookNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Webhook not found.") }

// CreateWebhook writes a new webhook. It must be called in a transaction that holds the account or, where it names one, the agent.
func (db *DB) CreateWebhook(ctx context.Context, h *parley.Webhook) error {
	_, err := db.sql.Exec(ctx, `insert into webhooks (`+webhookColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		h.ID, h.AccountID, textOrNil(h.AgentID), h.Endpoint, toJSON(h.Events), h.SealedSigningKeys, textOrNil(h.KeyID), millis(h.CreatedAt), millis(h.UpdatedAt))
	return err
}

// Webhooks lists an account's webhooks, oldest first; agent narrows them to those of an agent, empty does not.
func (db *DB) Webhooks(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.Webhook, error) {
	where, args := `account_id = ?`, []any{account}
	if agent != "" {
		where, args = where+` and agent_id = ?`, append(args, agent)
	}
	return sqldb.All(ctx, db.sql, scanWebhook, `select `+webhookColumns+` from webhooks where `+where+` order by created_at, id`, args...)
}

// AllWebhooks lists the webhooks of every account. It is the operator's view and asks for no account.
func (db *DB) AllWebhooks(ctx context.Context) ([]parley.Webhook, error) {
	return sqldb.All(ctx, db.sql, scanWebhook, `select `+webhookColumns+` from webhooks order by account_id, created_at, id`)
}

// WebhooksForEvent lists the webhooks that are to hear of an event of an agent.
func (db *DB) WebhooksForEvent(ctx context.Context, account parley.AccountID, agent parley.AgentID, event string) ([]parley.Webhook, error) {
	list, err := sqldb.All(ctx, db.sql, scanWebhook, `select `+webhookColumns+` from webhooks where account_id = ? and (agent_id is null or agent_id = ?) order by id`, account, agent)
	return slices.DeleteFunc(list, func(h parley.Webhook) bool { return !slices.Contains(h.Events, event) }), err
}

// Webhook finds an account's webhook. Fails with NOT_FOUND.
func (db *DB) Webhook(ctx context.Context, account parley.AccountID, id parley.WebhookID) (*parley.Webhook, error) {
	h, err := sqldb.One(ctx, db.sql, scanWebhook, `select `+webhookColumns+` from webhooks where id = ? and account_id = ?`, id, account)
	if sqldb.IsNotFound(err) {
		return nil, webhookNotFound()
	}
	return &h, err
}

// OwnerOfWebhook tells whose a webhook is. It is the operator's view and asks for no account. Fails with NOT_FOUND.
func (db *DB) OwnerOfWebhook(ctx context.Context, id parley.WebhookID) (parley.AccountID, error) {
	account, err := sqldb.One(ctx, db.sql, sqldb.Column[parley.AccountID], `select account_id from webhooks where id = ?`, id)
	if sqldb.IsNotFound(err) {
		return "", webhookNotFound()
	}
	return account, err
}

// DeleteWebhook takes a webhook away; its deliveries are left for EraseDeliveries. Fails with NOT_FOUND.
func (db *DB) DeleteWebhook(ctx context.Context, account parley.AccountID, id parley.WebhookID) error {
	n, err := db.sql.Exec(ctx, `delete from webhooks where id = ? and account_id = ?`, id, account)
	if err == nil && n == 0 {
		return webhookNotFound()
	}
	return err
}
