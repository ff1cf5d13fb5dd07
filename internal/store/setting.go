package store

import (
	"context"

	"parley/internal/sqldb"
)

// EnsureSetting returns a value that belongs to the installation, such as the key that signs cursors. The first to ask for it makes
// it, once for all servers on the database.
func (db *DB) EnsureSetting(ctx context.Context, name string, create func() string) (string, error) {
	const read = `select value from settings where name = ?`
	value, err := sqldb.One(ctx, db.sql, sqldb.Column[string], read, name)
	if !sqldb.IsNotFound(err) {
		return value, err
	}
	created := create()
	err = db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		_, err := tx.sql.Exec(ctx, `insert into settings (name, value) values (?, ?) on conflict do nothing`, name, created)
		if err != nil {
			return err
		}
		value, err = sqldb.One(ctx, tx.sql, sqldb.Column[string], read, name)
		return err
	})
	return value, err
}

// FindSetting returns a value of the installation, or the empty text where there is none.
func (db *DB) FindSetting(ctx context.Context, name string) (string, error) {
	value, err := sqldb.One(ctx, db.sql, sqldb.Column[string], `select value from settings where name = ?`, name)
	if sqldb.IsNotFound(err) {
		return "", nil
	}
	return value, err
}

// SetSetting writes a value of the installation, new or not.
func (db *DB) SetSetting(ctx context.Context, name, value string) error {
	_, err := db.sql.Exec(ctx, `insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`, name, value)
	return err
}
