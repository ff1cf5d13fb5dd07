package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// ConversationsByID finds those of an agent's conversations that are still there, in no order.
func (db *DB) ConversationsByID(ctx context.Context, account parley.AccountID, agent parley.AgentID, ids []parley.ConversationID) ([]parley.Conversation, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return sqldb.All(ctx, db.sql, scanConversationValue, ConversationsByIDQuery(len(ids)), append([]any{agent, account}, toAny(ids)...)...)
}

// ConversationsByIDQuery is what ConversationsByID asks. That the agent is compared with an expression keeps SQLite from walking an index of all
// the agent's conversations, which it takes for short.
func ConversationsByIDQuery(ids int) string {
	return `select ` + conversationColumns + ` from conversations where agent_id || '' = ? and account_id = ? and deleted_at is null and id in ` + placeholders(ids)
}

// ConversationState is a conversation with what tells how far somebody has followed it.
type ConversationState struct {
	parley.Conversation
	LastSeq       int64 // of its newest message
	ReplacedCount int64 // messages that others have taken the place of
}

// ConversationState finds how a conversation stands, or nil when it is gone.
func (db *DB) ConversationState(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (*ConversationState, error) {
	var s ConversationState
	c, err := scanConversation(scanFunc(func(dest ...any) error {
		return db.sql.QueryRow(ctx, `select `+conversationColumns+`, last_seq, last_seq - message_count from conversations
			where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, id, agent, account).Scan(append(dest, &s.LastSeq, &s.ReplacedCount)...)
	}))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.Conversation = *c
	return &s, nil
}

// IndexableMessage is the text of a message.
type IndexableMessage struct {
	Conversation parley.ConversationID
	Seq          int64
	Author       parley.AuthorKind
	Text         string
	Visible      bool // not a note, and not replaced
}

func scanIndexableMessage(scan sqldb.Scan) (s IndexableMessage, err error) {
	var parts string
	if err = scan(&s.Conversation, &s.Seq, &s.Author, &s.Visible, &parts); err != nil {
		return s, err
	}
	var m parley.Message
	if json.Unmarshal([]byte(parts), &m.Parts) == nil { // one that cannot be read holds no words, and holds nobody up
		s.Text = m.Text()
	}
	return s, nil
}

const indexableMessageColumns = `m.conversation_id, m.seq, m.author, case when m.type = 'reply' and m.superseded_at is null then 1 else 0 end, m.parts`

// IndexableMessagesAfter returns the texts of a conversation behind a sequence number, oldest first, shown or not.
func (db *DB) IndexableMessagesAfter(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, seq int64, limit int) ([]IndexableMessage, error) {
	return sqldb.All(ctx, db.sql, scanIndexableMessage, `select `+indexableMessageColumns+` from messages m where m.agent_id = ? and m.conversation_id = ? and m.account_id = ?
		and m.seq > ? order by m.seq limit ?`, agent, conversation, account, seq, limit)
}

// MessageRef names a message by its conversation and its sequence number.
type MessageRef struct {
	Conversation parley.ConversationID
	Seq          int64
}

// messagesPerStatement is how many texts one statement reads; a list is filled up to it, so that there is one statement to prepare.
const messagesPerStatement = 32

// IndexableMessagesAt returns the texts at the places that are shown, in no order.
func (db *DB) IndexableMessagesAt(ctx context.Context, account parley.AccountID, agent parley.AgentID, places []MessageRef) ([]IndexableMessage, error) {
	var all []IndexableMessage
	for len(places) > 0 {
		some := places[:min(messagesPerStatement, len(places))]
		places = places[len(some):]
		args := make([]any, 0, 2*messagesPerStatement+2)
		for i := range messagesPerStatement {
			p := some[min(i, len(some)-1)]
			args = append(args, p.Conversation, p.Seq)
		}
		list, err := sqldb.All(ctx, db.sql, scanIndexableMessage, indexableMessagesAtQuery, append(args, agent, account)...)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// indexableMessagesAtQuery goes from the places to the messages, never the other way round.
var indexableMessagesAtQuery = `with p (conversation_id, seq) as (select distinct column1, column2 from (values (cast(? as text), cast(? as bigint))` +
	strings.Repeat(", (?, ?)", messagesPerStatement-1) + `) v) select ` + indexableMessageColumns + ` from p cross join messages m where m.agent_id = ? and m.account_id = ?
	and m.conversation_id = p.conversation_id and m.seq = p.seq and m.type = 'reply' and m.superseded_at is null`

// IndexableMessagesAtQuery is what SaidAt asks, for the test of its plan.
func IndexableMessagesAtQuery() string { return indexableMessagesAtQuery }

// ReplacedSeqs lists the numbers up to seq of the messages of a conversation that others have taken the place of.
func (db *DB) ReplacedSeqs(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, seq int64) ([]int64, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[int64], `select seq from messages where agent_id = ? and conversation_id = ? and account_id = ?
		and seq <= ? and superseded_at is not null order by seq`, agent, conversation, account, seq)
}

// ConversationsCreatedAfter lists an agent's conversations behind a place in the order of their creation.
func (db *DB) ConversationsCreatedAfter(ctx context.Context, account parley.AccountID, agent parley.AgentID, after parley.Cursor, limit int) ([]parley.Cursor, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (m parley.Cursor, err error) {
		err = scan(&m.SortValue, &m.ID)
		return m, err
	}, `select created_at, id from conversations where agent_id = ? and account_id = ? and deleted_at is null and (created_at, id) > (?, ?)
		order by created_at, id limit ?`, agent, account, after.SortValue, after.ID, limit)
}

// AgentIDs lists the account's agents behind an id, by id.
func (db *DB) AgentIDs(ctx context.Context, account parley.AccountID, after parley.AgentID) ([]parley.AgentID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.AgentID], `select id from agents where account_id = ? and deleted_at is null and id >= ? order by id`, account, after)
}

// CountAccountConversations counts what the agents of an account have.
func (db *DB) CountAccountConversations(ctx context.Context, account parley.AccountID) (n int64, err error) {
	err = db.sql.QueryRow(ctx, `select coalesce(sum(c.total), 0) from conversation_counts c join agents a on a.id = c.agent_id
		where c.account_id = ? and a.deleted_at is null`, account).Scan(&n)
	return n, err
}
