package store

import (
	"context"
	"database/sql"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const accountColumns = `id, name, plan, credits, hipaa, created_at`

func scanAccount(scan sqldb.Scan) (a parley.Account, err error) {
	var credits sql.NullInt64
	var created int64
	err = scan(&a.ID, &a.Name, &a.Plan, &credits, &a.HIPAA, &created)
	a.Credits, a.CreatedAt = creditsOrNil(credits), timeFromMillis(created)
	return a, err
}

func creditsOrNil(n sql.NullInt64) *parley.Credits {
	if !n.Valid {
		return nil
	}
	c := parley.Credits(n.Int64)
	return &c
}

func creditsToSQL(c *parley.Credits) any {
	if c == nil {
		return nil
	}
	return int64(*c)
}

// CreateAccount writes a new account.
func (db *DB) CreateAccount(ctx context.Context, a *parley.Account) error {
	_, err := db.sql.Exec(ctx, `insert into accounts (id, name, plan, credits, hipaa, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)`,
		a.ID, a.Name, a.Plan, creditsToSQL(a.Credits), boolToInt(a.HIPAA), millis(a.CreatedAt), millis(a.CreatedAt))
	return err
}

// Account finds an account. Fails with ACCOUNT_NOT_FOUND.
func (db *DB) Account(ctx context.Context, id parley.AccountID) (*parley.Account, error) {
	return db.account(ctx, id, "")
}

// LockAccount is Account that keeps every other writer of the account's row out until the transaction ends.
func (db *DB) LockAccount(ctx context.Context, id parley.AccountID) (*parley.Account, error) {
	return db.account(ctx, id, db.sql.ForUpdate())
}

func (db *DB) account(ctx context.Context, id parley.AccountID, lock string) (*parley.Account, error) {
	a, err := sqldb.One(ctx, db.sql, scanAccount, `select `+accountColumns+` from accounts where id = ?`+lock, id)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeAccountNotFound)
	}
	return &a, nil
}

// Accounts lists every account of the installation, oldest first. It is the operator's view.
func (db *DB) Accounts(ctx context.Context) ([]parley.Account, error) {
	return sqldb.All(ctx, db.sql, scanAccount, `select `+accountColumns+` from accounts order by created_at, id`)
}

// UpdateAccount reads an account, has it changed and writes it back, in one transaction. Fails with ACCOUNT_NOT_FOUND.
func (db *DB) UpdateAccount(ctx context.Context, id parley.AccountID, now time.Time, change func(*parley.Account) error) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		a, err := tx.LockAccount(ctx, id)
		if err != nil {
			return err
		}
		if err := change(a); err != nil {
			return err
		}
		_, err = tx.sql.Exec(ctx, `update accounts set name = ?, plan = ?, credits = ?, hipaa = ?, updated_at = ? where id = ?`,
			a.Name, a.Plan, creditsToSQL(a.Credits), boolToInt(a.HIPAA), millis(now), id)
		return err
	})
}
