package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

var modelServerTable = newTable("model_servers", func(m *parley.ModelServer) []field {
	return append([]field{
		{"id", &m.ID},
		{"account_id", &m.AccountID},
		{"kind", &m.Kind},
		{"created_at", timeDest{&m.CreatedAt}},
		{"checked_at", timePointerDest{&m.State.CheckedAt}},
		{"failing_since", timePointerDest{&m.State.FailingSince}},
		{"last_error", nullableText(&m.State.LastError)},
	}, modelServerSettings(m)...)
})

// modelServerSettings are the columns that a change writes.
func modelServerSettings(m *parley.ModelServer) []field {
	return []field{
		{"name", &m.Name},
		{"format", &m.Format},
		{"url", &m.URL},
		{"sealed_key", nullableText(&m.SealedKey)},
		{"key_set_at", timePointerDest{&m.KeySetAt}},
		{"key_set_by", nullableText(&m.KeySetBy)},
		{"model", &m.Model},
		{"model_names", jsonOr(&m.ModelNames, "[]")},
		{"context_tokens", &m.ContextTokens},
		{"dimensions", &m.Dimensions},
		{"updated_at", timeDest{&m.UpdatedAt}},
	}
}

func modelServerNotFound() error {
	return parley.NewErrorf(parley.CodeNotFound, "Model server not found.")
}

// modelServerRevision is the setting that changes with every server of models, so that servers need not read all to
// learn that one has changed.
const modelServerRevision = "model_servers"

// ModelServerRevision returns what differs after each change of a server of models of any account. It is empty where
// there has never been one.
func (db *DB) ModelServerRevision(ctx context.Context) (string, error) {
	return db.FindSetting(ctx, modelServerRevision)
}

func (db *DB) setModelServerRevision(ctx context.Context) error {
	return db.SetSetting(ctx, modelServerRevision, parley.NewTimedUUID())
}

// ModelServers lists the servers of models of an account, oldest first.
func (db *DB) ModelServers(ctx context.Context, account parley.AccountID) ([]parley.ModelServer, error) {
	return modelServerTable.list(ctx, db, `
		where account_id = ?
		order by created_at, id`, account)
}

// ModelServer finds an account's server of models. Fails with NOT_FOUND.
func (db *DB) ModelServer(ctx context.Context, account parley.AccountID,
	id parley.ModelServerID) (*parley.ModelServer, error) {
	m, err := modelServerTable.one(ctx, db, `where id = ? and account_id = ?`, id, account)
	if sqldb.IsNotFound(err) {
		return nil, modelServerNotFound()
	}
	return &m, err
}

// CreateModelServer writes a new server of models. It must be called in a transaction that has locked the account.
func (db *DB) CreateModelServer(ctx context.Context, m *parley.ModelServer) error {
	if err := modelServerTable.insert(ctx, db, "", m); err != nil {
		return err
	}
	return db.setModelServerRevision(ctx)
}

// ChangeModelServer writes the settings of a server of models and forgets how it did so far. It must be called in a
// transaction that has locked the account.
func (db *DB) ChangeModelServer(ctx context.Context, m *parley.ModelServer) error {
	m.State = parley.ModelServerState{}
	state := modelServerTable.pick(m, "checked_at", "failing_since", "last_error")
	_, err := db.update(ctx, "model_servers", append(modelServerSettings(m), state...), `id = ? and account_id = ?`,
		m.ID, m.AccountID)
	if err != nil {
		return err
	}
	return db.setModelServerRevision(ctx)
}

// SaveModelServerState writes whether a server of models works. One that is gone, or has changed since, is left alone.
func (db *DB) SaveModelServerState(ctx context.Context, m *parley.ModelServer) error {
	state := modelServerTable.pick(m, "checked_at", "failing_since", "last_error")
	_, err := db.update(ctx, "model_servers", state, `id = ? and account_id = ? and updated_at = ?`, m.ID, m.AccountID,
		millis(m.UpdatedAt))
	return err
}

// DeleteModelServer deletes a server of models. Fails with NOT_FOUND.
func (db *DB) DeleteModelServer(ctx context.Context, account parley.AccountID, id parley.ModelServerID) error {
	n, err := db.sql.Exec(ctx, `delete from model_servers where id = ? and account_id = ?`, id, account)
	if err == nil && n == 0 {
		return modelServerNotFound()
	}
	if err != nil {
		return err
	}
	return db.setModelServerRevision(ctx)
}

// ModelUse is how many agents of an account have chosen a model.
type ModelUse struct {
	Model  string
	Agents int
}

// ModelUses counts the agents of an account by the models that they have chosen.
func (db *DB) ModelUses(ctx context.Context, account parley.AccountID) ([]ModelUse, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (u ModelUse, err error) {
		err = scan(&u.Model, &u.Agents)
		return u, err
	}, `
		select model, count(*)
		from agents
		where account_id = ? and deleted_at is null
		group by model
		order by model`, account)
}

// AgentNamesByModel lists the names of agents of an account that have chosen one of the models, in the order of the
// alphabet, at most limit.
func (db *DB) AgentNamesByModel(ctx context.Context, account parley.AccountID, models []string,
	limit int) ([]string, error) {
	if len(models) == 0 {
		return nil, nil
	}
	args := append(append([]any{account}, toAny(models)...), limit)
	return sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select name
		from agents
		where account_id = ? and deleted_at is null and model in `+placeholders(len(models))+`
		order by name, id
		limit ?`, args...)
}
