package store

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/sqldb"
)

// ticketColumns are read from ticketTables: a ticket t and its customer p.
const (
	ticketColumns = `t.id, t.account_id, t.agent_id, t.number, t.subject, t.description, t.status_id, t.category, t.assignee_id, t.metadata, t.channel,
	t.conversation_id, t.team_id, t.priority, t.created_at, t.updated_at, t.last_message_at,
	p.id, p.account_id, p.agent_id, p.email, p.external_id, p.name, p.phone, p.attributes, p.created_at, p.updated_at`
	ticketTables = `tickets t join people p on p.id = t.person_id and p.agent_id = t.agent_id and p.account_id = t.account_id`
)

func scanTicket(scan sqldb.Scan) (t parley.Ticket, err error) {
	err = scan(append([]any{&t.ID, &t.AccountID, &t.AgentID, &t.Number, &t.Subject, &t.Description, &t.StatusID, &t.Category, textDest[parley.UserID]{&t.AssigneeID},
		rawJSONDest{&t.Metadata}, &t.Channel, textDest[parley.ConversationID]{&t.ConversationID}, textDest[parley.TeamID]{&t.TeamID}, &t.Priority,
		timeDest{&t.CreatedAt}, timeDest{&t.UpdatedAt}, timePointerDest{&t.LastMessageAt}}, personDests(&t.Customer)...)...)
	return t, err
}

// Ticket finds a ticket with its customer. Fails with TICKET_NOT_FOUND.
func (db *DB) Ticket(ctx context.Context, account parley.AccountID, agent parley.AgentID, number int64) (*parley.Ticket, error) {
	return db.ticket(ctx, account, agent, `t.number = ?`, number, "")
}

// TicketOfConversation finds the ticket of a conversation. Fails with TICKET_NOT_FOUND.
func (db *DB) TicketOfConversation(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Ticket, error) {
	return db.ticket(ctx, account, agent, `t.conversation_id = ?`, conversation, "")
}

// LockTicket is Ticket that keeps every other writer of the ticket out until the transaction ends.
func (db *DB) LockTicket(ctx context.Context, account parley.AccountID, agent parley.AgentID, number int64) (*parley.Ticket, error) {
	return db.ticket(ctx, account, agent, `t.number = ?`, number, db.ticketLockClause())
}

// LockTicketOfConversation is TicketOf that keeps every other writer of the ticket out until the transaction ends.
func (db *DB) LockTicketOfConversation(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Ticket, error) {
	return db.ticket(ctx, account, agent, `t.conversation_id = ?`, conversation, db.ticketLockClause())
}

// ticketLockClause leaves the customer's row to others.
func (db *DB) ticketLockClause() string {
	if lock := db.sql.ForUpdate(); lock != "" {
		return lock + " of t"
	}
	return ""
}

func (db *DB) ticket(ctx context.Context, account parley.AccountID, agent parley.AgentID, which string, value any, lock string) (*parley.Ticket, error) {
	t, err := sqldb.One(ctx, db.sql, scanTicket, `select `+ticketColumns+` from `+ticketTables+` where t.agent_id = ? and t.account_id = ? and `+which+lock, agent, account, value)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeTicketNotFound)
	}
	return &t, nil
}

// InsertTicket writes a new ticket, whose number, status and customer are there. routed tells how it came to its team and its
// assignee, as an object; nil where nobody looked for them.
func (db *DB) InsertTicket(ctx context.Context, t *parley.Ticket, routed json.RawMessage) error {
	_, err := db.sql.Exec(ctx, `insert into tickets (id, account_id, agent_id, number, subject, description, status_id, category, is_open, assignee_id, person_id, metadata,
		channel, conversation_id, team_id, priority, routed, created_at, updated_at, last_message_at, closed_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.ID, t.AccountID, t.AgentID, t.Number, t.Subject, t.Description, t.StatusID, t.Category, boolToInt(t.Category.IsOpen()), textOrNil(t.AssigneeID), t.Customer.ID,
		objectJSON(t.Metadata), t.Channel, textOrNil(t.ConversationID), textOrNil(t.TeamID), t.Priority, toJSON(routed), millis(t.CreatedAt), millis(t.UpdatedAt),
		millisOrNil(t.LastMessageAt), closedAt(t))
	return err
}

func closedAt(t *parley.Ticket) any {
	if t.Category.IsOpen() {
		return nil
	}
	return millis(t.UpdatedAt)
}

// SaveTicket writes what of a locked ticket changes: its status, assignee, team, priority and times. Fails with TICKET_NOT_FOUND.
func (db *DB) SaveTicket(ctx context.Context, t *parley.Ticket) error {
	n, err := db.sql.Exec(ctx, `update tickets set status_id = ?, category = ?, is_open = ?, assignee_id = ?, team_id = ?, priority = ?, updated_at = ?, last_message_at = ?,
		closed_at = case when ? = 1 then null else coalesce(closed_at, ?) end where agent_id = ? and account_id = ? and number = ?`,
		t.StatusID, t.Category, boolToInt(t.Category.IsOpen()), textOrNil(t.AssigneeID), textOrNil(t.TeamID), t.Priority, millis(t.UpdatedAt), millisOrNil(t.LastMessageAt),
		boolToInt(t.Category.IsOpen()), closedAt(t), t.AgentID, t.AccountID, t.Number)
	return requireChanged(n, err, parley.CodeTicketNotFound)
}

// OpenTicketNumbers returns the numbers of an agent's open tickets that a member has, in their order.
func (db *DB) OpenTicketNumbers(ctx context.Context, account parley.AccountID, agent parley.AgentID, user parley.UserID) ([]int64, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[int64], `select number from tickets where agent_id = ? and account_id = ? and assignee_id = ? and is_open = 1 order by number`,
		agent, account, user)
}
