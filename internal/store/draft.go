package store

import (
	"context"
	"time"

	"parley"
)

// Draft is what a member has typed and not sent in a conversation.
type Draft struct {
	UserID    parley.UserID
	Kind      string // reply or note
	Text      string
	Seen      int64 // the number of the newest message that the member had seen
	UpdatedAt time.Time
}

// id returns the key of the draft: a member has one of each kind in a conversation.
func (d *Draft) id(conversation parley.ConversationID) string {
	return string(d.UserID) + " " + string(conversation) + " " + d.Kind
}

var draftTable = newTable("drafts", func(d *Draft) []field {
	return []field{
		{"user_id", &d.UserID},
		{"kind", &d.Kind},
		{"body", &d.Text},
		{"seen", &d.Seen},
		{"updated_at", timeDest{&d.UpdatedAt}},
	}
})

// Drafts lists what a member has typed and not sent in a conversation.
func (db *DB) Drafts(ctx context.Context, ref parley.ConversationRef, member parley.UserID) ([]Draft, error) {
	return draftTable.list(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and user_id = ?
		order by kind`, ref.Conversation, ref.Agent, ref.Account, member)
}

// SaveDraft writes a draft in place of the member's earlier one of its kind.
func (db *DB) SaveDraft(ctx context.Context, ref parley.ConversationRef, d *Draft) error {
	fields := append(draftTable.fields(d), field{"id", d.id(ref.Conversation)}, field{"account_id", ref.Account},
		field{"agent_id", ref.Agent}, field{"conversation_id", ref.Conversation})
	return db.insert(ctx, "drafts", overwrite("id", "body", "seen", "updated_at"), fields...)
}

// DeleteDraft removes a member's draft of a kind, if there is one.
func (db *DB) DeleteDraft(ctx context.Context, ref parley.ConversationRef, d *Draft) error {
	return db.exec(ctx, `
		delete from drafts
		where id = ? and agent_id = ? and account_id = ?`, d.id(ref.Conversation), ref.Agent, ref.Account)
}

// DeleteDraftsOf removes all drafts of a member of an account.
func (db *DB) DeleteDraftsOf(ctx context.Context, account parley.AccountID, member parley.UserID) error {
	return db.exec(ctx, `
		delete from drafts
		where account_id = ? and user_id = ?`, account, member)
}
