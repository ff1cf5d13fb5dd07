package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"parley"
)

// AnswerUsage is what an answer cost: it is kept beside the message and not shown to clients.
type AnswerUsage struct {
	InputTokens  int
	OutputTokens int
	Latency      time.Duration
	Credits      parley.Credits
}

// AddMessage appends a message to its conversation: it gets the next sequence number, and the conversation's counters and
// last activity follow. usage may be nil. Fails with CONVERSATION_NOT_FOUND once the conversation is deleted.
func (db *DB) AddMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, m *parley.Message, usage *AnswerUsage) error {
	_, err := db.AddAnswer(ctx, account, agent, m, usage)
	return err
}

// AddAnswer is AddMessage that tells how the conversation stands, for it may have been taken over while the answer was made.
func (db *DB) AddAnswer(ctx context.Context, account parley.AccountID, agent parley.AgentID, m *parley.Message, usage *AnswerUsage) (status parley.ConversationStatus, err error) {
	err = db.sql.QueryRow(ctx, `update conversations set last_seq = last_seq + 1, message_count = message_count + 1, last_activity = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null returning last_seq, status`, millis(m.CreatedAt), m.ConversationID, agent, account).Scan(&m.Seq, &status)
	if err != nil {
		return "", mapNotFound(err, parley.CodeConversationNotFound)
	}
	return status, db.insertMessage(ctx, account, agent, m, usage)
}

func (db *DB) insertMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, m *parley.Message, usage *AnswerUsage) error {
	var score, citations, in, out, latency, credits any
	if m.Score != nil {
		score = *m.Score
	}
	if len(m.Citations) > 0 {
		citations = toJSON(m.Citations)
	}
	if usage != nil {
		in, out, latency, credits = usage.InputTokens, usage.OutputTokens, usage.Latency.Milliseconds(), int64(usage.Credits)
	}
	_, err := db.sql.Exec(ctx, `insert into messages (id, account_id, agent_id, conversation_id, seq, author, author_id, type, state, turn_id, parts, score, citations, finish_reason,
		model, input_tokens, output_tokens, latency_ms, credits, created_at) values (?, ?, ?, ?, ?, ?, ?, 'reply', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.ID, account, agent, m.ConversationID, m.Seq, m.Author, textOrNil(m.AuthorID), m.State, textOrNil(m.TurnID), toJSON(m.Parts), score, citations,
		textOrNil(m.FinishReason), textOrNil(m.Model), in, out, latency, credits, millis(m.CreatedAt))
	return err
}

const messageColumns = `id, conversation_id, seq, author, author_id, state, turn_id, parts, feedback, score, citations, finish_reason, model, created_at`

func scanMessage(r rowScanner) (*parley.Message, error) {
	var m parley.Message
	var author, turn, parts, feedback, citations, reason, model sql.NullString
	var score sql.NullFloat64
	var created int64
	if err := r.Scan(&m.ID, &m.ConversationID, &m.Seq, &m.Author, &author, &m.State, &turn, &parts, &feedback, &score, &citations, &reason, &model, &created); err != nil {
		return nil, err
	}
	m.AuthorID, m.TurnID, m.Feedback, m.FinishReason, m.Model = parley.UserID(author.String), parley.TurnID(turn.String), feedback.String, reason.String, model.String
	m.CreatedAt = timeFromMillis(created)
	if score.Valid {
		m.Score = &score.Float64
	}
	if err := fromJSON(parts, &m.Parts); err != nil {
		return nil, fmt.Errorf("message %s: parts: %w", m.ID, err)
	}
	if err := fromJSON(citations, &m.Citations); err != nil {
		return nil, fmt.Errorf("message %s: citations: %w", m.ID, err)
	}
	return &m, nil
}

// Messages returns one page of a conversation's history, walking backward: the first page holds the newest messages, and
// inside a page they run oldest to newest (interface 4.8). Mark.At is a sequence number; the total is the number that the
// conversation keeps.
func (db *DB) Messages(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, ask parley.PageRequest) (parley.Page[parley.Message], error) {
	var page parley.Page[parley.Message]
	err := db.sql.QueryRow(ctx, `select message_count from conversations where id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
		conversation, agent, account).Scan(&page.Total)
	if err != nil {
		return page, mapNotFound(err, parley.CodeResourceNotFound)
	}
	page.Items, err = db.newestMessages(ctx, account, agent, conversation, ask)
	if err != nil {
		return page, err
	}
	if len(page.Items) > ask.Limit {
		page.Items = page.Items[1:]
		page.Next = &parley.Cursor{SortValue: page.Items[0].Seq, ID: string(page.Items[0].ID)}
	}
	return page, nil
}

// RecentMessages returns the newest messages of a conversation before a sequence number, oldest first, at most limit. 0 is no bound.
func (db *DB) RecentMessages(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, before int64, limit int) ([]parley.Message, error) {
	ask := parley.PageRequest{Limit: limit - 1}
	if before > 0 {
		ask.After = &parley.Cursor{SortValue: before}
	}
	return db.newestMessages(ctx, account, agent, conversation, ask)
}

// newestMessages reads one message more than asked, so that the caller sees whether there are more.
func (db *DB) newestMessages(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, ask parley.PageRequest) ([]parley.Message, error) {
	before := int64(1) << 62
	if ask.After != nil {
		before = ask.After.SortValue
	}
	rows, err := db.sql.Query(ctx, `select `+messageColumns+` from messages where conversation_id = ? and agent_id = ? and account_id = ? and type = 'reply'
		and superseded_at is null and seq < ? order by seq desc limit ?`, conversation, agent, account, before, ask.Limit+1)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []parley.Message
	for rows.Next() {
		m, err := scanMessage(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, *m)
	}
	slices.Reverse(list)
	return list, rows.Err()
}
