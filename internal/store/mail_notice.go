package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// MailNotice is a mail about a conversation. Recipient is a member's id, or another name that nobody else has.
type MailNotice struct {
	Conversation parley.ConversationRef
	Recipient    string
	Kind         string
}

// id is unique: nobody gets two mails about a conversation at a time.
func (n MailNotice) id() string { return n.Recipient + "/" + string(n.Conversation.Conversation) }

// ClaimMailNotice notes that a mail is about to be sent, unless its recipient has got another one about the
// conversation within the quiet time: then it returns when the mail may be sent, and else the zero time. A mail of the
// same kind that was not taken by a server may be sent again at once. Fails with RESOURCE_NOT_FOUND when the
// conversation is gone.
func (db *DB) ClaimMailNotice(ctx context.Context, n MailNotice, now time.Time,
	quiet time.Duration) (next time.Time, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		next = time.Time{}
		if _, err := tx.LockConversation(ctx, n.Conversation); err != nil {
			return err
		}
		claimed, err := tx.claimMailNotice(ctx, n, now, quiet)
		if err != nil || claimed {
			return err
		}
		at, err := sqldb.One(ctx, tx.sql, sqldb.Column[int64], `
			select claimed_at
			from mail_notices
			where id = ? and account_id = ?`, n.id(), n.Conversation.Account)
		next = time.UnixMilli(at).Add(quiet)
		return err
	})
	return next, err
}

func (db *DB) claimMailNotice(ctx context.Context, n MailNotice, now time.Time, quiet time.Duration) (bool, error) {
	changed, err := db.sql.Exec(ctx, `
		insert into mail_notices (
		  id,
		  account_id,
		  agent_id,
		  conversation_id,
		  kind,
		  claimed_at
		)
		values (?, ?, ?, ?, ?, ?)
		on conflict (id) do update set
		  kind = excluded.kind,
		  claimed_at = excluded.claimed_at,
		  sent_at = null
		where mail_notices.account_id = excluded.account_id
		  and (mail_notices.claimed_at <= ? or (mail_notices.kind = excluded.kind and mail_notices.sent_at is null))`,
		n.id(), n.Conversation.Account, n.Conversation.Agent, n.Conversation.Conversation, n.Kind, millis(now),
		millis(now.Add(-quiet)))
	return changed > 0, err
}

// NoteMailSent notes that a server has taken a mail.
func (db *DB) NoteMailSent(ctx context.Context, n MailNotice, now time.Time) error {
	return db.exec(ctx, `
		update mail_notices set sent_at = ?
		where id = ? and account_id = ?`, millis(now), n.id(), n.Conversation.Account)
}

// DailyMailSettings say to whom the daily mails about an agent are sent.
type DailyMailSettings struct {
	Agent         parley.AgentRef
	Notifications []byte // as the agent has them, an object
	TimeZone      string // of the account; empty for UTC
}

// DailyMails lists the agents whose settings name daily mails. It is a job of the installation and is not limited to
// one account.
func (db *DB) DailyMails(ctx context.Context) ([]DailyMailSettings, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (s DailyMailSettings, err error) {
		var text string
		err = scan(&s.Agent.Account, &s.Agent.Agent, &text, &s.TimeZone)
		s.Notifications = []byte(text)
		return s, err
	}, `
		select a.account_id, a.id, a.notifications, c.time_zone
		from agents a
		join accounts c on c.id = a.account_id
		where a.deleted_at is null and a.notifications is not null
		order by a.id`)
}

// BeginDailyMails notes that the daily mails of an agent of a day are to be sent, and reports whether they are: not
// those of a day that was noted before, and none at the first call for an agent.
func (db *DB) BeginDailyMails(ctx context.Context, ref parley.AgentRef, day string) (bool, error) {
	n, err := db.sql.Exec(ctx, `
		update agents set mailed_day = ?
		where id = ? and account_id = ? and deleted_at is null and mailed_day < ?`, day, ref.Agent, ref.Account, day)
	if err != nil || n > 0 {
		return n > 0, err
	}
	return false, db.exec(ctx, `
		update agents set mailed_day = ?
		where id = ? and account_id = ? and mailed_day is null`, day, ref.Agent, ref.Account)
}

// CountLeads counts those of the agent's leads that the filter lets through.
func (db *DB) CountLeads(ctx context.Context, ref parley.AgentRef, f LeadFilter) (int, error) {
	where, args := f.whereClause(ref)
	return db.count(ctx, `from leads where `+where, args...)
}

// MemberMessages returns those of the messages that members have written to customers.
func (db *DB) MemberMessages(ctx context.Context, account parley.AccountID,
	ids []parley.MessageID) ([]parley.MessageID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.MessageID], `
		select id
		from messages
		where account_id = ? and author = 'human' and type = 'reply' and id in `+placeholders(len(ids)),
		append([]any{account}, toAny(ids)...)...)
}
