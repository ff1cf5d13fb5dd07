package store

import (
	"context"
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

// AddMessage appends a message to its conversation: it gets the next sequence number, and the conversation's counters
// and last activity follow, and so does since when the customer waits for a person; what they write takes back that it
// is put aside. usage may be nil. Fails with CONVERSATION_NOT_FOUND once the conversation is deleted.
func (db *DB) AddMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message, usage *AnswerUsage) error {
	_, err := db.AddAnswer(ctx, ref, m, usage)
	return err
}

// AddAnswer is AddMessage that returns the conversation's status, for a person may have taken it over while the answer
// was generated.
func (db *DB) AddAnswer(ctx context.Context, ref parley.AgentRef, m *parley.Message,
	usage *AnswerUsage) (status parley.ConversationStatus, err error) {
	at, isCustomer := millis(m.CreatedAt), boolToInt(m.Author == parley.AuthorUser)
	err = db.sql.QueryRow(ctx, `
		update conversations set
		  last_seq = last_seq + 1,
		  message_count = message_count + 1,
		  last_activity = ?,
		  waiting_since = case
		    when ? = 1 then null
		    when status = 'taken_over' and ? = 1 then coalesce(waiting_since, ?)
		    else waiting_since
		  end,
		  snoozed_until = case when ? = 1 then null else snoozed_until end
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null
		returning last_seq, status`, at, boolToInt(m.Author == parley.AuthorHuman), isCustomer, at, isCustomer,
		m.ConversationID, ref.Agent, ref.Account).Scan(&m.Seq, &status)
	if err != nil {
		return "", mapNotFound(err, parley.CodeConversationNotFound)
	}
	return status, db.insertMessage(ctx, ref, m, usage)
}

// AddExchange appends a message and its answer to their conversation, as AddMessage does of each.
func (db *DB) AddExchange(ctx context.Context, ref parley.AgentRef, m, answer *parley.Message,
	usage *AnswerUsage) error {
	err := db.sql.QueryRow(ctx, `
		update conversations set
		  last_seq = last_seq + 2,
		  message_count = message_count + 2,
		  last_activity = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null
		returning last_seq`, millis(answer.CreatedAt), m.ConversationID, ref.Agent, ref.Account).Scan(&answer.Seq)
	if err != nil {
		return mapNotFound(err, parley.CodeConversationNotFound)
	}
	m.Seq = answer.Seq - 1
	return db.insertExchange(ctx, ref, m, answer, usage)
}

func (db *DB) insertExchange(ctx context.Context, ref parley.AgentRef, m, answer *parley.Message,
	usage *AnswerUsage) error {
	if err := db.insertMessage(ctx, ref, m, nil); err != nil {
		return err
	}
	return db.insertMessage(ctx, ref, answer, usage)
}

// insertMessage writes a message that end users see.
func (db *DB) insertMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message, usage *AnswerUsage) error {
	row := newReply{Message: *m, owner: ref}
	if usage != nil {
		row.isAnswer, row.usage = true, *usage
	}
	return newReplyTable.queueInsert(ctx, db, &row)
}

// newReply is a message that end users see, as it is written: with its owner and, of an answer, what it cost.
type newReply struct {
	parley.Message
	owner    parley.AgentRef
	isAnswer bool
	usage    AnswerUsage
}

// usageOrNil returns what f finds in the usage, nil for a message that is no answer.
func (m *newReply) usageOrNil(f func(u *AnswerUsage) any) func() any {
	return func() any {
		if !m.isAnswer {
			return nil
		}
		return f(&m.usage)
	}
}

var newReplyTable = newTable("messages", func(m *newReply) []field {
	return append(newMessageFields(&m.Message, &m.owner),
		field{"type", MessageTypeReply},
		field{"input_tokens", m.usageOrNil(func(u *AnswerUsage) any { return u.InputTokens })},
		field{"output_tokens", m.usageOrNil(func(u *AnswerUsage) any { return u.OutputTokens })},
		field{"latency_ms", m.usageOrNil(func(u *AnswerUsage) any { return u.Latency.Milliseconds() })},
		field{"credits", m.usageOrNil(func(u *AnswerUsage) any { return int64(u.Credits) })})
})

func newMessageFields(m *parley.Message, owner *parley.AgentRef) []field {
	return append(messageFields(m), field{"account_id", &owner.Account}, field{"agent_id", &owner.Agent})
}

// messageFields are the columns that a new message is written with, and read.
func messageFields(m *parley.Message) []field {
	return []field{
		{"id", &m.ID},
		{"conversation_id", &m.ConversationID},
		{"seq", &m.Seq},
		{"author", &m.Author},
		{"author_id", nullableText(&m.AuthorID)},
		{"state", &m.State},
		{"turn_id", nullableText(&m.TurnID)},
		{"parts", jsonDest{&m.Parts}},
		{"score", &m.Score},
		{"answer_state", nullableText(&m.AnswerState)},
		{"citations", nullableList(&m.Citations)},
		{"finish_reason", nullableText(&m.FinishReason)},
		{"model", nullableText(&m.Model)},
		{"created_at", timeDest{&m.CreatedAt}},
	}
}

var messageTable = newTable("messages", ratedMessageFields)

func ratedMessageFields(m *parley.Message) []field {
	return append(messageFields(m), field{"feedback", nullableText(&m.Feedback)},
		field{"feedback_comment", nullableText(&m.Comment)})
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
	list, err := messageTable.list(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and type = 'reply'
		  and superseded_at is null and seq < ?
		order by seq desc
		limit ?`, ref.Conversation, ref.Agent, ref.Account, before, ask.Limit+1)
	slices.Reverse(list)
	return list, err
}

// Message finds a message that a conversation shows. Fails with RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) Message(ctx context.Context, ref parley.ConversationRef, id parley.MessageID) (*parley.Message, error) {
	return messageTable.find(ctx, db, parley.CodeMessageNotFound, `
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ? and type = 'reply'
		  and superseded_at is null`, id, ref.Conversation, ref.Agent, ref.Account)
}

// RateMessage stores the end user's rating of a message with its comment and time; an empty rating removes it.
func (db *DB) RateMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message, now time.Time) error {
	return db.execFound(ctx, parley.CodeMessageNotFound, `
		update messages set
		  feedback = ?,
		  feedback_comment = ?,
		  feedback_at = ?
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		textOrNil(m.Feedback), textOrNil(m.Comment), millis(now), m.ID, m.ConversationID, ref.Agent, ref.Account)
}

// TruncateMessage stores what was spoken of a message that was interrupted; spoken_until is the length of its text, in
// bytes. Fails with RESOURCE_MESSAGE_NOT_FOUND.
func (db *DB) TruncateMessage(ctx context.Context, ref parley.AgentRef, m *parley.Message) error {
	fields := append(messageTable.pick(m, "parts", "citations", "state", "finish_reason"),
		field{"spoken_until", len(m.Text())})
	n, err := db.update(ctx, "messages", fields, `id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		m.ID, m.ConversationID, ref.Agent, ref.Account)
	return requireChanged(n, err, parley.CodeMessageNotFound)
}

// AddAttachments writes the files of a message, whose blobs are there.
func (db *DB) AddAttachments(ctx context.Context, ref parley.ConversationRef, files []parley.Attachment) error {
	for _, f := range files {
		err := db.insert(ctx, "attachments", "", append(attachmentTable.fields(&f),
			field{"account_id", ref.Account},
			field{"agent_id", ref.Agent},
			field{"conversation_id", ref.Conversation},
			field{"content_text", textOrNil(f.Text)})...)
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
	return attachmentTable.list(ctx, db, `
		where message_id in `+placeholders(len(messages))+` and agent_id = ? and account_id = ?
		order by id`, append(toAny(messages), ref.Agent, ref.Account)...)
}

var attachmentTable = newTable("attachments", func(f *parley.Attachment) []field {
	return []field{
		{"id", &f.ID},
		{"message_id", &f.MessageID},
		{"blob_id", &f.BlobID},
		{"name", &f.Name},
		{"media_type", &f.MediaType},
		{"size", &f.Size},
		{"created_at", timeDest{&f.CreatedAt}},
	}
})

// linkedFile is an attachment with its bytes' location.
type linkedFile struct {
	attachment parley.Attachment
	blob       Blob
}

var linkedFileTable = newTable(`attachments f
	join blobs b on b.id = f.blob_id and b.agent_id = f.agent_id and b.account_id = f.account_id
	join conversations c on c.id = f.conversation_id and c.agent_id = f.agent_id and c.account_id = f.account_id
	  and c.deleted_at is null
	join agents a on a.id = f.agent_id and a.account_id = f.account_id and a.deleted_at is null`,
	func(l *linkedFile) []field {
		return append(withAlias("f", attachmentTable.fields(&l.attachment)), withAlias("b", blobTable.fields(&l.blob))...)
	})

// LinkedAttachment finds a file and the location of its bytes by its id alone: the caller has a signed link. Fails with
// RESOURCE_NOT_FOUND, also once its conversation or its agent is deleted.
func (db *DB) LinkedAttachment(ctx context.Context, id parley.AttachmentID) (*parley.Attachment, *Blob, error) {
	l, err := linkedFileTable.find(ctx, db, parley.CodeResourceNotFound, `where f.id = ?`, id)
	if err != nil {
		return nil, nil, err
	}
	return &l.attachment, &l.blob, nil
}

// FirstUserMessage returns the first message of the user in a conversation; nil if there is none.
func (db *DB) FirstUserMessage(ctx context.Context, ref parley.ConversationRef) (*parley.Message, error) {
	return db.userMessage(ctx, ref, "asc")
}

// LastUserMessage returns the newest message of the user in a conversation; nil if there is none.
func (db *DB) LastUserMessage(ctx context.Context, ref parley.ConversationRef) (*parley.Message, error) {
	return db.userMessage(ctx, ref, "desc")
}

func (db *DB) userMessage(ctx context.Context, ref parley.ConversationRef, order string) (*parley.Message, error) {
	return messageTable.findOrNil(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and type = 'reply' and author = 'user'
		  and superseded_at is null
		order by seq `+order+`
		limit 1`, ref.Conversation, ref.Agent, ref.Account)
}

// MessagesByID finds those of the messages that are still there, in no order. It is the operator's view and asks for no
// account.
func (db *DB) MessagesByID(ctx context.Context, ids []parley.MessageID) ([]parley.Message, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return messageTable.list(ctx, db, `
		where type = 'reply' and id in `+placeholders(len(ids)), toAny(ids)...)
}

// FirstQuestions returns what users wrote first in conversations of an agent, in no order.
func (db *DB) FirstQuestions(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID) ([]parley.Message,
	error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return messageTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and seq = 1 and author = 'user' and type = 'reply'
		  and conversation_id in `+placeholders(len(ids)), append([]any{ref.Agent, ref.Account}, toAny(ids)...)...)
}

// maxExportBytes is about how many bytes of messages MessagesAfter returns at once; a single message may be larger.
const maxExportBytes = 1 << 20

// MessagesAfter returns messages of a conversation after a sequence number, oldest first, at most limit and about a
// megabyte of them: however long a conversation is, a reader holds no more than that in memory. An empty list is the
// end.
func (db *DB) MessagesAfter(ctx context.Context, ref parley.ConversationRef, seq int64, limit int) ([]parley.Message,
	error) {
	rows, err := db.sql.Query(ctx, messageTable.selectText(`
		where agent_id = ? and conversation_id = ? and account_id = ? and seq > ? and type = 'reply'
		  and superseded_at is null
		order by seq
		limit ?`), ref.Agent, ref.Conversation, ref.Account, seq, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	read := messageTable.reader()
	var list []parley.Message
	for bytesRead := 0; bytesRead < maxExportBytes && rows.Next(); {
		m, err := read(rows.Scan)
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
