package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

var savedReplyTable = newTable("saved_replies", func(r *parley.SavedReply) []field {
	return []field{
		{"id", &r.ID},
		{"account_id", &r.AccountID},
		{"name", &r.Name},
		{"body", &r.Text},
		{"created_at", timeDest{&r.CreatedAt}},
		{"updated_at", timeDest{&r.UpdatedAt}},
	}
})

// SavedReplies lists the saved replies of an account by their names.
func (db *DB) SavedReplies(ctx context.Context, account parley.AccountID) ([]parley.SavedReply, error) {
	return savedReplyTable.list(ctx, db, `
		where account_id = ?
		order by name, id`, account)
}

// SavedReply finds a saved reply of an account. Fails with NOT_FOUND.
func (db *DB) SavedReply(ctx context.Context, account parley.AccountID,
	id parley.SavedReplyID) (*parley.SavedReply, error) {
	r, err := savedReplyTable.one(ctx, db, `where id = ? and account_id = ?`, id, account)
	if sqldb.IsNotFound(err) {
		return nil, savedReplyNotFound()
	}
	return &r, err
}

func savedReplyNotFound() error {
	return parley.NewErrorf(parley.CodeNotFound, "Saved reply not found.")
}

// PutSavedReply writes a saved reply in place of the one with its id, if there is one.
func (db *DB) PutSavedReply(ctx context.Context, r *parley.SavedReply) error {
	return savedReplyTable.insert(ctx, db, overwrite("id", "name", "body", "updated_at")+`
		where saved_replies.account_id = excluded.account_id`, r)
}

// DeleteSavedReply deletes a saved reply. Fails with NOT_FOUND.
func (db *DB) DeleteSavedReply(ctx context.Context, account parley.AccountID, id parley.SavedReplyID) error {
	n, err := db.sql.Exec(ctx, `delete from saved_replies where id = ? and account_id = ?`, id, account)
	if err == nil && n == 0 {
		return savedReplyNotFound()
	}
	return err
}
