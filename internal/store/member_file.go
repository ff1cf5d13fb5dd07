package store

import (
	"context"

	"parley"
)

// memberFileTable holds files that members have uploaded and not yet sent.
var memberFileTable = newTable("member_files", func(f *parley.Attachment) []field {
	return []field{
		{"id", &f.ID},
		{"blob_id", &f.BlobID},
		{"name", &f.Name},
		{"media_type", &f.MediaType},
		{"size", &f.Size},
		{"created_at", timeDest{&f.CreatedAt}},
	}
})

// CreateMemberFile writes a file that a member has uploaded for an agent, whose blob is there.
func (db *DB) CreateMemberFile(ctx context.Context, ref parley.AgentRef, member parley.UserID,
	f *parley.Attachment) error {
	return db.insert(ctx, "member_files", "", append(memberFileTable.fields(f),
		field{"account_id", ref.Account},
		field{"agent_id", ref.Agent},
		field{"user_id", member})...)
}

// MemberFiles lists those of a member's files for an agent that have the ids and were not sent.
func (db *DB) MemberFiles(ctx context.Context, ref parley.AgentRef, member parley.UserID,
	ids []parley.AttachmentID) ([]parley.Attachment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return memberFileTable.list(ctx, db, `
		where id in `+placeholders(len(ids))+` and user_id = ? and agent_id = ? and account_id = ?`,
		append(toAny(ids), member, ref.Agent, ref.Account)...)
}

// MemberFileUse returns how many files a member has uploaded for an agent and not sent, and how many bytes all members
// have.
func (db *DB) MemberFileUse(ctx context.Context, ref parley.AgentRef, member parley.UserID) (files int, bytes int64,
	err error) {
	err = db.sql.QueryRow(ctx, `
		select
		  coalesce(sum(case when user_id = ? then 1 else 0 end), 0),
		  coalesce(sum(size), 0)
		from member_files
		where agent_id = ? and account_id = ?`, member, ref.Agent, ref.Account).Scan(&files, &bytes)
	return files, bytes, err
}

// DeleteMemberFile deletes a file that a member has not sent. Fails with RESOURCE_NOT_FOUND.
func (db *DB) DeleteMemberFile(ctx context.Context, ref parley.AgentRef, member parley.UserID,
	id parley.AttachmentID) error {
	return db.execFound(ctx, parley.CodeResourceNotFound, `
		delete from member_files
		where id = ? and user_id = ? and agent_id = ? and account_id = ?`, id, member, ref.Agent, ref.Account)
}

// SendMemberFiles makes files that members have uploaded attachments of a message. Fails with RESOURCE_NOT_FOUND where
// one is not there any more.
func (db *DB) SendMemberFiles(ctx context.Context, ref parley.ConversationRef, message parley.MessageID,
	files []parley.Attachment) error {
	return db.sendFiles(ctx, "member_files", ref, message, files)
}
