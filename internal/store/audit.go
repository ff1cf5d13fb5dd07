package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// AuditEvent is one act of an operator or a member on an account. The rows of an account form a chain: each holds the
// hash of the one before it, so that a row changed or taken out later shows.
type AuditEvent struct {
	Seq          int64 // per account, from 1
	At           time.Time
	Actor        string // who
	Action       string // did what, such as key.create
	Subject      string // to what: an id
	Details      string // a JSON object
	Origin       parley.Origin
	PreviousHash string
	Hash         string // SHA-256 over PreviousHash and the row in canonical JSON, hex
}

// computeHash returns the row's hash. Rows of before there were origins have none in it.
func (a *AuditEvent) computeHash(account parley.AccountID) string {
	values := []any{account, a.Seq, millis(a.At), a.Actor, a.Action, a.Subject, a.Details}
	if a.Origin != (parley.Origin{}) {
		values = append(values, a.Origin.RequestID, a.Origin.Address)
	}
	row, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	sum := sha256.Sum256(append([]byte(a.PreviousHash), row...))
	return hex.EncodeToString(sum[:])
}

// Follows reports whether the row is the one behind a place in the account's chain, unchanged.
func (a *AuditEvent) Follows(account parley.AccountID, place AuditPlace) bool {
	return a.Seq == place.Seq+1 && a.PreviousHash == place.Hash && a.Hash == a.computeHash(account)
}

// AppendAuditEvent appends one act to the account's chain. details encodes as a JSON object; nothing is {}. Call it
// last in its transaction: it locks the account's row until commit.
func (db *DB) AppendAuditEvent(ctx context.Context, account parley.AccountID, now time.Time, actor, action,
	subject string, details any) error {
	a := AuditEvent{At: timeFromMillis(millis(now)), Actor: actor, Action: action, Subject: subject,
		Details: encodeAuditDetails(details), Origin: parley.OriginOf(ctx)}
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if _, err := tx.LockAccount(ctx, account); err != nil {
			return err
		}
		end, err := tx.auditEnd(ctx, account)
		if err != nil {
			return err
		}
		row := a // the closure may run again
		row.Seq, row.PreviousHash = end.Seq+1, end.Hash
		row.Hash = row.computeHash(account)
		fields := append(auditTable.fields(&row), field{"account_id", account})
		if err := tx.insert(ctx, "audit_events", "", fields...); err != nil {
			return err
		}
		return tx.exec(ctx, `
			update accounts set
			  audit_seq = ?,
			  audit_hash = ?
			where id = ?`, row.Seq, row.Hash, account)
	})
}

// encodeAuditDetails encodes what is worth knowing of an act as a JSON object: {} for nothing, such as a nil map.
func encodeAuditDetails(details any) string {
	text, _ := toJSON(details).(string)
	if text == "" || text == "null" {
		return "{}"
	}
	return text
}

// auditEnd returns the end of an account's chain as the account has it. Fails with ACCOUNT_NOT_FOUND.
func (db *DB) auditEnd(ctx context.Context, account parley.AccountID) (end AuditPlace, err error) {
	err = db.sql.QueryRow(ctx, `
		select audit_seq, audit_hash
		from accounts
		where id = ?`, account).Scan(&end.Seq, &end.Hash)
	return end, mapNotFound(err, parley.CodeAccountNotFound)
}

var auditTable = newTable("audit_events", auditFields)

func auditFields(a *AuditEvent) []field {
	return []field{
		{"seq", &a.Seq},
		{"at", timeDest{&a.At}},
		{"actor", &a.Actor},
		{"action", &a.Action},
		{"subject", &a.Subject},
		{"details", &a.Details},
		{"request_id", &a.Origin.RequestID},
		{"address", &a.Origin.Address},
		{"previous_hash", &a.PreviousHash},
		{"hash", &a.Hash},
	}
}

// typedAuditEvent is an act with whether its columns have the types with which rows are written.
type typedAuditEvent struct {
	AuditEvent
	hasTypes bool
}

// auditTables read acts with their types, by the database. SQLite keeps a value as whatever it was written: a text that
// has become bytes is read as the same text, and no filter finds it any more. PostgreSQL has no other types.
var auditTables = map[sqldb.Dialect]table[typedAuditEvent]{
	sqldb.SQLite:   newTypedAuditTable(sqliteAuditTypes()),
	sqldb.Postgres: newTypedAuditTable("true"),
}

func newTypedAuditTable(hasTypes string) table[typedAuditEvent] {
	return newTable("audit_events", func(a *typedAuditEvent) []field {
		return append(auditFields(&a.AuditEvent), field{hasTypes, &a.hasTypes})
	})
}

// sqliteAuditTypes returns the condition that the columns of an act have their types.
func sqliteAuditTypes() string {
	var conditions []string
	for _, f := range auditFields(&AuditEvent{}) {
		kind := "text"
		if f.column == "seq" || f.column == "at" {
			kind = "integer"
		}
		conditions = append(conditions, "typeof("+f.column+") = '"+kind+"'")
	}
	return strings.Join(conditions, " and ")
}

const auditEventsAfter = `
		where account_id = ? and seq > ?
		order by seq
		limit ?`

// AuditEvents lists the acts after the one numbered seq, oldest first, at most limit.
func (db *DB) AuditEvents(ctx context.Context, account parley.AccountID, seq int64, limit int) ([]AuditEvent, error) {
	return auditTable.list(ctx, db, auditEventsAfter, account, seq, limit)
}

// readableAuditEvents is AuditEvents up to the first row that cannot be read, such as one with a fraction for its time,
// or whose columns are of other types. isCut says that there is one: no program writes it.
func (db *DB) readableAuditEvents(ctx context.Context, account parley.AccountID, seq int64,
	limit int) (list []AuditEvent, isCut bool, err error) {
	acts := auditTables[db.sql.Dialect()]
	rows, err := db.sql.Query(ctx, acts.selectText(auditEventsAfter), account, seq, limit)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = rows.Close() }()
	read := acts.reader()
	for rows.Next() {
		a, err := read(rows.Scan)
		switch {
		case err == nil && !a.hasTypes || isUnreadable(ctx, err):
			return list, true, nil
		case err != nil:
			return nil, false, err
		}
		list = append(list, a.AuditEvent)
	}
	return list, false, rows.Err()
}

// isUnreadable reports whether reading a row has failed because of what is in it: neither was it interrupted, nor is
// the database out of reach.
func isUnreadable(ctx context.Context, err error) bool {
	var known *parley.Error
	return err != nil && ctx.Err() == nil && !errors.As(err, &known) && !sqldb.IsNotFound(err)
}

// AuditFilter narrows the list of an account's acts. Empty fields do not.
type AuditFilter struct {
	Actor  string
	Action string
	From   time.Time // the first moment
	Before time.Time // the first moment that is too late
}

// condition returns the filter as a condition whose columns come in the order of an index, with its arguments.
func (f AuditFilter) condition(account parley.AccountID) (where string, args []any) {
	where, args = `account_id = ?`, []any{account}
	if f.Actor != "" {
		where, args = where+` and actor = ?`, append(args, f.Actor)
	}
	if f.Action != "" {
		where, args = where+` and action = ?`, append(args, f.Action)
	}
	if !f.From.IsZero() {
		where, args = where+` and at >= ?`, append(args, millis(f.From))
	}
	return where, args
}

// auditPage returns what follows the name of the table, with its arguments.
func auditPage(account parley.AccountID, f AuditFilter, ask parley.PageRequest) (rest string, args []any) {
	where, args := f.condition(account)
	after := startCursor(ask)
	seq, err := strconv.ParseInt(after.ID, 10, 64)
	if ask.After == nil || err != nil {
		seq = math.MaxInt64
		if !f.Before.IsZero() {
			after.SortValue, seq = millis(f.Before), 0
		}
	}
	return `
		where ` + where + ` and (at, seq) < (?, ?)
		order by at desc, seq desc
		limit ?`, append(args, after.SortValue, seq, ask.Limit+1)
}

// AuditPage returns a page of an account's acts, the latest first.
func (db *DB) AuditPage(ctx context.Context, account parley.AccountID, f AuditFilter,
	ask parley.PageRequest) (page parley.Page[AuditEvent], err error) {
	rest, args := auditPage(account, f, ask)
	list, err := auditTable.list(ctx, db, rest, args...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(a AuditEvent) parley.Cursor {
		return parley.Cursor{SortValue: millis(a.At), ID: strconv.FormatInt(a.Seq, 10)}
	})
	return page, err
}

const auditBatch = 500 // acts that are read at once

// EachAuditEvent calls a function with each act on an account that the filter leaves, the oldest first, in parts: acts
// that come meanwhile are among them. Without a filter the order is that of the chain, so that each row follows the one
// before it: a clock that was set back, or that of another server, may give a later row an earlier time.
func (db *DB) EachAuditEvent(ctx context.Context, account parley.AccountID, f AuditFilter,
	each func(*AuditEvent) error) error {
	if f == (AuditFilter{}) {
		return db.eachChainedEvent(ctx, account, each)
	}
	where, args := f.condition(account)
	if !f.Before.IsZero() {
		where, args = where+` and at < ?`, append(args, millis(f.Before))
	}
	for at, seq := int64(math.MinInt64), int64(0); ; {
		list, err := auditTable.list(ctx, db, `
			where `+where+` and (at, seq) > (?, ?)
			order by at, seq
			limit ?`, append(args[:len(args):len(args)], at, seq, auditBatch)...)
		if err != nil {
			return err
		}
		for i := range list {
			if err := each(&list[i]); err != nil {
				return err
			}
		}
		if len(list) < auditBatch {
			return nil
		}
		last := list[len(list)-1]
		at, seq = millis(last.At), last.Seq
	}
}

// eachChainedEvent calls a function with each act on an account in the order of the chain.
func (db *DB) eachChainedEvent(ctx context.Context, account parley.AccountID, each func(*AuditEvent) error) error {
	for seq := int64(math.MinInt64); ; {
		list, err := db.AuditEvents(ctx, account, seq, auditBatch)
		if err != nil {
			return err
		}
		for i := range list {
			if err := each(&list[i]); err != nil {
				return err
			}
		}
		if len(list) < auditBatch {
			return nil
		}
		seq = list[len(list)-1].Seq
	}
}

// SubjectNames returns the names of what is among ids and belongs to an account: members, agents, keys, sources, teams,
// statuses of tickets and servers of models.
func (db *DB) SubjectNames(ctx context.Context, account parley.AccountID, ids []string) (map[string]string, error) {
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	args := make([]any, len(ids)+1)
	args[0] = account
	for i, id := range ids {
		args[i+1] = id
	}
	for _, query := range []string{
		`select id, name from agents where account_id = ? and id in `,
		`select id, name from api_keys where account_id = ? and id in `,
		`select id, name from sources where account_id = ? and id in `,
		`select id, name from teams where account_id = ? and id in `,
		`select id, name from model_servers where account_id = ? and id in `,
		`select id, internal_label from ticket_statuses where account_id = ? and id in `,
		`select u.id, u.name from memberships m join users u on u.id = m.user_id where m.account_id = ? and m.user_id in `,
	} {
		found, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (pair [2]string, err error) {
			err = scan(&pair[0], &pair[1])
			return pair, err
		}, query+placeholders(len(ids)), args...)
		if err != nil {
			return nil, err
		}
		for _, pair := range found {
			names[pair[0]] = pair[1]
		}
	}
	return names, nil
}

// The values of a column in the acts of an account, each found behind the one before it: as many steps as there are
// values, however many acts there are.
const (
	auditActorsQuery = `
		with recursive found(value) as (
		  select min(actor) from audit_events where account_id = ?
		  union all
		  select (select min(actor) from audit_events where account_id = ? and actor > found.value)
		  from found
		  where found.value is not null)
		select value from found where value is not null limit ?`
	auditActionsQuery = `
		with recursive found(value) as (
		  select min(action) from audit_events where account_id = ?
		  union all
		  select (select min(action) from audit_events where account_id = ? and action > found.value)
		  from found
		  where found.value is not null)
		select value from found where value is not null limit ?`
)

// AuditActors lists who has acted on an account, at most limit of them.
func (db *DB) AuditActors(ctx context.Context, account parley.AccountID, limit int) ([]string, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[string], auditActorsQuery, account, account, limit)
}

// AuditActions lists what has been done to an account, at most limit of it.
func (db *DB) AuditActions(ctx context.Context, account parley.AccountID, limit int) ([]string, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[string], auditActionsQuery, account, account, limit)
}

// UserNames returns the users with the ids, of any account: those who have left one are named in what they did.
func (db *DB) UserNames(ctx context.Context, ids []parley.UserID) (map[parley.UserID]parley.User, error) {
	found := map[parley.UserID]parley.User{}
	for part := range slices.Chunk(ids, 200) {
		args := make([]any, len(part))
		for i, id := range part {
			args[i] = id
		}
		list, err := userTable.list(ctx, db, `where id in `+placeholders(len(part)), args...)
		if err != nil {
			return nil, err
		}
		for _, u := range list {
			found[u.ID] = u
		}
	}
	return found, nil
}

// AuditPlace is how far an audit chain was checked.
type AuditPlace struct {
	Seq  int64  // of the last row
	Hash string // its hash; empty before the first row
}

// AuditStep is what a step of checking an audit chain has found.
type AuditStep struct {
	To     AuditPlace // behind the last row that fits
	Rows   int        // that fit
	Breaks bool       // the next row was changed, or is missing
	Found  bool       // a row has the hash that was looked for
	IsEnd  bool       // the chain was checked to its end
}

// VerifyAuditRows checks the rows of an account's chain behind a place, at most limit, and looks for one with a hash;
// an empty one is not looked for. A row that cannot be read breaks it. At the end it checks that the account has the
// same end.
func (db *DB) VerifyAuditRows(ctx context.Context, account parley.AccountID, from AuditPlace, hash string,
	limit int) (AuditStep, error) {
	step := AuditStep{To: from}
	after := from.Seq
	if from == (AuditPlace{}) {
		after = math.MinInt64 // a row in front of the first one has been put there
	}
	list, isCut, err := db.readableAuditEvents(ctx, account, after, limit)
	if err != nil {
		return step, err
	}
	for i := range list {
		if !list[i].Follows(account, step.To) {
			step.Breaks, step.IsEnd = true, true
			return step, nil
		}
		step.To = AuditPlace{list[i].Seq, list[i].Hash}
		step.Rows++
		step.Found = step.Found || hash != "" && list[i].Hash == hash
	}
	if isCut {
		step.Breaks, step.IsEnd = true, true
		return step, nil
	}
	if step.IsEnd = len(list) < limit; !step.IsEnd {
		return step, nil
	}
	return step, db.checkAuditEnd(ctx, account, &step)
}

// checkAuditEnd checks the end of a chain against what the account has. Rows that came meanwhile are behind it.
func (db *DB) checkAuditEnd(ctx context.Context, account parley.AccountID, step *AuditStep) error {
	end, err := db.auditEnd(ctx, account)
	if isUnreadable(ctx, err) {
		step.Breaks = true
		return nil
	}
	if err != nil || end == step.To {
		return err
	}
	more, _, err := db.readableAuditEvents(ctx, account, step.To.Seq, 1)
	if err != nil {
		return err
	}
	isLonger := len(more) == 1 && more[0].Follows(account, step.To) && end.Seq > step.To.Seq
	step.IsEnd, step.Breaks = !isLonger, !isLonger
	return nil
}

// LastAuditEvent returns the number of the last act on an account, as the account has it; 0 if there is none. Fails
// with ACCOUNT_NOT_FOUND.
func (db *DB) LastAuditEvent(ctx context.Context, account parley.AccountID) (int64, error) {
	end, err := db.auditEnd(ctx, account)
	if isUnreadable(ctx, err) {
		return 0, nil
	}
	return end.Seq, err
}

// VerifyAuditChain walks the account's chain and fails at the first row that does not fit. It returns the number of
// rows and the last hash: a copy of it stored elsewhere shows even rows that were cut off the end and written again.
func (db *DB) VerifyAuditChain(ctx context.Context, account parley.AccountID) (rows int64, last string, err error) {
	const limit = 500
	for place := (AuditPlace{}); ; {
		step, err := db.VerifyAuditRows(ctx, account, place, "", limit)
		if err == nil && step.Breaks {
			err = fmt.Errorf("store: the audit chain of account %s breaks at row %d", account, step.To.Seq+1)
		}
		if err != nil || step.IsEnd {
			return step.To.Seq, step.To.Hash, err
		}
		place = step.To
	}
}
