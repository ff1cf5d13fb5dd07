package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// AddAttachments writes the files of a message, whose blobs are there.
func (db *DB) AddAttachments(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, files []parley.Attachment) error {
	for _, f := range files {
		_, err := db.sql.Exec(ctx, `insert into attachments (id, account_id, agent_id, message_id, conversation_id, blob_id, name, media_type, size, created_at)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, f.ID, account, agent, f.MessageID, conversation, f.BlobID, f.Name, f.MediaType, f.Size, millis(f.CreatedAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// Attachments lists the files of messages, in the order in which they were sent.
func (db *DB) Attachments(ctx context.Context, account parley.AccountID, agent parley.AgentID, messages []parley.MessageID) ([]parley.Attachment, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	return sqldb.All(ctx, db.sql, scanAttachment, `select id, message_id, blob_id, name, media_type, size, created_at from attachments where message_id in `+placeholders(len(messages))+`
		and agent_id = ? and account_id = ? order by id`, append(toAny(messages), agent, account)...)
}

func scanAttachment(scan sqldb.Scan) (f parley.Attachment, err error) {
	err = scan(attachmentDests(&f)...)
	return f, err
}

func attachmentDests(f *parley.Attachment) []any {
	return []any{&f.ID, &f.MessageID, &f.BlobID, &f.Name, &f.MediaType, &f.Size, timeDest{&f.CreatedAt}}
}

// LinkedAttachment finds a file and where its bytes lie by its id alone: whoever asks holds a link that is signed. Fails with
// RESOURCE_NOT_FOUND, also once its conversation or its agent is deleted.
func (db *DB) LinkedAttachment(ctx context.Context, id parley.AttachmentID) (*parley.Attachment, *Blob, error) {
	var f parley.Attachment
	b, err := sqldb.One(ctx, db.sql, func(scan sqldb.Scan) (b Blob, err error) {
		return scanBlob(func(dest ...any) error { return scan(append(dest, attachmentDests(&f)...)...) })
	}, `select `+blobColumns+`, f.id, f.message_id, f.blob_id, f.name, f.media_type, f.size, f.created_at from attachments f
		join blobs b on b.id = f.blob_id and b.agent_id = f.agent_id and b.account_id = f.account_id
		join conversations c on c.id = f.conversation_id and c.agent_id = f.agent_id and c.account_id = f.account_id and c.deleted_at is null
		join agents a on a.id = f.agent_id and a.account_id = f.account_id and a.deleted_at is null where f.id = ?`, id)
	if err != nil {
		return nil, nil, mapNotFound(err, parley.CodeResourceNotFound)
	}
	return &f, &b, nil
}
