package store

import (
	"context"
	"math"
	"time"

	"parley"
)

// ReadMark is how far a member has read a conversation.
type ReadMark struct {
	Conversation parley.ConversationID
	UserID       parley.UserID
	SeenUntil    int64      // the last activity, in milliseconds, that the member has seen; 0 for none
	UnreadSince  *time.Time // since when it is marked as unread; nil: it is not
}

var readMarkTable = newTable("read_marks", func(m *ReadMark) []field {
	return []field{
		{"conversation_id", &m.Conversation},
		{"user_id", &m.UserID},
		{"seen_until", &m.SeenUntil},
		{"unread_since", timePointerDest{&m.UnreadSince}},
	}
})

// IsUnread reports whether a conversation is unread for the member: they have marked it so, or were given it by
// somebody else, or the customer waits in it with what they have not seen, and no other member answers.
func (m *ReadMark) IsUnread(c *parley.Conversation) bool {
	isTheirs := c.ClaimedBy == "" || c.ClaimedBy == m.UserID
	return m.UnreadSince != nil || c.WaitingSince != nil && isTheirs && m.SeenUntil < millis(c.UpdatedAt)
}

// ReadMarks returns how far a member has read each of some conversations of an account, by their ids. Of those that the
// member has never read nothing is seen. That the account is compared with an expression keeps SQLite from reading all
// marks of the member.
func (db *DB) ReadMarks(ctx context.Context, account parley.AccountID, member parley.UserID,
	ids []parley.ConversationID) (map[parley.ConversationID]*ReadMark, error) {
	marks := map[parley.ConversationID]*ReadMark{}
	for _, id := range ids {
		marks[id] = &ReadMark{Conversation: id, UserID: member, SeenUntil: math.MinInt64}
	}
	err := inGroups(ids, func(some []any) error {
		list, err := readMarkTable.list(ctx, db, readMarksWhere+placeholders(len(some)),
			append([]any{member, account}, some...)...)
		for i := range list {
			marks[list[i].Conversation] = &list[i]
		}
		return err
	})
	return marks, err
}

const readMarksWhere = `
	where user_id = ? and account_id || '' = ? and conversation_id in `

// HasCustomerWritten reports whether the customer of a conversation has written after a message.
func (db *DB) HasCustomerWritten(ctx context.Context, ref parley.ConversationRef, after int64) (bool, error) {
	return db.exists(ctx, `
		from messages
		where agent_id = ? and conversation_id = ? and account_id = ? and seq > ? and type = 'reply'
		  and author = 'user' and superseded_at is null`, ref.Agent, ref.Conversation, ref.Account, after)
}

// SaveReadMark writes that a member has seen a conversation up to an activity, and that it is not unread.
func (db *DB) SaveReadMark(ctx context.Context, ref parley.ConversationRef, member parley.UserID,
	until time.Time) error {
	m := &ReadMark{Conversation: ref.Conversation, UserID: member, SeenUntil: millis(until)}
	return db.writeReadMark(ctx, ref, m, "seen_until", "unread_since")
}

// MarkUnread marks a conversation as unread for a member. What they have seen of it stays.
func (db *DB) MarkUnread(ctx context.Context, ref parley.ConversationRef, member parley.UserID,
	since time.Time) error {
	m := &ReadMark{Conversation: ref.Conversation, UserID: member, UnreadSince: &since}
	return db.writeReadMark(ctx, ref, m, "unread_since")
}

// writeReadMark writes a mark, or some columns of the one that is there.
func (db *DB) writeReadMark(ctx context.Context, ref parley.ConversationRef, m *ReadMark, columns ...string) error {
	fields := append(readMarkTable.fields(m), field{"account_id", ref.Account}, field{"agent_id", ref.Agent})
	return db.insert(ctx, "read_marks", overwrite("user_id, conversation_id", columns...), fields...)
}

// DeleteReadMarksOf removes all marks of a member of an account.
func (db *DB) DeleteReadMarksOf(ctx context.Context, account parley.AccountID, member parley.UserID) error {
	return db.exec(ctx, `
		delete from read_marks
		where account_id = ? and user_id = ?`, account, member)
}

// AccountConversations finds those of an account's conversations that are still there, in no order.
func (db *DB) AccountConversations(ctx context.Context, account parley.AccountID,
	ids []parley.ConversationID) (list []parley.Conversation, err error) {
	err = inGroups(ids, func(some []any) error {
		found, err := conversationTable.list(ctx, db, `
			where account_id || '' = ? and deleted_at is null and id in `+placeholders(len(some)),
			append([]any{account}, some...)...)
		list = append(list, found...)
		return err
	})
	return list, err
}
