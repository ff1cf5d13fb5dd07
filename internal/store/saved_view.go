package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

var savedViewTable = newTable("saved_views", func(v *parley.SavedView) []field {
	return []field{
		{"id", &v.ID},
		{"account_id", &v.AccountID},
		{"user_id", &v.OwnerID},
		{"is_shared", &v.IsShared},
		{"name", &v.Name},
		{"filter", jsonDest{&v.Filter}},
		{"created_at", timeDest{&v.CreatedAt}},
		{"updated_at", timeDest{&v.UpdatedAt}},
	}
})

// SavedViews lists the saved views of an account that a member has, their own and the shared ones, by their names.
func (db *DB) SavedViews(ctx context.Context, account parley.AccountID,
	member parley.UserID) ([]parley.SavedView, error) {
	return savedViewTable.list(ctx, db, `
		where account_id = ? and (user_id = ? or is_shared = 1)
		order by name, id`, account, member)
}

// SavedView finds a saved view of an account that a member has. Fails with NOT_FOUND.
func (db *DB) SavedView(ctx context.Context, account parley.AccountID, member parley.UserID,
	id parley.SavedViewID) (*parley.SavedView, error) {
	v, err := savedViewTable.one(ctx, db, `where id = ? and account_id = ? and (user_id = ? or is_shared = 1)`,
		id, account, member)
	if sqldb.IsNotFound(err) {
		return nil, savedViewNotFound()
	}
	return &v, err
}

func savedViewNotFound() error { return parley.NewErrorf(parley.CodeNotFound, "Saved view not found.") }

// PutSavedView writes a saved view in place of the one with its id, if there is one.
func (db *DB) PutSavedView(ctx context.Context, v *parley.SavedView) error {
	return savedViewTable.insert(ctx, db, overwrite("id", "is_shared", "name", "filter", "updated_at")+`
		where saved_views.account_id = excluded.account_id`, v)
}

// DeleteSavedView deletes a saved view. Fails with NOT_FOUND.
func (db *DB) DeleteSavedView(ctx context.Context, account parley.AccountID, id parley.SavedViewID) error {
	n, err := db.sql.Exec(ctx, `delete from saved_views where id = ? and account_id = ?`, id, account)
	if err == nil && n == 0 {
		return savedViewNotFound()
	}
	return err
}

// DeletePrivateViews deletes the saved views that a member of an account alone has.
func (db *DB) DeletePrivateViews(ctx context.Context, account parley.AccountID, member parley.UserID) error {
	return db.exec(ctx, `
		delete from saved_views
		where account_id = ? and user_id = ? and is_shared = 0`, account, member)
}
