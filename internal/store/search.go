package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

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

// textOfParts returns the text of a message's parts as they are stored. Parts that cannot be read have no words, and
// stop nobody.
func textOfParts(parts string) string {
	if text, ok := textOfPlainPart(parts); ok {
		return text
	}
	var m parley.Message
	if json.Unmarshal([]byte(parts), &m.Parts) != nil {
		return ""
	}
	return m.Text()
}

// textOfPlainPart reads what most messages are, one text without a character that JSON escapes, without a decoder: a
// search reads up to some hundred messages.
func textOfPlainPart(parts string) (text string, ok bool) {
	if text, ok = strings.CutPrefix(parts, `[{"type":"text","text":"`); !ok {
		return "", false
	}
	if text, ok = strings.CutSuffix(text, `"}]`); !ok {
		return "", false
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			return "", false
		}
	}
	return text, utf8.ValidString(text)
}

// IndexableMessagesAfter returns the texts of a conversation after a sequence number, oldest first, shown or not.
func (db *DB) IndexableMessagesAfter(ctx context.Context, ref parley.ConversationRef, seq int64,
	limit int) ([]IndexableMessage, error) {
	return indexableMessageTable.list(ctx, db, `
		where m.agent_id = ? and m.conversation_id = ? and m.account_id = ? and m.seq > ?
		order by m.seq
		limit ?`, ref.Agent, ref.Conversation, ref.Account, seq, limit)
}

// FirstIndexableMessages returns the texts of conversations with a sequence number up to lastSeq, shown or not, the
// oldest of each conversation first.
func (db *DB) FirstIndexableMessages(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID,
	lastSeq int64) (map[parley.ConversationID][]IndexableMessage, error) {
	all := map[parley.ConversationID][]IndexableMessage{}
	err := inGroups(ids, func(some []any) error {
		args := append([]any{ref.Agent, ref.Account, lastSeq}, some...)
		list, err := indexableMessageTable.list(ctx, db, firstIndexableMessagesWhere, args...)
		for _, m := range list {
			all[m.Conversation] = append(all[m.Conversation], m)
		}
		return err
	})
	return all, err
}

var firstIndexableMessagesWhere = `
	where m.agent_id = ? and m.account_id = ? and m.seq <= ?
	  and m.conversation_id in ` + placeholders(conversationsPerStatement) + `
	order by m.conversation_id, m.seq`

// BuildStatements are what the conversations of a build are read with, with arguments, for the test of their plans.
func BuildStatements() map[string][]any {
	ids := make([]any, conversationsPerStatement)
	return map[string][]any{
		indexableMessageTable.selectText(firstIndexableMessagesWhere): append([]any{"agent", "account", 50}, ids...),
		conversationStateTable.selectText(conversationStatesWhere):    append([]any{"agent", "account"}, ids...),
	}
}

// conversationsPerStatement is how many conversations one statement reads; a list is filled up to it, so that there is
// one statement to prepare.
const conversationsPerStatement = 20

// inGroups hands on the ids in groups of conversationsPerStatement.
func inGroups[ID any](ids []ID, do func(some []any) error) error {
	for len(ids) > 0 {
		some := ids[:min(conversationsPerStatement, len(ids))]
		ids = ids[len(some):]
		args := make([]any, conversationsPerStatement)
		for i := range args {
			args[i] = some[min(i, len(some)-1)]
		}
		if err := do(args); err != nil {
			return err
		}
	}
	return nil
}

// MessageRef names a message by its conversation and its sequence number.
type MessageRef struct {
	Conversation parley.ConversationID
	Seq          int64
}

// messagesPerStatement are how many texts one statement reads; a list is filled up to one of them, so that there are
// few statements to prepare.
var messagesPerStatement = []int{16, 64, 128}

// IndexableMessagesAt returns the texts at the places that are shown, in no order.
func (db *DB) IndexableMessagesAt(ctx context.Context, ref parley.AgentRef, places []MessageRef) ([]IndexableMessage,
	error) {
	var all []IndexableMessage
	for len(places) > 0 {
		size := messagesPerStatement[len(messagesPerStatement)-1]
		for _, n := range slices.Backward(messagesPerStatement) {
			if n >= len(places) {
				size = n
			}
		}
		some := places[:min(size, len(places))]
		places = places[len(some):]
		args := make([]any, 0, 2*size+2)
		for i := range size {
			p := some[min(i, len(some)-1)]
			args = append(args, p.Conversation, p.Seq)
		}
		list, err := indexableMessageTable.listFrom(ctx, db, indexableMessagesAtQueries[size],
			append(args, ref.Agent, ref.Account)...)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

var indexableMessagesAtQueries = func() map[int]string {
	all := map[int]string{}
	for _, size := range messagesPerStatement {
		all[size] = IndexableMessagesAtQuery(size)
	}
	return all
}()

// IndexableMessagesAtQuery is what IndexableMessagesAt asks for so many places. It goes from the places to the
// messages, never the other way round.
func IndexableMessagesAtQuery(places int) string {
	return `with p (conversation_id, seq) as (select distinct column1, column2
	from (values (cast(? as text), cast(? as bigint))` +
		strings.Repeat(", (?, ?)", places-1) + `) v) select ` + indexableMessageTable.columns + `
		from p
		cross join messages m
		where m.agent_id = ? and m.account_id = ? and m.conversation_id = p.conversation_id
		  and m.seq = p.seq and m.type = 'reply' and m.superseded_at is null`
}

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
// messages_marked word by word: without the index it would read a whole conversation. That the agent is compared with
// an expression keeps SQLite from walking an index of all that the agent has.
func facetsQuery(conversations int) string {
	in := placeholders(conversations)
	return `
	select distinct conversation_id, 'message', coalesce(feedback, ''), author, ''
	from messages
	where agent_id = ? and account_id = ? and type = 'reply' and superseded_at is null
	  and (feedback is not null or author = 'human') and conversation_id in ` + in + `
	union all
	select distinct conversation_id, 'tool', tool, action_type, status
	from tool_calls
	where agent_id || '' = ? and account_id = ? and conversation_id in ` + in + `
	union all
	select distinct conversation_id, 'procedure', procedure_name, '', coalesce(outcome, '')
	from procedure_runs
	where agent_id || '' = ? and account_id = ? and conversation_id in ` + in + `
	union all
	select distinct conversation_id, 'voice', '', '', ''
	from voice_sessions
	where agent_id || '' = ? and account_id = ? and joined_at is not null and conversation_id in ` + in + `
	union all
	select conversation_id, 'insight', sentiment, topics, case when escalated = 1 then 'yes' else '' end
	from conversation_insights
	where agent_id || '' = ? and account_id = ? and conversation_id in ` + in
}

var facetsQueries = map[int]string{1: facetsQuery(1), conversationsPerStatement: facetsQuery(conversationsPerStatement)}

// FacetsQueries are what ConversationFacets and FacetsOfConversations ask, by the number of conversations, for the test
// of their plans.
func FacetsQueries() map[int]string { return facetsQueries }

// ConversationFacets returns what filters ask about a conversation.
func (db *DB) ConversationFacets(ctx context.Context, ref parley.ConversationRef) (ConversationFacets, error) {
	all := map[parley.ConversationID]ConversationFacets{}
	err := db.addFacets(ctx, ref.AgentRef, []any{ref.Conversation}, all)
	return all[ref.Conversation], err
}

// FacetsOfConversations is ConversationFacets of several. One without facets is missing.
func (db *DB) FacetsOfConversations(ctx context.Context, ref parley.AgentRef,
	ids []parley.ConversationID) (map[parley.ConversationID]ConversationFacets, error) {
	all := map[parley.ConversationID]ConversationFacets{}
	return all, inGroups(ids, func(some []any) error { return db.addFacets(ctx, ref, some, all) })
}

func (db *DB) addFacets(ctx context.Context, ref parley.AgentRef, ids []any,
	all map[parley.ConversationID]ConversationFacets) error {
	var args []any
	for range 5 {
		args = append(append(args, ref.Agent, ref.Account), ids...)
	}
	rows, err := db.sql.Query(ctx, facetsQueries[len(ids)], args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id parley.ConversationID
		var table, name, kind, outcome string
		if err := rows.Scan(&id, &table, &name, &kind, &outcome); err != nil {
			return err
		}
		f := all[id]
		if err := f.add(table, name, kind, outcome); err != nil {
			return err
		}
		all[id] = f
	}
	return rows.Err()
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
