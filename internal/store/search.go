package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// IndexableMessage is the text of a message.
type IndexableMessage struct {
	Conversation parley.ConversationID
	Seq          int64
	Author       parley.AuthorKind
	Text         string
	Visible      bool // not a note, and not replaced
}

var indexableMessageTable = newTable("messages m", func(s *IndexableMessage) []field {
	return []field{
		{"m.conversation_id", &s.Conversation},
		{"m.seq", &s.Seq},
		{"m.author", &s.Author},
		{"case when m.type = 'reply' and m.superseded_at is null then 1 else 0 end", &s.Visible},
		{"m.parts", partsTextDest{&s.Text}},
	}
})

// IndexableMessagesAfter returns the texts of a conversation after a sequence number, oldest first, shown or not.
func (db *DB) IndexableMessagesAfter(ctx context.Context, ref parley.ConversationRef, seq int64,
	limit int) ([]IndexableMessage, error) {
	return indexableMessageTable.list(ctx, db, `
		where m.agent_id = ? and m.conversation_id = ? and m.account_id = ? and m.seq > ?
		order by m.seq
		limit ?`, ref.Agent, ref.Conversation, ref.Account, seq, limit)
}

// MessageRef names a message by its conversation and its sequence number.
type MessageRef struct {
	Conversation parley.ConversationID
	Seq          int64
}

// messagesPerStatement is how many texts one statement reads; a list is filled up to it, so that there is one statement
// to prepare.
const messagesPerStatement = 32

// IndexableMessagesAt returns the texts at the places that are shown, in no order.
func (db *DB) IndexableMessagesAt(ctx context.Context, ref parley.AgentRef, places []MessageRef) ([]IndexableMessage,
	error) {
	var all []IndexableMessage
	for some := range slices.Chunk(places, messagesPerStatement) {
		args := make([]any, 0, 2*messagesPerStatement+2)
		for i := range messagesPerStatement {
			p := some[min(i, len(some)-1)]
			args = append(args, p.Conversation, p.Seq)
		}
		list, err := indexableMessageTable.listFrom(ctx, db, indexableMessagesAtQuery,
			append(args, ref.Agent, ref.Account)...)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// indexableMessagesAtQuery goes from the places to the messages, never the other way round.
var indexableMessagesAtQuery = `with p (conversation_id, seq) as (select distinct column1, column2
	from (values (cast(? as text), cast(? as bigint))` +
	strings.Repeat(", (?, ?)", messagesPerStatement-1) + `) v) select ` + indexableMessageTable.columns + `
		from p
		cross join messages m
		where m.agent_id = ? and m.account_id = ? and m.conversation_id = p.conversation_id
		  and m.seq = p.seq and m.type = 'reply' and m.superseded_at is null`

// IndexableMessagesAtQuery is what SaidAt asks, for the test of its plan.
func IndexableMessagesAtQuery() string { return indexableMessagesAtQuery }

// ReplacedSeqs lists the numbers up to seq of the messages of a conversation that others have taken the place of.
func (db *DB) ReplacedSeqs(ctx context.Context, ref parley.ConversationRef, seq int64) ([]int64, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[int64], `
		select seq
		from messages
		where agent_id = ? and conversation_id = ? and account_id = ? and seq <= ?
		  and superseded_at is not null
		order by seq`, ref.Agent, ref.Conversation, ref.Account, seq)
}

// ToolUse is a tool or a procedure that ran in a conversation.
type ToolUse struct {
	Name    string
	Kind    parley.ActionKind // of a tool
	Outcome string            // the status of the call, or how the run ended; empty while it is open
}

// ConversationFacets are what filters ask about a conversation besides its own columns.
type ConversationFacets struct {
	Ratings       []string // of messages: positive, negative
	HasHumanReply bool     // a member of the team has written
	HasVoice      bool     // a voice session took place
	Tools         []ToolUse
	Procedures    []ToolUse
	// Of the insight; empty if there is none.
	Sentiment parley.Sentiment
	Topics    []string
	Escalated bool
}

// ToolUses lists the tools that were called in a conversation, each with its kind and status once.
func (db *DB) ToolUses(ctx context.Context, ref parley.ConversationRef) ([]ToolUse, error) {
	return sqldb.All(ctx, db.sql, scanToolUse, `
		select distinct tool, action_type, status
		from tool_calls
		where conversation_id = ? and agent_id = ? and account_id = ?`,
		ref.Conversation, ref.Agent, ref.Account)
}

func scanToolUse(scan sqldb.Scan) (r ToolUse, err error) {
	err = scan(&r.Name, &r.Kind, &r.Outcome)
	return r, err
}

// facetsQuery asks every table by its index of conversations. Of messages it repeats the condition of the index
// messages_marked word by word: without the index it would read a whole conversation.
const facetsQuery = `
	select distinct 'message', coalesce(feedback, ''), author, ''
	from messages
	where agent_id = ? and conversation_id = ? and account_id = ? and type = 'reply'
	  and superseded_at is null and (feedback is not null or author = 'human')
	union all
	select distinct 'tool', tool, action_type, status
	from tool_calls
	where conversation_id = ? and agent_id = ? and account_id = ?
	union all
	select distinct 'procedure', procedure_name, '', coalesce(outcome, '')
	from procedure_runs
	where conversation_id = ? and agent_id = ? and account_id = ?
	union all
	select distinct 'voice', '', '', ''
	from voice_sessions
	where conversation_id = ? and agent_id = ? and account_id = ? and joined_at is not null
	union all
	select 'insight', sentiment, topics, case when escalated = 1 then 'yes' else '' end
	from conversation_insights
	where conversation_id = ? and agent_id = ? and account_id = ?`

// FacetsQuery is what ConversationFacets asks, for the test of its plan.
func FacetsQuery() string { return facetsQuery }

// ConversationFacets returns what filters ask about a conversation.
func (db *DB) ConversationFacets(ctx context.Context, ref parley.ConversationRef) (f ConversationFacets, err error) {
	args := []any{ref.Agent, ref.Conversation, ref.Account}
	for range 4 {
		args = append(args, ref.Conversation, ref.Agent, ref.Account)
	}
	rows, err := db.sql.Query(ctx, facetsQuery, args...)
	if err != nil {
		return f, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table, name, kind, outcome string
		if err := rows.Scan(&table, &name, &kind, &outcome); err != nil {
			return f, err
		}
		if err := f.add(table, name, kind, outcome); err != nil {
			return f, err
		}
	}
	return f, rows.Err()
}

// add takes in a row of facetsQuery.
func (f *ConversationFacets) add(table, name, kind, outcome string) error {
	switch table {
	case "message":
		if name != "" {
			f.Ratings = append(f.Ratings, name)
		}
		f.HasHumanReply = f.HasHumanReply || kind == string(parley.AuthorHuman)
	case "tool":
		f.Tools = append(f.Tools, ToolUse{name, parley.ActionKind(kind), outcome})
	case "procedure":
		f.Procedures = append(f.Procedures, ToolUse{Name: name, Outcome: outcome})
	case "voice":
		f.HasVoice = true
	case "insight":
		f.Sentiment, f.Escalated = parley.Sentiment(name), outcome != ""
		return json.Unmarshal([]byte(kind), &f.Topics)
	}
	return nil
}
