package store

import (
	"context"
	"encoding/json"
	"slices"

	"parley"
	"parley/internal/sqldb"
)

// Utterance is a message with what shows how it went.
type Utterance struct {
	Seq             int64
	Author          parley.AuthorKind
	Text            string
	State           parley.MessageState
	Score           *float64 // confidence of the answer
	HasCitations    bool
	IsRefusal       bool  // the answer says that the sources do not hold it
	IsUnsure        bool  // the answer says that it is not sure
	CreatedAtMillis int64 // when it was written, milliseconds
}

func scanUtterance(scan sqldb.Scan) (u Utterance, err error) {
	var parts string
	err = scan(
		&u.Seq,
		&u.Author,
		&u.State,
		&parts,
		&u.Score,
		&u.HasCitations,
		&u.IsRefusal,
		&u.IsUnsure,
		&u.CreatedAtMillis,
	)
	if err != nil {
		return u, err
	}
	var m parley.Message
	if json.Unmarshal([]byte(parts), &m.Parts) == nil { // parts that cannot be read have no text
		u.Text = m.Text()
	}
	return u, nil
}

// Whether a turn has refused is read from its trace; a quote inside of a text of the trace would be escaped.
const utteranceColumns = `
  m.seq,
  m.author,
  m.state,
  m.parts,
  m.score,
  case when coalesce(m.citations, 'null') in ('null', '[]') then 0 else 1 end,
  case when t.trace like '%"refused":true%' then 1 else 0 end,
  case when m.answer_state = 'unsure' then 1 else 0 end,
  m.created_at`

// Utterances returns what a conversation shows, oldest first: of a long one the first and the last so many messages.
func (db *DB) Utterances(ctx context.Context, ref parley.ConversationRef, each int) ([]Utterance, error) {
	query := `
		select ` + utteranceColumns + `
		from messages m
		left join turns t on t.id = m.turn_id and t.account_id = m.account_id
		where m.agent_id = ? and m.conversation_id = ? and m.account_id = ? and m.type = 'reply'
		  and m.superseded_at is null and m.seq > ?
		order by m.seq `
	first, err := sqldb.All(ctx, db.sql, scanUtterance, query+`limit ?`, ref.Agent, ref.Conversation, ref.Account, 0, each)
	if err != nil || len(first) < each {
		return first, err
	}
	last, err := sqldb.All(ctx, db.sql, scanUtterance, query+`desc limit ?`, ref.Agent, ref.Conversation, ref.Account,
		first[each-1].Seq, each)
	slices.Reverse(last)
	return append(first, last...), err
}

// CountRatings counts the ratings of the answers that a conversation shows, and returns whether a person has written.
func (db *DB) CountRatings(ctx context.Context, ref parley.ConversationRef) (up, down int, human bool, err error) {
	var people int
	err = db.sql.QueryRow(ctx, `
		select
		  cast(coalesce(sum(case when feedback = 'positive' then 1 else 0 end), 0) as bigint),
		  cast(coalesce(sum(case when feedback = 'negative' then 1 else 0 end), 0) as bigint),
		  cast(coalesce(sum(case when author = 'human' then 1 else 0 end), 0) as bigint)
		from messages
		where agent_id = ? and conversation_id = ? and account_id = ? and type = 'reply'
		  and superseded_at is null and (feedback is not null or author = 'human')`,
		ref.Agent, ref.Conversation, ref.Account).Scan(&up, &down, &people)
	return up, down, people > 0, err
}

// WasEscalated reports whether a person has ever taken the conversation over.
func (db *DB) WasEscalated(ctx context.Context, ref parley.ConversationRef) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from conversations
		where id = ? and agent_id = ? and account_id = ? and (escalated = 1 or status = 'taken_over')`,
		ref.Conversation, ref.Agent, ref.Account)
	return n > 0, err
}

// InsightsByUser lists what is known of a user's conversations that began in a stretch of time, both ends included, the
// oldest first.
func (db *DB) InsightsByUser(ctx context.Context, ref parley.AgentRef, user parley.EndUserID, from, to int64,
	limit int) ([]parley.Insight, error) {
	return sqldb.All(ctx, db.sql, scanInsight, `
		select `+insightColumns+`
		from conversation_insights
		where agent_id = ? and user_id = ? and account_id = ? and created_at >= ? and created_at <= ?
		order by created_at, conversation_id
		limit ?`, ref.Agent, user, ref.Account, from, to, limit)
}
