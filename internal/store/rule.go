package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

const ruleColumns = `id, account_id, agent_id, key, name, position, enabled, all_of, any_of, team_id, member_id, created_at, updated_at`

func scanRule(scan sqldb.Scan) (r parley.Rule, err error) {
	err = scan(&r.ID, &r.AccountID, &r.AgentID, &r.Key, &r.Name, &r.Position, &r.Enabled, jsonDest{&r.All}, jsonDest{&r.Any}, textDest[parley.TeamID]{&r.TeamID},
		textDest[parley.UserID]{&r.MemberID}, timeDest{&r.CreatedAt}, timeDest{&r.UpdatedAt})
	return r, err
}

// Rules lists the agent's routing rules in their order, those that are switched off too.
func (db *DB) Rules(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]parley.Rule, error) {
	return sqldb.All(ctx, db.sql, scanRule, `select `+ruleColumns+` from routing_rules where agent_id = ? and account_id = ? order by position, key`, agent, account)
}

// PutRule writes a rule in place of the agent's rule with its key, if there is one, which keeps its id and birth.
func (db *DB) PutRule(ctx context.Context, r *parley.Rule) error {
	return db.sql.QueryRow(ctx, `insert into routing_rules (`+ruleColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (agent_id, key) do update set name = excluded.name, position = excluded.position, enabled = excluded.enabled, all_of = excluded.all_of,
		any_of = excluded.any_of, team_id = excluded.team_id, member_id = excluded.member_id, updated_at = excluded.updated_at
		where routing_rules.account_id = excluded.account_id returning id, created_at`,
		r.ID, r.AccountID, r.AgentID, r.Key, r.Name, r.Position, boolToInt(r.Enabled), listJSON(r.All), listJSON(r.Any), textOrNil(r.TeamID), textOrNil(r.MemberID),
		millis(r.CreatedAt), millis(r.UpdatedAt)).Scan(&r.ID, timeDest{&r.CreatedAt})
}

// DropRule removes the agent's rule with the key. Fails with NOT_FOUND.
func (db *DB) DropRule(ctx context.Context, account parley.AccountID, agent parley.AgentID, key string) error {
	n, err := db.sql.Exec(ctx, `delete from routing_rules where agent_id = ? and account_id = ? and key = ?`, agent, account, key)
	return requireChanged(n, err, parley.CodeNotFound)
}
