package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var insightTable = newTable("conversation_insights", insightFields)

func insightFields(in *parley.Insight) []field {
	return []field{
		{"conversation_id", &in.ConversationID},
		{"account_id", &in.AccountID},
		{"agent_id", &in.AgentID},
		{"user_id", nullableText(&in.UserID)},
		{"channel", &in.Channel},
		{"created_at", timeDest{&in.CreatedAt}},
		{"topic", &in.Topic},
		{"topics", jsonOr(&in.Topics, "[]")},
		{"sentiment", &in.Sentiment},
		{"escalated", &in.Escalated},
		{"has_voice", &in.HasVoice},
		{"action_types", jsonOr(&in.ActionTypes, "[]")},
		{"messages", &in.Messages},
		{"answers", &in.Answers},
		{"refused", &in.RefusedAnswers},
		{"up", &in.PositiveRatings},
		{"down", &in.NegativeRatings},
		{"outcome", &in.Outcome},
		{"asked_again", &in.AskedAgain},
		{"terms", jsonOr(&in.Terms, "")},
		{"made_at", timeDest{&in.GeneratedAt}},
	}
}

// newInsightTable has what is written of an insight.
var newInsightTable = newTable("conversation_insights", func(in *parley.Insight) []field {
	return append(insightFields(in), field{"day", func() any { return dayOf(in.CreatedAt) }})
})

var overwriteInsight = overwrite("conversation_id", "user_id", "channel", "created_at", "day", "topic", "topics",
	"sentiment", "escalated", "has_voice", "action_types", "messages", "answers", "refused", "up", "down", "outcome",
	"asked_again", "terms", "made_at")

// Insight finds what is known of a conversation, nil if nothing is yet.
func (db *DB) Insight(ctx context.Context, ref parley.ConversationRef) (*parley.Insight, error) {
	return insightTable.findOrNil(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ?`,
		ref.Conversation, ref.Agent, ref.Account)
}

// LockInsights blocks every other writer of the agent's insight until the transaction ends. Fails with AGENT_NOT_FOUND
// once the agent is deleted.
func (db *DB) LockInsights(ctx context.Context, ref parley.AgentRef) error {
	if err := db.ShareLockAgent(ctx, ref); err != nil {
		return err
	}
	if err := db.exec(ctx, `
		insert into insight_agents (agent_id, account_id)
		values (?, ?)
		on conflict (agent_id) do nothing`, ref.Agent, ref.Account); err != nil {
		return err
	}
	return db.lockInsightRow(ctx, ref)
}

func (db *DB) lockInsightRow(ctx context.Context, ref parley.AgentRef) error {
	_, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select agent_id
		from insight_agents
		where agent_id = ? and account_id = ?`+db.sql.ForUpdate(), ref.Agent, ref.Account)
	return err
}

// SaveInsight writes an insight in the place of the one before, and moves the sums of its day along. The caller holds
// the agent's insights. It reports whether anything that searches go by has changed; of a conversation that is gone
// nothing is written.
func (db *DB) SaveInsight(ctx context.Context, in *parley.Insight) (changed bool, err error) {
	if _, err := db.LockConversation(ctx, in.ConversationRef()); err != nil {
		if parley.IsCode(err, parley.CodeResourceNotFound) {
			return false, nil
		}
		return false, err
	}
	old, err := db.Insight(ctx, in.ConversationRef())
	if err != nil {
		return false, err
	}
	return db.ReplaceInsight(ctx, old, in)
}

// ReplaceInsight is SaveInsight for a caller who has locked the conversation, too, and knows the insight before, nil
// if there was none.
func (db *DB) ReplaceInsight(ctx context.Context, old, in *parley.Insight) (changed bool, err error) {
	if old != nil {
		if err := db.countInsight(ctx, old, -1); err != nil {
			return false, err
		}
	}
	if err := newInsightTable.insert(ctx, db, overwriteInsight, in); err != nil {
		return false, err
	}
	return old == nil || facetsDiffer(old, in), db.countInsight(ctx, in, 1)
}

func facetsDiffer(a, b *parley.Insight) bool {
	return a.Sentiment != b.Sentiment || a.Escalated != b.Escalated || a.HasVoice != b.HasVoice ||
		!slices.Equal(a.Topics, b.Topics)
}

// dayOf is the UTC day as it is stored: 2026-11-21.
func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

var openQuestionTable = newTable("insight_questions", openQuestionFields)

func openQuestionFields(q *parley.OpenQuestion) []field {
	return []field{
		{"conversation_id", &q.ConversationID},
		{"seq", &q.Seq},
		{"asked_at", timeDest{&q.AskedAt}},
		{"text", &q.Text},
	}
}

// ownedQuestion is a question as it is written: with its owner.
type ownedQuestion struct {
	parley.OpenQuestion
	account parley.AccountID
	agent   parley.AgentID
}

var ownedQuestionTable = newTable("insight_questions", func(q *ownedQuestion) []field {
	return append(openQuestionFields(&q.OpenQuestion),
		field{"account_id", &q.account},
		field{"agent_id", &q.agent})
})

// SaveOpenQuestions writes which questions of a conversation were not answered, in the place of those before.
func (db *DB) SaveOpenQuestions(ctx context.Context, in *parley.Insight) error {
	if err := db.exec(ctx, `
		delete from insight_questions
		where conversation_id = ? and agent_id = ? and account_id = ?`, in.ConversationID, in.AgentID,
		in.AccountID); err != nil {
		return err
	}
	if len(in.Questions) == 0 {
		return nil
	}
	rows := make([]ownedQuestion, len(in.Questions))
	for i, q := range in.Questions {
		q.ConversationID = in.ConversationID
		rows[i] = ownedQuestion{q, in.AccountID, in.AgentID}
	}
	return ownedQuestionTable.insert(ctx, db, "", pointersTo(rows)...)
}

// SaveInsightTitle sets or removes the generated title of a conversation. A title that a person has set stays.
func (db *DB) SaveInsightTitle(ctx context.Context, in *parley.Insight) (changed bool, err error) {
	n, err := db.sql.Exec(ctx, `
		update conversations set
		  title = ?,
		  title_made = 1
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null
		  and (title_made = 1 or title is null) and coalesce(title, '') <> ?`, textOrNil(in.Title), in.ConversationID,
		in.AgentID, in.AccountID, in.Title)
	return n > 0, err
}

// countedInsightTable has what the sums are made of: an insight is erased even if its texts cannot be read.
var countedInsightTable = newTable("conversation_insights", func(in *parley.Insight) []field {
	return insightTable.pick(in, "agent_id", "account_id", "channel", "created_at", "topic", "sentiment", "escalated",
		"messages", "answers", "refused", "up", "down", "outcome", "asked_again")
})

// DropInsights removes conversations from the sums and erases what is known of them.
func (db *DB) DropInsights(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID) error {
	if len(ids) == 0 {
		return nil
	}
	where, args := `where agent_id = ? and account_id = ? and conversation_id in `+placeholders(len(ids)),
		append([]any{ref.Agent, ref.Account}, toAny(ids)...)
	list, err := countedInsightTable.list(ctx, db, where, args...)
	if err != nil {
		return err
	}
	for i := range list {
		if err := db.countInsight(ctx, &list[i], -1); err != nil {
			return err
		}
	}
	for _, table := range []string{"conversation_insights", "insight_questions"} {
		if err := db.exec(ctx, `delete from `+table+` `+where, args...); err != nil {
			return err
		}
	}
	return nil
}

// dropConversationInsights is DropInsights in a transaction of its own. An agent that is being erased may have nothing
// left to hold.
func (db *DB) dropConversationInsights(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID) error {
	return db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		if err := tx.lockInsightRow(ctx, ref); err != nil {
			return err
		}
		return tx.DropInsights(ctx, ref, ids)
	})
}

// CountDueJobs counts the jobs of a kind that wait and are due, up to a limit. The kind is not one of a fair runner. It
// is a job of the installation and is not limited to one account.
func (db *DB) CountDueJobs(ctx context.Context, kind string, now time.Time, limit int) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from ( select id from jobs where kind = ? and state = 'ready' and rank = 0 and run_at <= ? limit ? ) due`, kind,
		millis(now), limit)
}

// InsightGroup is an automatic topic: a name that stays, and the words of its questions with their weights.
type InsightGroup struct {
	Name  string
	Terms map[string]float64
}

// InsightGroups lists an agent's automatic topics by name.
func (db *DB) InsightGroups(ctx context.Context, ref parley.AgentRef) ([]InsightGroup, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (g InsightGroup, err error) {
		var terms sql.NullString
		if err = scan(&g.Name, &terms); err == nil {
			err = fromJSON(terms, &g.Terms)
		}
		return g, err
	}, `select name, terms from insight_groups where agent_id = ? and account_id = ? order by name`, ref.Agent,
		ref.Account)
}

// AddInsightGroups writes new automatic topics; one of a name that is there stays as it is.
func (db *DB) AddInsightGroups(ctx context.Context, ref parley.AgentRef, list []InsightGroup, now time.Time) error {
	for _, g := range list {
		if err := db.exec(ctx, `
			insert into insight_groups (
			  agent_id,
			  name,
			  account_id,
			  terms,
			  made_at
			)
			values (?, ?, ?, ?, ?)
			on conflict (agent_id, name) do nothing`,
			ref.Agent, g.Name, ref.Account, toJSON(g.Terms), millis(now)); err != nil {
			return err
		}
	}
	return nil
}

// SetInsightGroupTerms replaces the words of an automatic topic; one without any goes.
func (db *DB) SetInsightGroupTerms(ctx context.Context, ref parley.AgentRef, g InsightGroup) error {
	owner := `
		where agent_id = ? and account_id = ? and name = ?`
	if len(g.Terms) == 0 {
		return db.exec(ctx, `delete from insight_groups`+owner, ref.Agent, ref.Account, g.Name)
	}
	return db.exec(ctx, `update insight_groups set terms = ?`+owner, toJSON(g.Terms), ref.Agent, ref.Account, g.Name)
}

// Vocabulary says in how many questions each word occurs, of those that an agent's automatic topics were made from.
type Vocabulary struct {
	Questions       int            `json:"questions"`
	QuestionsByWord map[string]int `json:"holding"`
}

// Vocabulary returns an agent's vocabulary; it is empty before there are automatic topics.
func (db *DB) Vocabulary(ctx context.Context, ref parley.AgentRef) (v Vocabulary, err error) {
	text, err := sqldb.One(ctx, db.sql, sqldb.Column[sql.NullString], `
		select vocabulary
		from insight_agents
		where agent_id = ? and account_id = ?`, ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return v, nil
	}
	if err == nil {
		err = fromJSON(text, &v)
	}
	return v, err
}

// SaveVocabulary replaces it. The caller holds the agent's insights.
func (db *DB) SaveVocabulary(ctx context.Context, ref parley.AgentRef, v Vocabulary) error {
	return db.exec(ctx, `
		update insight_agents set vocabulary = ?
		where agent_id = ? and account_id = ?`, toJSON(v), ref.Agent, ref.Account)
}

// UngroupedInsights lists the newest insights that have words and no topic.
func (db *DB) UngroupedInsights(ctx context.Context, ref parley.AgentRef, limit int) ([]parley.Insight, error) {
	return insightTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and topic = '' and terms <> ''
		order by created_at desc, conversation_id desc
		limit ?`, ref.Agent, ref.Account, limit)
}

// EraseInsights erases all that is known of an agent's conversations, in steps, for it to be found out again. It
// reports whether nothing is left.
func (db *DB) EraseInsights(ctx context.Context, ref parley.AgentRef, limit int) (done bool, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		if err := tx.LockInsights(ctx, ref); err != nil {
			return err
		}
		ids, err := sqldb.All(ctx, tx.sql, sqldb.Column[parley.ConversationID], `
			select conversation_id
			from conversation_insights
			where agent_id = ? and account_id = ?
			limit ?`,
			ref.Agent, ref.Account, limit)
		if err != nil {
			return err
		}
		if done = len(ids) < limit; !done {
			return tx.DropInsights(ctx, ref, ids)
		}
		if err := tx.DropInsights(ctx, ref, ids); err != nil {
			return err
		}
		for _, table := range []string{"insight_groups", "insight_days", "insight_questions"} {
			if err := tx.exec(ctx, `
				delete from `+table+`
				where agent_id = ? and account_id = ?`, ref.Agent, ref.Account); err != nil {
				return fmt.Errorf("forget %s: %w", table, err)
			}
		}
		return tx.SaveVocabulary(ctx, ref, Vocabulary{})
	})
	return done, err
}

// InsightFigure is what a list of insights is narrowed to.
type InsightFigure string

// The figures whose conversations can be listed.
const (
	FigureResolved   InsightFigure = "resolved"
	FigureUnresolved InsightFigure = "unresolved"
	FigureRefused    InsightFigure = "refused" // with an answer that says that the sources do not hold it
)

var figureClauses = map[InsightFigure]string{
	FigureResolved:   `outcome = 'resolved' and asked_again = 0`,
	FigureUnresolved: `outcome <> '' and (outcome <> 'resolved' or asked_again = 1)`,
	FigureRefused:    `refused > 0`,
}

// InsightsOfFigure lists what is known of those of the agent's conversations that a figure counts and that began at a
// time or later and before another, the one that began last first.
func (db *DB) InsightsOfFigure(ctx context.Context, ref parley.AgentRef, figure InsightFigure, from, before time.Time,
	ask parley.PageRequest) (page parley.Page[parley.Insight], err error) {
	where := `agent_id = ? and account_id = ? and created_at >= ? and created_at < ? and ` + figureClauses[figure]
	args := []any{ref.Agent, ref.Account, millis(from), millis(before)}
	if page.Total, err = db.count(ctx, `from conversation_insights where `+where, args...); err != nil {
		return page, err
	}
	after := startCursor(ask)
	list, err := insightTable.list(ctx, db, `
		where `+where+` and (created_at, conversation_id) < (?, ?)
		order by created_at desc, conversation_id desc
		limit ?`, append(args, after.SortValue, after.ID, ask.Limit+1)...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(in parley.Insight) parley.Cursor {
		return parley.Cursor{SortValue: millis(in.CreatedAt), ID: string(in.ConversationID)}
	})
	return page, err
}
