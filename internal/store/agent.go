package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// agentSettings are the columns that a change of settings writes: neither counters nor what they count.
func agentSettings(a *parley.Agent) []field {
	return []field{
		{"name", &a.Name},
		{"instructions", &a.Instructions},
		{"channel_instructions", rawJSONDest{&a.ChannelInstructions}},
		{"model", &a.Model},
		{"auto_retrain", &a.AutoRetrain},
		{"temp", &a.Temp},
		{"visibility", &a.Visibility},
		{"allowed_domains", jsonDest{&a.AllowedDomains}},
		{"suggested_messages", rawJSONDest{&a.SuggestedMessages}},
		{"initial_messages", jsonOr(&a.InitialMessages, "[]")},
		{"credit_limit", &a.CreditLimit},
		{"notifications", rawJSONDest{&a.Notifications}},
		{"rate_limit", jsonDest{&a.RateLimit}},
		{"voice", rawJSONDest{&a.Voice}},
		{"styles", rawJSONDest{&a.Styles}},
		{"identity_secret", &a.IdentitySecret},
		{"identity_secret_old", nullableText(&a.OldIdentitySecret)},
		{"identity_old_until", timePointerDest{&a.OldIdentityUntil}},
		{"config_version", &a.ConfigVersion},
		{"updated_at", timeDest{&a.UpdatedAt}},
		{"key", nullableText(&a.Key)},
		{"redact", &a.Redact},
		{"retention_days", &a.RetentionDays},
		{"file_retention_days", &a.FileRetentionDays},
		{"visitor_retention_days", &a.VisitorRetentionDays},
		{"synonyms", nullableList(&a.Synonyms)},
		{"topics", nullableList(&a.Topics)},
		{"insight", jsonDest{&a.Insight}},
		{"v1", rawJSONDest{&a.V1}},
		{"icon_blob", nullableText(&a.IconBlobID)},
		{"picture_blob", nullableText(&a.PictureBlobID)},
		{"voice_limits", jsonOr(&a.VoiceLimits, nil)},
		{"widget_limits", jsonOr(&a.WidgetLimits, nil)},
	}
}

// newAgentFields are the columns that are written with a new agent.
func newAgentFields(a *parley.Agent) []field {
	return append([]field{
		{"id", &a.ID},
		{"account_id", &a.AccountID},
		{"created_at", timeDest{&a.CreatedAt}},
	}, agentSettings(a)...)
}

// agentTable has the credits used in a month, which is the first argument of a select.
var agentTable = newTable("agents", func(a *parley.Agent) []field {
	return append(newAgentFields(a), []field{
		{"passage_version", &a.PassageVersion},
		{"size", &a.Size},
		{"sources_live", &a.Sources.Live},
		{"sources_pending", &a.Sources.Pending},
		{"sources_failed", &a.Sources.Failed},
		{"last_message_at", timePointerDest{&a.LastMessageAt}},
		{"last_trained_at", timePointerDest{&a.LastTrainedAt}},
		{"tools", &a.Tools},
		{"coalesce((select total from conversation_counts n where n.agent_id = agents.id), 0)", &a.Conversations},
		{"coalesce((select api from conversation_counts n where n.agent_id = agents.id), 0)", &a.APIConversations},
		{"coalesce((select used from credit_usage u where u.account_id = agents.account_id and u.agent_id = agents.id and " +
			"u.month = ?), 0)", &a.CreditsUsed},
	}...)
})

// Agent finds an agent. now says which month's credits to count. Fails with AGENT_NOT_FOUND, also for a deleted one.
func (db *DB) Agent(ctx context.Context, ref parley.AgentRef, now time.Time) (*parley.Agent, error) {
	return db.agent(ctx, ref, now, "")
}

// turnAgentTable has what a turn needs of an agent.
var turnAgentTable = newTable("agents", func(a *parley.Agent) []field {
	return agentTable.pick(a, "id", "account_id", "name", "instructions", "channel_instructions", "model", "temp",
		"credit_limit", "config_version", "passage_version", "tools", "redact", "synonyms", "widget_limits")
})

func (db *DB) readAgentForTurn(ctx context.Context, ref parley.AgentRef) (*parley.Agent, error) {
	return turnAgentTable.find(ctx, db, parley.CodeAgentNotFound, `
		where id = ? and account_id = ? and deleted_at is null`, ref.Agent, ref.Account)
}

func (db *DB) agent(ctx context.Context, ref parley.AgentRef, now time.Time, lock string) (*parley.Agent, error) {
	return agentTable.find(ctx, db, parley.CodeAgentNotFound, `
		where id = ? and account_id = ? and deleted_at is null`+lock, MonthOf(now), ref.Agent, ref.Account)
}

// Agents lists an account's agents, newest first. now says which month's credits to count.
func (db *DB) Agents(ctx context.Context, account parley.AccountID, now time.Time,
	ask parley.PageRequest) (parley.Page[parley.Agent], error) {
	var page parley.Page[parley.Agent]
	var err error
	if page.Total, err = db.CountAgents(ctx, account); err != nil {
		return page, err
	}
	page.Items, page.Next, err = agentTable.pageItems(ctx, db, ask, func(a parley.Agent) parley.Cursor {
		return parley.Cursor{SortValue: millis(a.CreatedAt), ID: string(a.ID)}
	}, `account_id = ? and deleted_at is null`, MonthOf(now), account)
	return page, err
}

// CountAgents counts an account's agents.
func (db *DB) CountAgents(ctx context.Context, account parley.AccountID) (int, error) {
	return db.count(ctx, `from agents where account_id = ? and deleted_at is null`, account)
}

// CreateAgent writes a new agent without sources.
func (db *DB) CreateAgent(ctx context.Context, a *parley.Agent) error {
	return db.insert(ctx, "agents", "", newAgentFields(a)...)
}

// UpdateAgent reads an agent, has its settings changed and writes them back, in one transaction; counters stay as they
// are. Fails with AGENT_NOT_FOUND.
func (db *DB) UpdateAgent(ctx context.Context, ref parley.AgentRef, change func(*parley.Agent) error) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		a, err := tx.agent(ctx, ref, time.Time{}, tx.sql.ForUpdate())
		if err != nil {
			return err
		}
		before, version := parley.Agent{ID: a.ID, Voice: a.Voice}, versionBefore(a)
		if err := change(a); err != nil {
			return err
		}
		if err := tx.saveRecordingDays(ctx, &before, a); err != nil {
			return err
		}
		if err := tx.saveAgentVersion(ctx, version, a); err != nil {
			return err
		}
		tx.forgetAgent(ref)
		_, err = tx.update(ctx, "agents", agentSettings(a), `id = ? and account_id = ?`, ref.Agent, ref.Account)
		return err
	})
}

// DeleteAgent marks an agent as deleted: from then on nothing finds it. Its rows are left for EraseAgent. Fails with
// AGENT_NOT_FOUND.
func (db *DB) DeleteAgent(ctx context.Context, ref parley.AgentRef, now time.Time) error {
	defer db.forgetAgent(ref)
	return db.execFound(ctx, parley.CodeAgentNotFound, `
		update agents set deleted_at = ?
		where id = ? and account_id = ? and deleted_at is null`, millis(now), ref.Agent, ref.Account)
}

// HasLiveSource reports whether the agent has a source that it answers from, even if an earlier version of one.
func (db *DB) HasLiveSource(ctx context.Context, ref parley.AgentRef) (bool, error) {
	return db.exists(ctx, `
		from sources
		where agent_id = ? and account_id = ? and live_version is not null and deleted_at is null
		  and status <> 'toBeDeleted'`, ref.Agent, ref.Account)
}

// ScheduleAgentSync sets when the agent's link sources are to be read again; nil is never.
func (db *DB) ScheduleAgentSync(ctx context.Context, ref parley.AgentRef, at *time.Time) error {
	return db.exec(ctx, `
		update sources set next_sync_at = ?
		where agent_id = ? and account_id = ? and kind = 'link' and parent_id is null and deleted_at is null`,
		millisOrNil(at), ref.Agent, ref.Account)
}

// AgentByKey finds an agent by its key in manifests and, in a transaction, keeps every other writer of its row out. now
// says which month's credits to count. Fails with AGENT_NOT_FOUND.
func (db *DB) AgentByKey(ctx context.Context, account parley.AccountID, key string, now time.Time) (*parley.Agent,
	error) {
	id, err := sqldb.One(ctx, db.sql, sqldb.Column[parley.AgentID], `
		select id
		from agents
		where account_id = ? and key = ? and deleted_at is null`, account, key)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeAgentNotFound)
	}
	return db.AgentForUpdate(ctx, account.AgentRef(id), now)
}

// AgentForUpdate is Agent that keeps every other writer of the agent's row out until the transaction ends.
func (db *DB) AgentForUpdate(ctx context.Context, ref parley.AgentRef, now time.Time) (*parley.Agent, error) {
	return db.agent(ctx, ref, now, db.sql.ForUpdate())
}

// AgentInAnyAccount finds an agent of any account: the operator's view. now says which month's credits to count. Fails
// with AGENT_NOT_FOUND.
func (db *DB) AgentInAnyAccount(ctx context.Context, id parley.AgentID, now time.Time) (*parley.Agent, error) {
	account, err := db.OwnerOfAgent(ctx, id)
	if err != nil {
		return nil, err
	}
	return db.agent(ctx, account.AgentRef(id), now, "")
}

// PictureBlob finds the icon of an agent, or its profile picture. Everybody may see them, and so it asks for no
// account. Fails with AGENT_NOT_FOUND, also where the agent has none.
func (db *DB) PictureBlob(ctx context.Context, agent parley.AgentID, icon bool) (*Blob, error) {
	column := "picture_blob"
	if icon {
		column = "icon_blob"
	}
	return blobTable.find(ctx, db, parley.CodeAgentNotFound, `
		where id = (select `+column+` from agents where id = ? and deleted_at is null) and agent_id = ?`, agent, agent)
}

// RecentAgent is an agent that somebody has written to.
type RecentAgent struct {
	ID             parley.AgentID
	PassageVersion int64
}

// RecentAgents lists agents of all accounts that somebody has written to since a moment, the latest first, at most
// limit. It reads every agent.
func (db *DB) RecentAgents(ctx context.Context, since time.Time, limit int) ([]RecentAgent, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (a RecentAgent, err error) {
		err = scan(&a.ID, &a.PassageVersion)
		return a, err
	}, `
		select
		  id,
		  passage_version
		from agents
		where last_message_at >= ? and deleted_at is null
		order by last_message_at desc, id
		limit ?`, millis(since), limit)
}

// LockAndTouchAgent records that somebody wrote to the agent, and reports whether it masks what is stored. It locks the
// agent's row until the transaction ends. Fails with AGENT_NOT_FOUND.
func (db *DB) LockAndTouchAgent(ctx context.Context, ref parley.AgentRef, now time.Time) (redacts bool, err error) {
	redacts, err = sqldb.One(ctx, db.sql, sqldb.Column[bool], `
		update agents set
		  last_message_at = case when coalesce(last_message_at, 0) < ? then ? else last_message_at end
		where id = ? and account_id = ? and deleted_at is null
		returning redact`, millis(now), millis(now), ref.Agent, ref.Account)
	return redacts, mapNotFound(err, parley.CodeAgentNotFound)
}

// TouchAgent notes the time of the agent's latest message, to the second: the row is large and every turn would rewrite
// it. Fails with AGENT_NOT_FOUND once the agent is deleted.
func (db *DB) TouchAgent(ctx context.Context, ref parley.AgentRef, now time.Time) error {
	last, err := db.agentLastMessageAt(ctx, ref, "")
	if err != nil || millis(now)-last < 1000 {
		return err
	}
	return db.exec(ctx, `
		update agents set last_message_at = ?
		where id = ? and account_id = ?`, millis(now), ref.Agent, ref.Account)
}

// QueueTouchAgent is TouchAgent that does not look whether the agent is there: CreateTurn does.
func (db *DB) QueueTouchAgent(ctx context.Context, ref parley.AgentRef, now time.Time) error {
	return db.sql.Queue(ctx, `
		update agents set last_message_at = ?
		where id = ? and account_id = ? and deleted_at is null
		  and (last_message_at is null or last_message_at <= ?)`,
		millis(now), ref.Agent, ref.Account, millis(now)-1000)
}

// CheckAgent fails with AGENT_NOT_FOUND unless the account has the agent. It holds no lock.
func (db *DB) CheckAgent(ctx context.Context, ref parley.AgentRef, now time.Time) error {
	_, err := db.AgentForTurn(ctx, ref, now)
	return err
}

// ShareLockAgent fails with AGENT_NOT_FOUND once the agent is deleted, and keeps it from being deleted until the
// transaction ends.
func (db *DB) ShareLockAgent(ctx context.Context, ref parley.AgentRef) error {
	_, err := db.agentLastMessageAt(ctx, ref, db.forShare())
	return err
}

// QueueShareLockAgent is ShareLockAgent that fails the transaction, at the latest when it commits.
func (db *DB) QueueShareLockAgent(ctx context.Context, ref parley.AgentRef) error {
	return db.sql.QueueRead(ctx, func(rows *sqldb.Rows) error {
		if rows.Next() {
			return nil
		}
		if err := rows.Err(); err != nil {
			return err
		}
		return parley.NewError(parley.CodeAgentNotFound)
	}, agentLastMessageQuery+db.forShare(), ref.Agent, ref.Account)
}

func (db *DB) forShare() string {
	if db.sql.Dialect() == sqldb.Postgres {
		return " for share"
	}
	return ""
}

func (db *DB) agentLastMessageAt(ctx context.Context, ref parley.AgentRef, lock string) (lastMessage int64, err error) {
	err = db.sql.QueryRow(ctx, agentLastMessageQuery+lock, ref.Agent, ref.Account).Scan(&lastMessage)
	return lastMessage, mapNotFound(err, parley.CodeAgentNotFound)
}

const agentLastMessageQuery = `
	select coalesce(last_message_at, 0)
	from agents
	where id = ? and account_id = ? and deleted_at is null`

// AgentRedacts reports whether the agent masks personal data before it keeps anything.
func (db *DB) AgentRedacts(ctx context.Context, ref parley.AgentRef) (redacts bool, err error) {
	err = db.sql.QueryRow(ctx, `
		select redact
		from agents
		where id = ? and account_id = ? and deleted_at is null`, ref.Agent, ref.Account).Scan(&redacts)
	return redacts, mapNotFound(err, parley.CodeAgentNotFound)
}

// AgentRedaction says of an agent whether it masks personal data before it keeps anything.
type AgentRedaction struct {
	ID      parley.AgentID
	Redacts bool
}

// AgentRedactions lists the account's agents by id, with whether each masks personal data.
func (db *DB) AgentRedactions(ctx context.Context, account parley.AccountID) ([]AgentRedaction, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (a AgentRedaction, err error) {
		err = scan(&a.ID, &a.Redacts)
		return a, err
	}, `
		select id, redact
		from agents
		where account_id = ? and deleted_at is null
		order by id`, account)
}

// AgentIDs lists the account's agents from an id on, by id.
func (db *DB) AgentIDs(ctx context.Context, ref parley.AgentRef) ([]parley.AgentID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.AgentID], `
		select id
		from agents
		where account_id = ? and deleted_at is null and id >= ?
		order by id`, ref.Account, ref.Agent)
}

// LockAgent fails with AGENT_NOT_FOUND once the agent is deleted, and keeps every other writer of its row out until the
// transaction ends.
func (db *DB) LockAgent(ctx context.Context, ref parley.AgentRef) error {
	return db.requireRow(ctx, parley.CodeAgentNotFound, `
		from agents
		where id = ? and account_id = ? and deleted_at is null`+db.sql.ForUpdate(), ref.Agent, ref.Account)
}

// OwnerOfAgent returns the account of an agent. It is the operator's view and is not limited to one account. Fails with
// AGENT_NOT_FOUND.
func (db *DB) OwnerOfAgent(ctx context.Context, id parley.AgentID) (account parley.AccountID, err error) {
	err = db.sql.QueryRow(ctx, `select account_id from agents where id = ? and deleted_at is null`, id).Scan(&account)
	return account, mapNotFound(err, parley.CodeAgentNotFound)
}
