package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const agentColumns = `id, account_id, name, instructions, channel_instructions, model, auto_retrain, temp, visibility, allowed_domains,
	suggested_messages, initial_messages, credit_limit, notifications, rate_limit, voice, styles, identity_secret, config_version,
	passage_version, size, sources_live, sources_pending, sources_failed, last_message_at, last_trained_at, created_at, updated_at,
	coalesce(key, ''), tools, redact, retention_days, synonyms, topics, insight, v1, coalesce(icon_blob, ''), coalesce(picture_blob, ''), voice_limits,
	coalesce((select total from conversation_counts n where n.agent_id = agents.id), 0), coalesce((select api from conversation_counts n where n.agent_id = agents.id), 0),
	coalesce((select used from credit_usage u where u.account_id = agents.account_id and u.agent_id = agents.id and u.month = ?), 0)`

func scanAgent(scan sqldb.Scan) (a parley.Agent, err error) {
	var channels, domains, suggested, initial, notifications, limit, voice, styles, synonyms, topics, insight, v1, limits sql.NullString
	var credits, spoke, trained, retention sql.NullInt64
	var created, updated int64
	err = scan(&a.ID, &a.AccountID, &a.Name, &a.Instructions, &channels, &a.Model, &a.AutoRetrain, &a.Temp, &a.Visibility, &domains,
		&suggested, &initial, &credits, &notifications, &limit, &voice, &styles, &a.IdentitySecret, &a.ConfigVersion,
		&a.PassageVersion, &a.Size, &a.Sources.Live, &a.Sources.Pending, &a.Sources.Failed, &spoke, &trained, &created, &updated,
		&a.Key, &a.Tools, &a.Redact, &retention, &synonyms, &topics, &insight, &v1, &a.IconBlobID, &a.PictureBlobID, &limits, &a.Conversations, &a.APIConversations, &a.CreditsUsed)
	if err != nil {
		return a, err
	}
	if credits.Valid {
		a.CreditLimit = &credits.Int64
	}
	if retention.Valid {
		a.RetentionDays = &retention.Int64
	}
	a.ChannelInstructions, a.SuggestedMessages, a.Notifications = rawOrNil(channels), rawOrNil(suggested), rawOrNil(notifications)
	a.Voice, a.Styles, a.V1 = rawOrNil(voice), rawOrNil(styles), rawOrNil(v1)
	a.LastMessageAt, a.LastTrainedAt, a.CreatedAt, a.UpdatedAt = timeOrNil(spoke), timeOrNil(trained), timeFromMillis(created), timeFromMillis(updated)
	for _, list := range []struct {
		text sql.NullString
		into any
	}{{domains, &a.AllowedDomains}, {initial, &a.InitialMessages}, {limit, &a.RateLimit}, {synonyms, &a.Synonyms}, {topics, &a.Topics}, {insight, &a.Insight}, {limits, &a.VoiceLimits}} {
		if err := fromJSON(list.text, list.into); err != nil {
			return a, fmt.Errorf("agent %s: %w", a.ID, err)
		}
	}
	return a, nil
}

// Agent finds an agent. now says which month's credits to count. Fails with AGENT_NOT_FOUND, also for a deleted one.
func (db *DB) Agent(ctx context.Context, account parley.AccountID, id parley.AgentID, now time.Time) (*parley.Agent, error) {
	return db.agent(ctx, account, id, now, "")
}

// AgentForTurn is Agent with only the fields that a turn needs, for the one path where every microsecond counts.
func (db *DB) AgentForTurn(ctx context.Context, account parley.AccountID, id parley.AgentID) (*parley.Agent, error) {
	a := parley.Agent{ID: id, AccountID: account}
	var credits sql.NullInt64
	var synonyms, byChannel sql.NullString
	err := db.sql.QueryRow(ctx, `select name, instructions, channel_instructions, model, temp, credit_limit, config_version, passage_version, tools, redact, synonyms from agents
		where id = ? and account_id = ? and deleted_at is null`, id, account).
		Scan(&a.Name, &a.Instructions, &byChannel, &a.Model, &a.Temp, &credits, &a.ConfigVersion, &a.PassageVersion, &a.Tools, &a.Redact, &synonyms)
	a.ChannelInstructions = rawOrNil(byChannel)
	if credits.Valid {
		a.CreditLimit = &credits.Int64
	}
	if err == nil {
		err = fromJSON(synonyms, &a.Synonyms)
	}
	return &a, mapNotFound(err, parley.CodeAgentNotFound)
}

func (db *DB) agent(ctx context.Context, account parley.AccountID, id parley.AgentID, now time.Time, lock string) (*parley.Agent, error) {
	a, err := sqldb.One(ctx, db.sql, scanAgent, `select `+agentColumns+` from agents where id = ? and account_id = ? and deleted_at is null`+lock,
		MonthOf(now), id, account)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeAgentNotFound)
	}
	return &a, nil
}

// Agents lists an account's agents, newest first. now says which month's credits to count.
func (db *DB) Agents(ctx context.Context, account parley.AccountID, now time.Time, ask parley.PageRequest) (parley.Page[parley.Agent], error) {
	var page parley.Page[parley.Agent]
	var err error
	if page.Total, err = db.CountAgents(ctx, account); err != nil {
		return page, err
	}
	after := startCursor(ask)
	list, err := sqldb.All(ctx, db.sql, scanAgent, `select `+agentColumns+` from agents where account_id = ? and deleted_at is null
		and (created_at < ? or (created_at = ? and id < ?)) order by created_at desc, id desc limit ?`,
		MonthOf(now), account, after.SortValue, after.SortValue, after.ID, ask.Limit+1)
	page.Items, page.Next = cutPage(list, ask.Limit, func(a parley.Agent) parley.Cursor {
		return parley.Cursor{SortValue: millis(a.CreatedAt), ID: string(a.ID)}
	})
	return page, err
}

// CountAgents counts an account's agents.
func (db *DB) CountAgents(ctx context.Context, account parley.AccountID) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from agents where account_id = ? and deleted_at is null`, account)
}

// CreateAgent writes a new agent without sources.
func (db *DB) CreateAgent(ctx context.Context, a *parley.Agent) error {
	_, err := db.sql.Exec(ctx, `insert into agents (name, instructions, channel_instructions, model, auto_retrain, temp, visibility, allowed_domains,
		suggested_messages, initial_messages, credit_limit, notifications, rate_limit, voice, styles, identity_secret, config_version, updated_at,
		key, redact, retention_days, synonyms, topics, insight, v1, icon_blob, picture_blob, voice_limits, id, account_id, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append(agentSettingValues(a), a.ID, a.AccountID, millis(a.CreatedAt))...)
	return err
}

// agentSettingValues are the columns that a change of settings writes: neither counters nor what they count.
func agentSettingValues(a *parley.Agent) []any {
	var credits, retention any
	if a.CreditLimit != nil {
		credits = *a.CreditLimit
	}
	if a.RetentionDays != nil {
		retention = *a.RetentionDays
	}
	initial := a.InitialMessages
	if initial == nil {
		initial = []string{}
	}
	return []any{a.Name, a.Instructions, toJSON(a.ChannelInstructions), a.Model, boolToInt(a.AutoRetrain), a.Temp, a.Visibility, toJSON(a.AllowedDomains),
		toJSON(a.SuggestedMessages), toJSON(initial), credits, toJSON(a.Notifications), toJSON(a.RateLimit), toJSON(a.Voice), toJSON(a.Styles),
		a.IdentitySecret, a.ConfigVersion, millis(a.UpdatedAt), textOrNil(a.Key), boolToInt(a.Redact), retention, listOrNil(a.Synonyms), listOrNil(a.Topics), toJSON(a.Insight),
		toJSON(a.V1), textOrNil(a.IconBlobID), textOrNil(a.PictureBlobID), voiceLimitsJSON(a.VoiceLimits)}
}

func voiceLimitsJSON(l parley.VoiceLimits) any {
	if l == (parley.VoiceLimits{}) {
		return nil
	}
	return toJSON(l)
}

func listOrNil[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return toJSON(list)
}

// UpdateAgent reads an agent, has its settings changed and writes them back, in one transaction; counters stay as they are.
// Fails with AGENT_NOT_FOUND.
func (db *DB) UpdateAgent(ctx context.Context, account parley.AccountID, id parley.AgentID, change func(*parley.Agent) error) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		a, err := tx.agent(ctx, account, id, time.Time{}, tx.sql.ForUpdate())
		if err != nil {
			return err
		}
		before := parley.Agent{ID: a.ID, Voice: a.Voice}
		if err := change(a); err != nil {
			return err
		}
		if err := tx.saveRecordingDays(ctx, &before, a); err != nil {
			return err
		}
		_, err = tx.sql.Exec(ctx, `update agents set name = ?, instructions = ?, channel_instructions = ?, model = ?, auto_retrain = ?, temp = ?, visibility = ?,
			allowed_domains = ?, suggested_messages = ?, initial_messages = ?, credit_limit = ?, notifications = ?, rate_limit = ?, voice = ?, styles = ?,
			identity_secret = ?, config_version = ?, updated_at = ?, key = ?, redact = ?, retention_days = ?, synonyms = ?, topics = ?, insight = ?,
			v1 = ?, icon_blob = ?, picture_blob = ?, voice_limits = ? where id = ? and account_id = ?`, append(agentSettingValues(a), id, account)...)
		return err
	})
}

// DeleteAgent marks an agent as deleted: from then on nothing finds it. Its rows are left for EraseAgent. Fails with
// AGENT_NOT_FOUND.
func (db *DB) DeleteAgent(ctx context.Context, account parley.AccountID, id parley.AgentID, now time.Time) error {
	n, err := db.sql.Exec(ctx, `update agents set deleted_at = ? where id = ? and account_id = ? and deleted_at is null`, millis(now), id, account)
	return requireChanged(n, err, parley.CodeAgentNotFound)
}

// HasLiveSource reports whether the agent has a source that it answers from, be it an earlier version of one.
func (db *DB) HasLiveSource(ctx context.Context, account parley.AccountID, agent parley.AgentID) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from sources where agent_id = ? and account_id = ? and live_version is not null
		and deleted_at is null and status <> 'toBeDeleted'`, agent, account)
	return n > 0, err
}

// ScheduleAgentSync says when the agent's link sources are to be read again; nil is never.
func (db *DB) ScheduleAgentSync(ctx context.Context, account parley.AccountID, agent parley.AgentID, at *time.Time) error {
	_, err := db.sql.Exec(ctx, `update sources set next_sync_at = ? where agent_id = ? and account_id = ? and kind = 'link' and parent_id is null and deleted_at is null`,
		millisOrNil(at), agent, account)
	return err
}
