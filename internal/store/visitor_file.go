package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// visitorFileTable holds files that visitors have uploaded and not yet sent.
var visitorFileTable = newTable("visitor_files", func(f *parley.Attachment) []field {
	return []field{
		{"id", &f.ID},
		{"blob_id", &f.BlobID},
		{"name", &f.Name},
		{"media_type", &f.MediaType},
		{"size", &f.Size},
		{"created_at", timeDest{&f.CreatedAt}},
		{"content_text", nullableText(&f.Text)},
	}
})

// CreateVisitorFile writes a file that a visitor has uploaded, whose blob is there.
func (db *DB) CreateVisitorFile(ctx context.Context, v *parley.Visitor, f *parley.Attachment) error {
	return db.insert(ctx, "visitor_files", "", append(visitorFileTable.fields(f),
		field{"account_id", v.AccountID},
		field{"agent_id", v.AgentID},
		field{"visitor_id", v.ID})...)
}

// VisitorFiles lists those of a visitor's uploaded files that have the ids.
func (db *DB) VisitorFiles(ctx context.Context, v *parley.Visitor, ids []parley.AttachmentID) ([]parley.Attachment,
	error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return visitorFileTable.list(ctx, db, `
		where id in `+placeholders(len(ids))+` and visitor_id = ? and agent_id = ? and account_id = ?`,
		append(toAny(ids), v.ID, v.AgentID, v.AccountID)...)
}

// VisitorFileUse returns how many files a visitor has uploaded and not sent, and how many bytes all visitors of the
// agent have.
func (db *DB) VisitorFileUse(ctx context.Context, v *parley.Visitor) (files int, bytes int64, err error) {
	err = db.sql.QueryRow(ctx, `
		select
		  coalesce(sum(case when visitor_id = ? then 1 else 0 end), 0),
		  coalesce(sum(size), 0)
		from visitor_files
		where agent_id = ? and account_id = ?`, v.ID, v.AgentID, v.AccountID).Scan(&files, &bytes)
	return files, bytes, err
}

// SendVisitorFiles makes uploaded files attachments of a message. Fails with RESOURCE_NOT_FOUND where one is not there
// any more.
func (db *DB) SendVisitorFiles(ctx context.Context, ref parley.ConversationRef, message parley.MessageID,
	files []parley.Attachment) error {
	return db.sendFiles(ctx, "visitor_files", ref, message, files)
}

// sendFiles makes files of a table of those that wait attachments of a message.
func (db *DB) sendFiles(ctx context.Context, table string, ref parley.ConversationRef, message parley.MessageID,
	files []parley.Attachment) error {
	if len(files) == 0 {
		return nil
	}
	ids, sent := make([]parley.AttachmentID, len(files)), make([]parley.Attachment, len(files))
	for i, f := range files {
		ids[i], f.MessageID = f.ID, message
		sent[i] = f
	}
	n, err := db.sql.Exec(ctx, `
		delete from `+table+`
		where id in `+placeholders(len(ids))+` and agent_id = ? and account_id = ?`,
		append(toAny(ids), ref.Agent, ref.Account)...)
	if err == nil && n != int64(len(ids)) {
		err = parley.NewError(parley.CodeResourceNotFound)
	}
	if err != nil {
		return err
	}
	return db.AddAttachments(ctx, ref, sent)
}

// FileTexts returns the texts of files that were sent in an agent's conversations, of those that have one.
func (db *DB) FileTexts(ctx context.Context, ref parley.AgentRef,
	ids []parley.AttachmentID) (map[parley.AttachmentID]string, error) {
	texts := map[parley.AttachmentID]string{}
	if len(ids) == 0 {
		return texts, nil
	}
	_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (id parley.AttachmentID, err error) {
		var text string
		err = scan(&id, &text)
		texts[id] = text
		return id, err
	}, `
		select id, content_text
		from attachments
		where id in `+placeholders(len(ids))+` and agent_id = ? and account_id = ? and content_text is not null`,
		append(toAny(ids), ref.Agent, ref.Account)...)
	return texts, err
}

// moveVisitorFiles makes the files of a visitor those of the one that it has become.
func (db *DB) moveVisitorFiles(ctx context.Context, from parley.VisitorID, into *parley.Visitor) error {
	return db.exec(ctx, `
		update visitor_files set visitor_id = ?
		where visitor_id = ? and agent_id = ? and account_id = ?`, into.ID, from, into.AgentID, into.AccountID)
}

// waitingFileTable reads a file that was not sent, with its bytes' location.
var waitingFileTable = newTable(`visitor_files f
	join blobs b on b.id = f.blob_id and b.agent_id = f.agent_id and b.account_id = f.account_id
	join agents a on a.id = f.agent_id and a.account_id = f.account_id and a.deleted_at is null`,
	func(l *linkedFile) []field {
		return append(withAlias("f", visitorFileTable.fields(&l.attachment)),
			withAlias("b", blobTable.fields(&l.blob))...)
	})

// FileOfAgent finds a file that was uploaded for an agent, whether it was sent or not, and the location of its bytes.
// Fails with RESOURCE_NOT_FOUND, also once its conversation or its agent is deleted.
func (db *DB) FileOfAgent(ctx context.Context, ref parley.AgentRef,
	id parley.AttachmentID) (*parley.Attachment, *Blob, error) {
	waiting, err := waitingFileTable.findOrNil(ctx, db, `
		where f.id = ? and f.agent_id = ? and f.account_id = ?`, id, ref.Agent, ref.Account)
	if err != nil {
		return nil, nil, err
	}
	if waiting != nil {
		return &waiting.attachment, &waiting.blob, nil
	}
	l, err := linkedFileTable.find(ctx, db, parley.CodeResourceNotFound, `
		where f.id = ? and f.agent_id = ? and f.account_id = ?`, id, ref.Agent, ref.Account)
	if err != nil {
		return nil, nil, err
	}
	return &l.attachment, &l.blob, nil
}

// DeleteUnsentFiles deletes files that visitors and members uploaded before a moment and never sent, some at a time,
// and returns the agents whose they were. Those of an agent that is still being imported stay. It is a job of the
// installation.
func (db *DB) DeleteUnsentFiles(ctx context.Context, before time.Time) (agents []parley.AgentRef, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		agents = nil
		for _, table := range []string{"visitor_files", "member_files"} {
			found, err := tx.deleteUnsentFiles(ctx, table, before)
			if err != nil {
				return err
			}
			agents = append(agents, found...)
		}
		return nil
	})
	return agents, err
}

func (db *DB) deleteUnsentFiles(ctx context.Context, table string, before time.Time) ([]parley.AgentRef, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (ref parley.AgentRef, err error) {
		err = scan(&ref.Account, &ref.Agent)
		return ref, err
	}, `
		delete from `+table+`
		where id in (select f.id
		  from `+table+` f
		  where f.created_at < ? and exists (select 1 from agents a where a.id = f.agent_id)
		  order by f.created_at
		  limit ?)
		returning account_id, agent_id`, millis(before), maxEraseRows)
}
