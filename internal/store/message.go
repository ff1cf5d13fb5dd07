package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// AnswerUsage is what an answer cost: it is kept beside the message and not shown to clients.
type AnswerUsage struct {
	InputTokens  int
	OutputTokens int
	Latency      time.Duration
	Credits      parley.Credits
}

// AddMessage appends a message to its conversation: it gets the next sequence number, and the conversation's counters
// and last activity follow. usage may be nil. Fails with CONVERSATION_NOT_FOUND once the conversation is deleted.
func (db *DB) AddMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message, usage *AnswerUsage) error {
	_, err := db.AddAnswer(ctx, ref, m, usage)
	return err
}

// AddAnswer is AddMessage that tells how the conversation stands, for it may have been taken over while the answer was
// made.
func (db *DB) AddAnswer(ctx context.Context, ref parley.AgentRef, m *parley.Message,
	usage *AnswerUsage) (status parley.ConversationStatus, err error) {
	err = db.sql.QueryRow(ctx, `
		update conversations set
		  last_seq = last_seq + 1,
		  message_count = message_count + 1,
		  last_activity = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null
		returning last_seq, status`, millis(m.CreatedAt), m.ConversationID, ref.Agent, ref.Account).Scan(&m.Seq, &status)
	if err != nil {
		return "", mapNotFound(err, parley.CodeConversationNotFound)
	}
	return status, db.insertMessage(ctx, ref, m, usage)
}

func (db *DB) insertMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message, usage *AnswerUsage) error {
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
	return db.sql.Queue(ctx, `
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
		  turn_id,
		  parts,
		  score,
		  answer_state,
		  citations,
		  finish_reason,
		  model,
		  input_tokens,
		  output_tokens,
		  latency_ms,
		  credits,
		  created_at
		)
		values (?, ?, ?, ?, ?, ?, ?, 'reply', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.ID, ref.Account, ref.Agent, m.ConversationID, m.Seq, m.Author, textOrNil(m.AuthorID), m.State,
		textOrNil(m.TurnID), toJSON(m.Parts), score, textOrNil(m.AnswerState), citations,
		textOrNil(m.FinishReason), textOrNil(m.Model), in, out, latency, credits, millis(m.CreatedAt))
}

const messageColumns = `
  id,
  conversation_id,
  seq,
  author,
  author_id,
  state,
  turn_id,
  parts,
  feedback,
  score,
  answer_state,
  citations,
  finish_reason,
  model,
  created_at`

func scanMessage(scan sqldb.Scan) (m parley.Message, err error) {
	err = scan(
		&m.ID,
		&m.ConversationID,
		&m.Seq,
		&m.Author,
		nullableText(&m.AuthorID),
		&m.State,
		nullableText(&m.TurnID),
		jsonDest{&m.Parts},
		nullableText(&m.Feedback),
		&m.Score,
		nullableText(&m.AnswerState),
		jsonDest{&m.Citations},
		nullableText(&m.FinishReason),
		nullableText(&m.Model),
		timeDest{&m.CreatedAt},
	)
	if err != nil {
		return m, fmt.Errorf("message %s: %w", m.ID, err)
	}
	return m, nil
}

// Messages returns one page of a conversation's history, walking backward: the first page holds the newest messages,
// and inside a page they run oldest to newest (docs/interface/conversations.md#history). Mark.At is a sequence number;
// the total is the number that the conversation keeps.
func (db *DB) Messages(ctx context.Context, ref parley.ConversationRef,
	ask parley.PageRequest) (parley.Page[parley.Message], error) {
	var page parley.Page[parley.Message]
	err := db.sql.QueryRow(ctx, `
		select message_count
		from conversations
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
		ref.Conversation, ref.Agent, ref.Account).Scan(&page.Total)
	if err != nil {
		return page, mapNotFound(err, parley.CodeResourceNotFound)
	}
	page.Items, err = db.newestMessages(ctx, ref, ask)
	if err != nil {
		return page, err
	}
	if len(page.Items) > ask.Limit {
		page.Items = page.Items[1:]
		page.Next = &parley.Cursor{SortValue: page.Items[0].Seq, ID: string(page.Items[0].ID)}
	}
	return page, nil
}

// RecentMessages returns the newest messages of a conversation before a sequence number, oldest first, at most limit. 0
// is no bound.
func (db *DB) RecentMessages(ctx context.Context, ref parley.ConversationRef, before int64,
	limit int) ([]parley.Message, error) {
	ask := parley.PageRequest{Limit: limit - 1}
	if before > 0 {
		ask.After = &parley.Cursor{SortValue: before}
	}
	return db.newestMessages(ctx, ref, ask)
}

// newestMessages reads one message more than asked, so that the caller sees whether there are more.
func (db *DB) newestMessages(ctx context.Context, ref parley.ConversationRef, ask parley.PageRequest) ([]parley.Message,
	error) {
	before := int64(1) << 62
	if ask.After != nil {
		before = ask.After.SortValue
	}
	list, err := sqldb.All(ctx, db.sql, scanMessage, `select `+messageColumns+`
		from messages
		where conversation_id = ? and agent_id = ? and account_id = ? and type = 'reply'
		  and superseded_at is null and seq < ?
		order by seq desc
		limit ?`, ref.Conversation, ref.Agent, ref.Account, before, ask.Limit+1)
	slices.Reverse(list)
	return list, err
}

// message reads the first of the messages that end users see for which the condition is true.
func (db *DB) message(ctx context.Context, where string, args ...any) (*parley.Message, error) {
	m, err := sqldb.One(ctx, db.sql, scanMessage, `
		select `+messageColumns+`
		from messages
		where type = 'reply' and `+where, args...)
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// Message finds a message that a conversation shows. Fails with RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) Message(ctx context.Context, ref parley.ConversationRef, id parley.MessageID) (*parley.Message, error) {
	m, err := db.message(ctx,
		`id = ? and conversation_id = ? and agent_id = ? and account_id = ? and superseded_at is null`,
		id, ref.Conversation, ref.Agent, ref.Account)
	return m, mapNotFound(err, parley.CodeMessageNotFound)
}

// RateMessage stores the end user's rating of a message with its time; an empty rating removes it.
func (db *DB) RateMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message, now time.Time) error {
	n, err := db.sql.Exec(ctx, `
		update messages set
		  feedback = ?,
		  feedback_at = ?
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		textOrNil(m.Feedback), millis(now), m.ID, m.ConversationID, ref.Agent, ref.Account)
	return requireChanged(n, err, parley.CodeMessageNotFound)
}

// TruncateMessage stores what was spoken of a message that was interrupted; spoken_until is the length of its text, in
// bytes. Fails with RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) TruncateMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message) error {
	var citations any
	if len(m.Citations) > 0 {
		citations = toJSON(m.Citations)
	}
	n, err := db.sql.Exec(ctx, `
		update messages set
		  parts = ?,
		  citations = ?,
		  state = ?,
		  finish_reason = ?,
		  spoken_until = ?
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		toJSON(m.Parts), citations, m.State, textOrNil(m.FinishReason), len(m.Text()), m.ID, m.ConversationID,
		ref.Agent, ref.Account)
	return requireChanged(n, err, parley.CodeMessageNotFound)
}

// AddAttachments writes the files of a message, whose blobs are there.
func (db *DB) AddAttachments(ctx context.Context, ref parley.ConversationRef, files []parley.Attachment) error {
	for _, f := range files {
		_, err := db.sql.Exec(ctx, `
			insert into attachments (
			  id,
			  account_id,
			  agent_id,
			  message_id,
			  conversation_id,
			  blob_id,
			  name,
			  media_type,
			  size,
			  created_at
			)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, f.ID, ref.Account, ref.Agent, f.MessageID, ref.Conversation,
			f.BlobID, f.Name, f.MediaType, f.Size, millis(f.CreatedAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// Attachments lists the files of messages, in the order in which they were sent.
func (db *DB) Attachments(ctx context.Context, ref parley.AgentRef, messages []parley.MessageID) ([]parley.Attachment,
	error) {
	if len(messages) == 0 {
		return nil, nil
	}
	return sqldb.All(ctx, db.sql, scanAttachment, `
		select
		  id,
		  message_id,
		  blob_id,
		  name,
		  media_type,
		  size,
		  created_at
		from attachments
		where message_id in `+placeholders(len(messages))+`
		and agent_id = ? and account_id = ?
		order by id`, append(toAny(messages), ref.Agent, ref.Account)...)
}

func scanAttachment(scan sqldb.Scan) (f parley.Attachment, err error) {
	err = scan(attachmentDests(&f)...)
	return f, err
}

func attachmentDests(f *parley.Attachment) []any {
	return []any{
		&f.ID,
		&f.MessageID,
		&f.BlobID,
		&f.Name,
		&f.MediaType,
		&f.Size,
		timeDest{&f.CreatedAt},
	}
}

// LinkedAttachment finds a file and the location of its bytes by its id alone: the caller has a signed link. Fails with
// RESOURCE_NOT_FOUND, also once its conversation or its agent is deleted.
func (db *DB) LinkedAttachment(ctx context.Context, id parley.AttachmentID) (*parley.Attachment, *Blob, error) {
	var f parley.Attachment
	b, err := sqldb.One(ctx, db.sql, func(scan sqldb.Scan) (b Blob, err error) {
		err = scan(append(blobTable.dests(&b), attachmentDests(&f)...)...)
		return b, err
	}, `
		select `+blobTable.columnsOf("b")+
		`, f.id, f.message_id, f.blob_id, f.name, f.media_type, f.size, f.created_at from attachments f
		join blobs b on b.id = f.blob_id and b.agent_id = f.agent_id and b.account_id = f.account_id
		join conversations c on c.id = f.conversation_id and c.agent_id = f.agent_id and c.account_id = f.account_id
		and c.deleted_at is null
		join agents a on a.id = f.agent_id and a.account_id = f.account_id and a.deleted_at is null where f.id = ?`, id)
	if err != nil {
		return nil, nil, mapNotFound(err, parley.CodeResourceNotFound)
	}
	return &f, &b, nil
}

// FirstUserMessage returns the first message of the user in a conversation; nil where there is none.
func (db *DB) FirstUserMessage(ctx context.Context, ref parley.ConversationRef) (*parley.Message, error) {
	return db.userMessage(ctx, ref, "asc")
}

// LastUserMessage returns the newest message of the user in a conversation; nil where there is none.
func (db *DB) LastUserMessage(ctx context.Context, ref parley.ConversationRef) (*parley.Message, error) {
	return db.userMessage(ctx, ref, "desc")
}

func (db *DB) userMessage(ctx context.Context, ref parley.ConversationRef, order string) (*parley.Message, error) {
	m, err := db.message(ctx,
		`conversation_id = ? and agent_id = ? and account_id = ? and author = 'user' and superseded_at is null
		order by seq `+order+` limit 1`, ref.Conversation, ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return m, err
}

// MessagesByID finds those of the messages that are still there, in no order. It is the operator's view and asks for no
// account.
func (db *DB) MessagesByID(ctx context.Context, ids []parley.MessageID) ([]parley.Message, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return sqldb.All(ctx, db.sql, scanMessage, `
		select `+messageColumns+`
		from messages
		where type = 'reply' and id in `+placeholders(len(ids)), toAny(ids)...)
}

// maxExportBytes is about how many bytes of messages MessagesAfter returns at once; a single message may be larger.
const maxExportBytes = 1 << 20

// MessagesAfter returns messages of a conversation after a sequence number, oldest first, at most limit and about a
// megabyte of them: however long a conversation is, a reader holds no more than that in memory. An empty list is the
// end.
func (db *DB) MessagesAfter(ctx context.Context, ref parley.ConversationRef, seq int64, limit int) ([]parley.Message,
	error) {
	rows, err := db.sql.Query(ctx, `
		select `+messageColumns+`
		from messages
		where agent_id = ? and conversation_id = ? and account_id = ? and seq > ? and type = 'reply'
		  and superseded_at is null
		order by seq
		limit ?`, ref.Agent, ref.Conversation, ref.Account, seq, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []parley.Message
	for bytesRead := 0; bytesRead < maxExportBytes && rows.Next(); {
		m, err := scanMessage(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
		bytesRead += messageBytes(&m)
	}
	return list, rows.Err()
}

// messageBytes is about how many bytes of memory a message takes.
func messageBytes(m *parley.Message) int {
	n := 500 + 250*len(m.Citations)
	for _, p := range m.Parts {
		n += 200 + len(p.Text) + len(p.Input) + len(p.Output)
	}
	return n
}
