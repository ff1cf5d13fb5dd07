package store

import (
	"context"
	"database/sql"

	"parley"
	"parley/internal/sqldb"
)

// The types of a ticket's messages.
const (
	MessageTypeReply = "reply" // the customer sees it
	MessageTypeNote  = "note"  // the team sees it
	MessageTypeEvent = "event" // something that happened to the ticket
)

// AddInternalMessage appends a note or an event of a ticket to its conversation: it gets the next sequence number, and
// nothing else of the conversation changes, for the customer does not see it. Fails with CONVERSATION_NOT_FOUND once
// the conversation is deleted.
func (db *DB) AddInternalMessage(ctx context.Context, ref parley.AgentRef, m *parley.TicketMessage) error {
	err := db.sql.QueryRow(ctx, `
		update conversations set last_seq = last_seq + 1
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null
		returning last_seq`, m.ConversationID, ref.Agent, ref.Account).Scan(&m.Seq)
	if err != nil {
		return mapNotFound(err, parley.CodeConversationNotFound)
	}
	var details any
	if m.Event != nil {
		details = toJSON(m.Event)
	}
	return db.exec(ctx, `
		insert into messages (
		  id,
		  account_id,
		  agent_id,
		  conversation_id,
		  seq,
		  author,
		  author_id,
		  type,
		  state,
		  parts,
		  about,
		  created_at
		)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, m.ID, ref.Account, ref.Agent, m.ConversationID, m.Seq, m.Author,
		textOrNil(m.AuthorID), m.Type, parley.MessageComplete,
		toJSON(m.Parts), details, millis(m.CreatedAt))
}

// TicketMessagesRequest is a request for one page of a ticket's messages.
type TicketMessagesRequest struct {
	parley.PageRequest          // its cursor is a sequence number
	Types              []string // any of them; none is all
	Descending         bool     // newest first
}

// ticketMessageColumns are messageColumns with what a ticket's readers see besides: the type, the event, and the names
// of the member and of the agent.
const ticketMessageColumns = messageColumns + `,
  type,
  about,
  (select u.name from users u where u.id = messages.author_id),
  (select u.email from users u where u.id = messages.author_id),
  (select a.name from agents a where a.id = messages.agent_id)`

// TicketMessages returns one page of the messages of a ticket's conversation, without their files. Those of customers
// have no name and no address: the ticket has them.
func (db *DB) TicketMessages(ctx context.Context, ref parley.ConversationRef,
	ask TicketMessagesRequest) (page parley.Page[parley.TicketMessage], err error) {
	where, args := `agent_id = ? and conversation_id = ? and account_id = ? and superseded_at is null`,
		[]any{ref.Agent, ref.Conversation, ref.Account}
	if len(ask.Types) > 0 {
		where, args = where+` and type in `+placeholders(len(ask.Types)), append(args, toAny(ask.Types)...)
	}
	if page.Total, err = db.count(ctx, `
		from messages
		where `+where, args...); err != nil {
		return page, err
	}
	order, beyond := `asc`, `>`
	if ask.Descending {
		order, beyond = `desc`, `<`
	}
	if ask.After != nil {
		where, args = where+` and seq `+beyond+` ?`, append(args, ask.After.SortValue)
	}
	list, err := sqldb.All(ctx, db.sql, scanTicketMessage, `
		select `+ticketMessageColumns+`
		from messages
		where `+where+`
		order by seq `+order+` limit ?`, append(args, ask.Limit+1)...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(m parley.TicketMessage) parley.Cursor {
		return parley.Cursor{SortValue: m.Seq, ID: string(m.ID)}
	})
	return page, err
}

// TicketMessage finds a message of a ticket's conversation. Fails with RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) TicketMessage(ctx context.Context, ref parley.ConversationRef,
	id parley.MessageID) (*parley.TicketMessage, error) {
	m, err := sqldb.One(ctx, db.sql, scanTicketMessage, `
		select `+ticketMessageColumns+`
		from messages
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ? and superseded_at is null`, id,
		ref.Conversation, ref.Agent, ref.Account)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeMessageNotFound)
	}
	return &m, nil
}

func scanTicketMessage(scan sqldb.Scan) (m parley.TicketMessage, err error) {
	var details, name, email, agent sql.NullString
	m.Message, err = scanMessage(func(dest ...any) error {
		return scan(append(dest, &m.Type, &details, &name, &email, &agent)...)
	})
	if err != nil {
		return m, err
	}
	switch m.Author {
	case parley.AuthorUser:
		m.Sender = parley.Sender{Type: "customer"}
	case parley.AuthorHuman:
		m.Sender = parley.Sender{Type: "agent", ID: string(m.AuthorID), Name: name.String, Email: email.String}
	case parley.AuthorAssistant:
		m.Sender = parley.Sender{Type: "system", Name: agent.String}
	case parley.AuthorSystem:
		m.Sender = parley.Sender{Type: "system"}
	}
	if details.Valid && m.Type == MessageTypeEvent {
		m.Event = &parley.TicketEvent{}
		err = fromJSON(details, m.Event)
	}
	return m, err
}
