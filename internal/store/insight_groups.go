package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// InsightGroup is an automatic topic: a name that stays, and the words of its questions with their weights.
type InsightGroup struct {
	Name  string
	Terms map[string]float64
}

// InsightGroups lists an agent's automatic topics by name.
func (db *DB) InsightGroups(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]InsightGroup, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (g InsightGroup, err error) {
		var terms nullText
		if err = scan(&g.Name, &terms); err == nil {
			err = fromJSON(terms, &g.Terms)
		}
		return g, err
	}, `select name, terms from insight_groups where agent_id = ? and account_id = ? order by name`, agent, account)
}

// AddInsightGroups writes new automatic topics; one of a name that is there stays as it is.
func (db *DB) AddInsightGroups(ctx context.Context, account parley.AccountID, agent parley.AgentID, list []InsightGroup, now time.Time) error {
	for _, g := range list {
		if _, err := db.sql.Exec(ctx, `insert into insight_groups (agent_id, name, account_id, terms, made_at) values (?, ?, ?, ?, ?) on conflict (agent_id, name) do nothing`,
			agent, g.Name, account, toJSON(g.Terms), millis(now)); err != nil {
			return err
		}
	}
	return nil
}

// Vocabulary is in how many questions each word stands, of those that an agent's automatic topics were made from.
type Vocabulary struct {
	Questions       int            `json:"questions"`
	QuestionsByWord map[string]int `json:"holding"`
}

// Vocabulary returns an agent's vocabulary; it is empty before there are automatic topics.
func (db *DB) Vocabulary(ctx context.Context, account parley.AccountID, agent parley.AgentID) (v Vocabulary, err error) {
	text, err := sqldb.One(ctx, db.sql, sqldb.Column[nullText], `select vocabulary from insight_agents where agent_id = ? and account_id = ?`, agent, account)
	if sqldb.IsNotFound(err) {
		return v, nil
	}
	if err == nil {
		err = fromJSON(text, &v)
	}
	return v, err
}

// SaveVocabulary replaces it. The caller holds the agent's insights.
func (db *DB) SaveVocabulary(ctx context.Context, account parley.AccountID, agent parley.AgentID, v Vocabulary) error {
	_, err := db.sql.Exec(ctx, `update insight_agents set vocabulary = ? where agent_id = ? and account_id = ?`, toJSON(v), agent, account)
	return err
}

// UngroupedInsights lists the newest insights that have words and no topic.
func (db *DB) UngroupedInsights(ctx context.Context, account parley.AccountID, agent parley.AgentID, limit int) ([]parley.Insight, error) {
	return sqldb.All(ctx, db.sql, scanInsight, `select `+insightColumns+` from conversation_insights where agent_id = ? and account_id = ? and topic = '' and terms <> ''
		order by created_at desc, conversation_id desc limit ?`, agent, account, limit)
}

// EraseInsights erases all that is known of an agent's conversations, in steps, for it to be found out anew. It reports whether
// nothing is left.
func (db *DB) EraseInsights(ctx context.Context, account parley.AccountID, agent parley.AgentID, limit int) (done bool, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		if err := tx.LockInsights(ctx, account, agent); err != nil {
			return err
		}
		ids, err := sqldb.All(ctx, tx.sql, sqldb.Column[parley.ConversationID], `select conversation_id from conversation_insights where agent_id = ? and account_id = ? limit ?`,
			agent, account, limit)
		if err != nil {
			return err
		}
		if done = len(ids) < limit; !done {
			return tx.DropInsights(ctx, account, agent, ids)
		}
		if err := tx.DropInsights(ctx, account, agent, ids); err != nil {
			return err
		}
		for _, table := range []string{"insight_groups", "insight_days", "insight_questions"} {
			if _, err := tx.sql.Exec(ctx, `delete from `+table+` where agent_id = ? and account_id = ?`, agent, account); err != nil {
				return fmt.Errorf("forget %s: %w", table, err)
			}
		}
		return tx.SaveVocabulary(ctx, account, agent, Vocabulary{})
	})
	return done, err
}
