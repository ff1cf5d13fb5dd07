package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const accountColumns = `
  id,
  name,
  plan,
  credits,
  hipaa,
  created_at`

func scanAccount(scan sqldb.Scan) (a parley.Account, err error) {
	err = scan(
		&a.ID,
		&a.Name,
		&a.Plan,
		creditsDest{&a.Credits},
		&a.HIPAA,
		timeDest{&a.CreatedAt},
	)
	return a, err
}

func creditsToSQL(c *parley.Credits) any {
	if c == nil {
		return nil
	}
	return int64(*c)
}

// CreateAccount writes a new account.
func (db *DB) CreateAccount(ctx context.Context, a *parley.Account) error {
	_, err := db.sql.Exec(ctx, `
		insert into accounts (
		  id,
		  name,
		  plan,
		  credits,
		  hipaa,
		  created_at,
		  updated_at
		)
		values (?, ?, ?, ?, ?, ?, ?)`,
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
	return sqldb.All(ctx, db.sql, scanAccount, `select `+accountColumns+`
		from accounts
		order by created_at, id`)
}

// UpdateAccount reads an account, has it changed and writes it back, in one transaction. Fails with ACCOUNT_NOT_FOUND.
func (db *DB) UpdateAccount(ctx context.Context, id parley.AccountID, now time.Time,
	change func(*parley.Account) error) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		a, err := tx.LockAccount(ctx, id)
		if err != nil {
			return err
		}
		if err := change(a); err != nil {
			return err
		}
		_, err = tx.sql.Exec(ctx, `
			update accounts set
			  name = ?,
			  plan = ?,
			  credits = ?,
			  hipaa = ?,
			  updated_at = ?
			where id = ?`,
			a.Name, a.Plan, creditsToSQL(a.Credits), boolToInt(a.HIPAA), millis(now), id)
		return err
	})
}

// MonthOf returns the calendar month (UTC) that credits are counted in: "2026-11".
func MonthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// wholeAccount is the row that counts for the whole account.
const wholeAccount parley.AgentID = ""

// ReserveCredits reserves credits of the month and returns what the account and the agent have used and reserved by
// then, this reservation included. Whether that is too much is the caller's rule; to refuse, it fails the transaction.
func (db *DB) ReserveCredits(ctx context.Context, ref parley.AgentRef, month string, amount parley.Credits) (ofAccount,
	ofAgent parley.Credits, err error) {
	rows, err := db.sql.Query(ctx, `
		insert into credit_usage (
		  account_id,
		  agent_id,
		  month,
		  used,
		  reserved
		)
		values (?, ?, ?, 0, ?), (?, ?, ?, 0, ?)
		on conflict (account_id, agent_id, month) do update set
		  reserved = credit_usage.reserved + excluded.reserved
		returning agent_id, used + reserved`,
		ref.Account, wholeAccount, month, int64(amount), ref.Account, ref.Agent, month, int64(amount))
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var rowAgent parley.AgentID
		var sum parley.Credits
		if err := rows.Scan(&rowAgent, &sum); err != nil {
			return 0, 0, err
		}
		if rowAgent == wholeAccount {
			ofAccount = sum
		} else {
			ofAgent = sum
		}
	}
	return ofAccount, ofAgent, rows.Err()
}

// settleCredits turns a turn's reservation into what it cost; zero releases it. The ledger's unique (turn, kind) makes
// a second settlement fail.
func (db *DB) settleCredits(ctx context.Context, t *parley.Turn, month string, cost parley.Credits,
	now time.Time) error {
	// The rows are there. An insert takes the account's before the agent's, here and in ReserveCredits, so that no two
	// transactions wait for each other; an update of both would take them in the order in which they lie on the disk.
	_, err := db.sql.Exec(ctx, `
		insert into credit_usage (
		  account_id,
		  agent_id,
		  month,
		  used,
		  reserved
		)
		values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?)
		on conflict (account_id, agent_id, month) do update set
		  used = credit_usage.used + excluded.used,
		  reserved = credit_usage.reserved + excluded.reserved`,
		t.AccountID, wholeAccount, month, int64(cost), -int64(t.Reserved),
		t.AccountID, t.AgentID, month, int64(cost), -int64(t.Reserved))
	if err != nil {
		return err
	}
	if cost == 0 {
		return nil
	}
	_, err = db.sql.Exec(ctx, `
		insert into credit_ledger (
		  account_id,
		  agent_id,
		  turn_id,
		  kind,
		  amount,
		  month,
		  at
		)
		values (?, ?, ?, 'answer', ?, ?, ?)`,
		t.AccountID, t.AgentID, t.ID, int64(cost), month, millis(now))
	return err
}

// CreditUsage returns what the account and the agent have used and set aside in the month.
func (db *DB) CreditUsage(ctx context.Context, ref parley.AgentRef, month string) (ofAccount, ofAgent parley.Credits,
	err error) {
	err = db.sql.QueryRow(ctx, `
		select
		  coalesce(sum(case when agent_id = ? then used + reserved else 0 end), 0),
		  coalesce(sum(case when agent_id = ? then used + reserved else 0 end), 0)
		from credit_usage
		where account_id = ? and agent_id in (?, ?) and month = ?`, wholeAccount, ref.Agent, ref.Account, wholeAccount,
		ref.Agent, month).Scan(&ofAccount, &ofAgent)
	return ofAccount, ofAgent, err
}

// AccountCreditUsage returns what the account has used in the month.
func (db *DB) AccountCreditUsage(ctx context.Context, account parley.AccountID, month string) (used,
	reserved parley.Credits, err error) {
	err = db.sql.QueryRow(ctx, `
		select coalesce(sum(used), 0), coalesce(sum(reserved), 0)
		from credit_usage
		where account_id = ? and agent_id = ? and month = ?`,
		account, wholeAccount, month).Scan(&used, &reserved)
	return used, reserved, err
}
