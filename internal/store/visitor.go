package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var visitorTable = newTable("visitors", func(v *parley.Visitor) []field {
	return []field{
		{"id", &v.ID},
		{"account_id", &v.AccountID},
		{"agent_id", &v.AgentID},
		{"user_id", nullableText(&v.UserID)},
		{"first_page", nullableText(&v.FirstPage)},
		{"locale", &v.Locale},
		{"created_at", timeDest{&v.CreatedAt}},
		{"last_seen_at", timeDest{&v.LastSeenAt}},
	}
})

// CreateVisitor writes a new visitor.
func (db *DB) CreateVisitor(ctx context.Context, v *parley.Visitor) error {
	return db.insert(ctx, "visitors", "", append(visitorTable.fields(v),
		field{"check_at", millis(v.LastSeenAt.Add(parley.VisitorRetention))})...)
}

// dueVisitors selects the visitors that are to be looked at, some at a time.
const dueVisitors = `
	id in (select id from visitors where check_at <= ? order by check_at limit ?)`

// SweepVisitors looks at visitors that were not looked at for VisitorRetention, at most limit, and returns their
// number. Those who were not seen since then and have neither conversations nor files are deleted.
func (db *DB) SweepVisitors(ctx context.Context, now time.Time, limit int) (n int64, err error) {
	due, unseen := []any{millis(now), limit}, millis(now.Add(-parley.VisitorRetention))
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		seenAgain, err := tx.sql.Exec(ctx, `
			update visitors set check_at = case when last_seen_at < ? then ? else last_seen_at end + ?
			where `+dueVisitors+`
			  and (last_seen_at >= ?
			    or exists (select 1 from conversations c where c.visitor_id = visitors.id)
			    or exists (select 1 from visitor_files f where f.visitor_id = visitors.id))`,
			append(append([]any{unseen, millis(now), parley.VisitorRetention.Milliseconds()}, due...), unseen)...)
		if err != nil {
			return err
		}
		due[1] = limit - int(seenAgain)
		deleted, err := tx.sql.Exec(ctx, `
			delete from visitors
			where `+dueVisitors+`
			  and last_seen_at < ?
			  and not exists (select 1 from conversations c where c.visitor_id = visitors.id)
			  and not exists (select 1 from visitor_files f where f.visitor_id = visitors.id)`, append(due, unseen)...)
		n = seenAgain + deleted
		return err
	})
	return n, err
}

// FindVisitor finds a visitor of the agent; nil if there is none, or if it has become another one.
func (db *DB) FindVisitor(ctx context.Context, ref parley.AgentRef, id parley.VisitorID) (*parley.Visitor, error) {
	return visitorTable.findOrNil(ctx, db, `
		where id = ? and agent_id = ? and account_id = ? and merged_into is null`, id, ref.Agent, ref.Account)
}

// TouchVisitor notes that a visitor was seen.
func (db *DB) TouchVisitor(ctx context.Context, v *parley.Visitor, now time.Time) error {
	return db.exec(ctx, `
		update visitors set last_seen_at = ?
		where id = ? and agent_id = ? and account_id = ?`, millis(now), v.ID, v.AgentID, v.AccountID)
}

// ReplaceVisitor writes the visitor that from has become. It gets from's conversations, which from then on are the
// user's; whoever still holds the token of from reads none of them.
func (db *DB) ReplaceVisitor(ctx context.Context, from parley.VisitorID, into *parley.Visitor) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if err := tx.CreateVisitor(ctx, into); err != nil {
			return err
		}
		merged, err := tx.sql.Exec(ctx, `
			update visitors set merged_into = ?
			where id = ? and agent_id = ? and account_id = ? and merged_into is null and user_id is null`,
			into.ID, from, into.AgentID, into.AccountID)
		if err != nil || merged == 0 {
			return err
		}
		if err := tx.moveVisitorFiles(ctx, from, into); err != nil {
			return err
		}
		return tx.exec(ctx, `
			update conversations set
			  visitor_id = ?,
			  user_id = coalesce(user_id, ?)
			where visitor_id = ? and agent_id = ? and account_id = ?`,
			into.ID, textOrNil(into.UserID), from, into.AgentID, into.AccountID)
	})
}

// ForgetVisitors deletes the visitors who were shown to be a user, and those that had become them, with what they have
// uploaded and not sent, and returns how many such files there were. Their tokens are good for nothing from then on.
// Their conversations stay the user's, and no visitor sees them any more, not even one who is shown to be that user
// again.
func (db *DB) ForgetVisitors(ctx context.Context, ref parley.AgentRef, user parley.EndUserID) (files int64, err error) {
	if user == "" {
		return 0, nil
	}
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		const ofUser = `
			where visitor_id in (select id from visitors where agent_id = ? and user_id = ?)
			  and agent_id = ? and account_id = ?`
		args := []any{ref.Agent, user, ref.Agent, ref.Account}
		if files, err = tx.sql.Exec(ctx, `delete from visitor_files`+ofUser, args...); err != nil {
			return err
		}
		for _, statement := range []string{`update conversations set visitor_id = null` + ofUser, `
			delete from visitors
			where merged_into in (select id from visitors where agent_id = ? and user_id = ?)
			  and agent_id = ? and account_id = ?`} {
			if err := tx.exec(ctx, statement, args...); err != nil {
				return err
			}
		}
		return tx.exec(ctx, `
			delete from visitors
			where agent_id = ? and user_id = ? and account_id = ?`, ref.Agent, user, ref.Account)
	})
	return files, err
}

// ofVisitor selects what a visitor began, and what the same person began in other browsers.
const ofVisitor = `
	visitor_id in (
	  select id from visitors where id = ?
	  union all
	  select id from visitors where agent_id = ? and user_id = ?
	)
	and agent_id = ? and account_id = ? and deleted_at is null`

func visitorArgs(v *parley.Visitor) []any {
	return []any{v.ID, v.AgentID, textOrNil(v.UserID), v.AgentID, v.AccountID}
}

// VisitorConversation returns a conversation of a visitor. Fails with CONVERSATION_NOT_FOUND, for a conversation of
// somebody else as for none.
func (db *DB) VisitorConversation(ctx context.Context, v *parley.Visitor,
	id parley.ConversationID) (*parley.Conversation, error) {
	return conversationTable.find(ctx, db, parley.CodeConversationNotFound, `
		where id = ? and `+ofVisitor, append([]any{id}, visitorArgs(v)...)...)
}

// VisitorConversations lists a visitor's conversations, the latest first.
func (db *DB) VisitorConversations(ctx context.Context, v *parley.Visitor, limit int) ([]parley.Conversation, error) {
	return conversationTable.list(ctx, db, `
		where `+ofVisitor+`
		order by last_activity desc, id desc
		limit ?`, append(visitorArgs(v), limit)...)
}
