package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var accountTable = newTable("accounts", func(a *parley.Account) []field {
	return []field{
		{"id", &a.ID},
		{"name", &a.Name},
		{"plan", &a.Plan},
		{"credits", &a.Credits},
		{"hipaa", &a.HIPAA},
		{"created_at", timeDest{&a.CreatedAt}},
		{"viewers_see_personal_data", &a.ViewersSeePersonalData},
		{"only_sso", &a.OnlySSO},
		{"exempt_owner", nullableText(&a.ExemptOwner)},
		{"time_zone", &a.TimeZone},
		{"admins_need_passkey", &a.AdminsNeedPasskey},
		{"no_passwords", &a.NoPasswords},
	}
})

// CreateAccount writes a new account.
func (db *DB) CreateAccount(ctx context.Context, a *parley.Account) error {
	return db.insert(ctx, "accounts", "", append(accountTable.fields(a), field{"updated_at", millis(a.CreatedAt)})...)
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
	return accountTable.find(ctx, db, parley.CodeAccountNotFound, `where id = ?`+lock, id)
}

// Accounts lists every account of the installation, oldest first. It is the operator's view.
func (db *DB) Accounts(ctx context.Context) ([]parley.Account, error) {
	return accountTable.list(ctx, db, `order by created_at, id`)
}

// OldestAccounts lists the oldest accounts, at most limit: whoever asks whether there is one alone need not read all.
func (db *DB) OldestAccounts(ctx context.Context, limit int) ([]parley.Account, error) {
	return accountTable.list(ctx, db, `order by created_at, id limit ?`, limit)
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
		fields := accountTable.pick(a, "name", "plan", "credits", "hipaa", "viewers_see_personal_data",
			"only_sso", "exempt_owner", "time_zone", "admins_need_passkey", "no_passwords")
		fields = append(fields, field{"updated_at", millis(now)})
		_, err = tx.update(ctx, "accounts", fields, `id = ?`, id)
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
	rows, err := db.sql.Query(ctx, sumCreditsQuery, creditsArgs(ref, month, 0, amount)...)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = rows.Close() }()
	return readCreditSums(rows)
}

// QueueReservation is ReserveCredits that fails the transaction where check fails with what the account and the agent
// have used and reserved by then.
func (db *DB) QueueReservation(ctx context.Context, ref parley.AgentRef, month string, amount parley.Credits,
	check func(ofAccount, ofAgent parley.Credits) error) error {
	return db.sql.QueueRead(ctx, func(rows *sqldb.Rows) error {
		ofAccount, ofAgent, err := readCreditSums(rows)
		if err != nil {
			return err
		}
		return check(ofAccount, ofAgent)
	}, sumCreditsQuery, creditsArgs(ref, month, 0, amount)...)
}

// QueueCharge is QueueReservation of what an answer cost that is known already, with its settlement. check is asked
// about what would be used if all of the reservation were.
func (db *DB) QueueCharge(ctx context.Context, t *parley.Turn, cost parley.Credits, now time.Time,
	check func(ofAccount, ofAgent parley.Credits) error) error {
	month := MonthOf(t.StartedAt)
	err := db.sql.QueueRead(ctx, func(rows *sqldb.Rows) error {
		ofAccount, ofAgent, err := readCreditSums(rows)
		if err != nil {
			return err
		}
		return check(ofAccount+t.Reserved-cost, ofAgent+t.Reserved-cost)
	}, sumCreditsQuery, creditsArgs(t.AgentRef(), month, cost, 0)...)
	if err != nil || cost == 0 {
		return err
	}
	return db.queueLedgerEntry(ctx, newAnswerSettlement(t, cost), now)
}

// addCreditsQuery adds to what the account and the agent have used and reserved. It takes the account's row before the
// agent's, so that no two transactions wait for each other; an update of both would take them in the order in which
// they lie on the disk.
const addCreditsQuery = `
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
	  reserved = credit_usage.reserved + excluded.reserved`

// sumCreditsQuery is addCreditsQuery that returns the sums.
const sumCreditsQuery = addCreditsQuery + `
	returning agent_id, used + reserved`

func creditsArgs(ref parley.AgentRef, month string, used, reserved parley.Credits) []any {
	return []any{
		ref.Account, wholeAccount, month, int64(used), int64(reserved),
		ref.Account, ref.Agent, month, int64(used), int64(reserved),
	}
}

func readCreditSums(rows *sqldb.Rows) (ofAccount, ofAgent parley.Credits, err error) {
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

// settleCredits turns a turn's reservation into what it cost; zero releases it.
func (db *DB) settleCredits(ctx context.Context, t *parley.Turn, cost parley.Credits, now time.Time) error {
	return db.settle(ctx, newAnswerSettlement(t, cost), now)
}

// settlement is what a turn or a voice session has reserved and what it cost.
type settlement struct {
	agent          parley.AgentRef
	id, kind       string // of the turn or the session, in the ledger
	model          string // that answered; empty of voice
	month          string
	reserved, cost parley.Credits
}

func newAnswerSettlement(t *parley.Turn, cost parley.Credits) settlement {
	return settlement{t.AgentRef(), string(t.ID), ChargedAnswer, t.Model, MonthOf(t.StartedAt), t.Reserved, cost}
}

// settle turns a reservation into what it cost. The ledger's unique (turn, kind) makes a second settlement fail.
func (db *DB) settle(ctx context.Context, s settlement, now time.Time) error {
	err := db.sql.Queue(ctx, addCreditsQuery, creditsArgs(s.agent, s.month, s.cost, -s.reserved)...)
	if err != nil {
		return err
	}
	if s.cost == 0 {
		return nil
	}
	return db.queueLedgerEntry(ctx, s, now)
}

// queueLedgerEntry writes what was charged, and counts it on its day, as a whole and by model.
func (db *DB) queueLedgerEntry(ctx context.Context, s settlement, now time.Time) error {
	if err := db.queueCreditDay(ctx, s, now); err != nil {
		return err
	}
	if err := db.queueModelCredits(ctx, s, now); err != nil {
		return err
	}
	return db.sql.Queue(ctx, `
		insert into credit_ledger (
		  account_id,
		  agent_id,
		  turn_id,
		  kind,
		  amount,
		  month,
		  at
		)
		values (?, ?, ?, ?, ?, ?, ?)`,
		s.agent.Account, s.agent.Agent, s.id, s.kind, int64(s.cost), s.month, millis(now))
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
