package store

import (
	"context"
	"slices"

	"parley"
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

var utteranceTable = newTable(`messages m
	left join turns t on t.id = m.turn_id and t.account_id = m.account_id`, func(u *Utterance) []field {
	return []field{
		{"m.seq", &u.Seq},
		{"m.author", &u.Author},
		{"m.state", &u.State},
		{"m.parts", partsTextDest{&u.Text}},
		{"m.score", &u.Score},
		{"case when coalesce(m.citations, 'null') in ('null', '[]') then 0 else 1 end", &u.HasCitations},
		// read of the turn's trace; a quote inside of a text of the trace would be escaped
		{`case when t.trace like '%"refused":true%' then 1 else 0 end`, &u.IsRefusal},
		{"case when m.answer_state = 'unsure' then 1 else 0 end", &u.IsUnsure},
		{"m.created_at", &u.CreatedAtMillis},
	}
})

// Utterances returns what a conversation shows, oldest first: of a long one the first and the last so many messages.
func (db *DB) Utterances(ctx context.Context, ref parley.ConversationRef, each int) ([]Utterance, error) {
	const rest = `
		where m.agent_id = ? and m.conversation_id = ? and m.account_id = ? and m.type = 'reply'
		  and m.superseded_at is null and m.seq > ?
		order by m.seq`
	first, err := utteranceTable.list(ctx, db, rest+` limit ?`, ref.Agent, ref.Conversation, ref.Account, 0, each)
	if err != nil || len(first) < each {
		return first, err
	}
	last, err := utteranceTable.list(ctx, db, rest+` desc limit ?`, ref.Agent, ref.Conversation, ref.Account,
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
	return db.exists(ctx, `
		from conversations
		where id = ? and agent_id = ? and account_id = ? and (escalated = 1 or status = 'taken_over')`,
		ref.Conversation, ref.Agent, ref.Account)
}

// InsightsByUser lists what is known of a user's conversations that began in a stretch of time, both ends included, the
// oldest first.
func (db *DB) InsightsByUser(ctx context.Context, ref parley.AgentRef, user parley.EndUserID, from, to int64,
	limit int) ([]parley.Insight, error) {
	return insightTable.list(ctx, db, `
		where agent_id = ? and user_id = ? and account_id = ? and created_at >= ? and created_at <= ?
		order by created_at, conversation_id
		limit ?`, ref.Agent, user, ref.Account, from, to, limit)
}
