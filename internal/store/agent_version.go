package store

import (
	"context"

	"parley"
)

// MaxAgentVersions is how many versions of the settings of an agent are kept.
const MaxAgentVersions = 100

var agentVersionTable = newTable("agent_versions", func(v *parley.AgentVersion) []field {
	return append(agentVersionSummary(v), field{"settings", jsonDest{&v.Settings}})
})

// agentVersionSummaryTable has versions without what they hold.
var agentVersionSummaryTable = newTable("agent_versions", agentVersionSummary)

func agentVersionSummary(v *parley.AgentVersion) []field {
	return []field{
		{"version", &v.Version},
		{"at", timeDest{&v.At}},
		{"actor", nullableText(&v.Actor)},
		{"changed", jsonOr(&v.Changed, "[]")},
	}
}

// AgentVersions lists the versions of an agent's settings that are kept, the newest first.
func (db *DB) AgentVersions(ctx context.Context, ref parley.AgentRef) ([]parley.AgentVersion, error) {
	return agentVersionSummaryTable.list(ctx, db, `
		where agent_id = ? and account_id = ?
		order by version desc
		limit ?`, ref.Agent, ref.Account, MaxAgentVersions)
}

// AgentVersion finds a version of an agent's settings. Fails with NOT_FOUND.
func (db *DB) AgentVersion(ctx context.Context, ref parley.AgentRef, version int64) (*parley.AgentVersion, error) {
	return agentVersionTable.find(ctx, db, parley.CodeNotFound, `
		where agent_id = ? and account_id = ? and version = ?`, ref.Agent, ref.Account, version)
}

type actorKey struct{}

// WithActor returns a context whose changes of agents are remembered as those of an actor.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// actorOf returns who changes something, as far as the context says.
func actorOf(ctx context.Context) string {
	if entry, _ := ctx.Value(auditEntryKey{}).(*AuditEntry); entry != nil {
		return entry.Actor
	}
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}

// saveAgentVersion keeps the settings after a change that has made others of them and, if the history begins with the
// change, those before it. It drops the oldest versions beyond those that are kept.
func (db *DB) saveAgentVersion(ctx context.Context, before *parley.AgentVersion, a *parley.Agent) error {
	settings := a.VersionedSettings()
	changed, err := parley.DifferentSettings(before.Settings, settings)
	if err != nil || len(changed) == 0 {
		return err
	}
	hasHistory, err := db.exists(ctx, `from agent_versions where agent_id = ?`, a.ID)
	if err != nil {
		return err
	}
	if !hasHistory {
		if err := db.insertAgentVersion(ctx, a, before); err != nil {
			return err
		}
	}
	after := parley.AgentVersion{Version: a.ConfigVersion, At: a.UpdatedAt, Actor: actorOf(ctx), Changed: changed,
		Settings: settings}
	if err := db.insertAgentVersion(ctx, a, &after); err != nil {
		return err
	}
	return db.exec(ctx, `
		delete from agent_versions
		where agent_id = ? and version <= (
		  select version from agent_versions where agent_id = ? order by version desc limit 1 offset ?)`,
		a.ID, a.ID, MaxAgentVersions)
}

// insertAgentVersion writes a version. A change that has no version of its own takes the place of the one before it.
func (db *DB) insertAgentVersion(ctx context.Context, a *parley.Agent, v *parley.AgentVersion) error {
	row := *v
	fields := append(agentVersionTable.fields(&row), field{"account_id", a.AccountID}, field{"agent_id", a.ID})
	return db.insert(ctx, "agent_versions", ` on conflict (agent_id, version) do update
		set at = excluded.at, actor = excluded.actor, changed = excluded.changed, settings = excluded.settings`, fields...)
}

// versionBefore returns what an agent's settings are before a change.
func versionBefore(a *parley.Agent) *parley.AgentVersion {
	return &parley.AgentVersion{Version: a.ConfigVersion, At: a.UpdatedAt,
		Settings: a.VersionedSettings()}
}
