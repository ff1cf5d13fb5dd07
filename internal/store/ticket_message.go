package store

import (
	"context"

	"parley"
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
	row := internalMessage{TicketMessage: *m, owner: ref}
	row.State = parley.MessageComplete
	return internalMessageTable.insert(ctx, db, "", &row)
}

// internalMessage is a note or an event as it is written: with its owner.
type internalMessage struct {
	parley.TicketMessage
	owner parley.AgentRef
}

var internalMessageTable = newTable("messages", func(m *internalMessage) []field {
	return append(newMessageFields(&m.Message, &m.owner),
		field{"type", &m.Type},
		field{"about", jsonOr(&m.Event, nil)})
})

// TicketMessagesRequest is a request for one page of a ticket's messages.
type TicketMessagesRequest struct {
	parley.PageRequest          // its cursor is a sequence number
	Types              []string // any of them; none is all
	Descending         bool     // newest first
	SkipsTotal         bool     // does not count them
}

// ticketMessage is a message with what a ticket's readers see besides: the type, the event, and the names of the member
// and of the agent.
type ticketMessage struct {
	parley.TicketMessage
	memberName, memberEmail, agentName string
}

var ticketMessageTable = newTable("messages", func(m *ticketMessage) []field {
	return append(ratedMessageFields(&m.Message),
		field{"type", &m.Type},
		field{"about", jsonDest{&m.Event}},
		field{"(select u.name from users u where u.id = messages.author_id)", nullableText(&m.memberName)},
		field{"(select u.email from users u where u.id = messages.author_id)", nullableText(&m.memberEmail)},
		field{"(select a.name from agents a where a.id = messages.agent_id)", nullableText(&m.agentName)})
})

// withSender returns the message with its sender.
func (m *ticketMessage) withSender() parley.TicketMessage {
	switch m.Author {
	case parley.AuthorUser:
		m.Sender = parley.Sender{Type: "customer"}
	case parley.AuthorHuman:
		m.Sender = parley.Sender{Type: "agent", ID: string(m.AuthorID), Name: m.memberName, Email: m.memberEmail}
	case parley.AuthorAssistant:
		m.Sender = parley.Sender{Type: "system", Name: m.agentName}
	case parley.AuthorSystem:
		m.Sender = parley.Sender{Type: "system"}
	}
	return m.TicketMessage
}

// TicketMessages returns one page of the messages of a ticket's conversation, without their files. Those of customers
// have no name and no address: the ticket has them.
func (db *DB) TicketMessages(ctx context.Context, ref parley.ConversationRef,
	ask TicketMessagesRequest) (page parley.Page[parley.TicketMessage], err error) {
	where, args := `agent_id = ? and conversation_id = ? and account_id = ? and superseded_at is null`,
		[]any{ref.Agent, ref.Conversation, ref.Account}
	if len(ask.Types) > 0 {
		where, args = where+` and type in `+placeholders(len(ask.Types)), append(args, toAny(ask.Types)...)
	}
	if !ask.SkipsTotal {
		page.Total, err = db.count(ctx, `
			from messages
			where `+where, args...)
		if err != nil {
			return page, err
		}
	}
	order, beyond := `asc`, `>`
	if ask.Descending {
		order, beyond = `desc`, `<`
	}
	if ask.After != nil {
		where, args = where+` and seq `+beyond+` ?`, append(args, ask.After.SortValue)
	}
	rows, err := ticketMessageTable.list(ctx, db, `
		where `+where+`
		order by seq `+order+`
		limit ?`, append(args, ask.Limit+1)...)
	rows, page.Next = cutPage(rows, ask.Limit, func(m ticketMessage) parley.Cursor {
		return parley.Cursor{SortValue: m.Seq, ID: string(m.ID)}
	})
	for i := range rows {
		page.Items = append(page.Items, rows[i].withSender())
	}
	return page, err
}

// TicketMessage finds a message of a ticket's conversation. Fails with RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) TicketMessage(ctx context.Context, ref parley.ConversationRef,
	id parley.MessageID) (*parley.TicketMessage, error) {
	row, err := ticketMessageTable.find(ctx, db, parley.CodeMessageNotFound, `
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ? and superseded_at is null`, id,
		ref.Conversation, ref.Agent, ref.Account)
	if err != nil {
		return nil, err
	}
	m := row.withSender()
	return &m, nil
}
