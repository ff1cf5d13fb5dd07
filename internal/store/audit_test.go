package store_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestAuditChainShowsTampering(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for _, err := range runConcurrently(6, func(int) error {
			return fx.AppendAuditEvent(fx, fx.Account.ID, testTime, "operator", "key.create", "k", map[string]any{"name": "ci"})
		}) {
			fx.must(err)
		}
		rows, last, err := fx.VerifyAuditChain(fx, fx.Account.ID)
		fx.must(err)
		if rows != 6 || len(last) != 64 {
			fx.Error(rows, last)
		}
		list, err := fx.AuditEvents(fx, fx.Account.ID, 4, 10)
		fx.must(err)
		if len(list) != 2 || list[1].Hash != last || list[0].Details != `{"name":"ci"}` || !list[0].At.Equal(testTime) {
			fx.Errorf("%+v", list)
		}
		fx.wantCode(fx.AppendAuditEvent(fx, "nobody", testTime, "operator", "x", "y", nil), parley.CodeAccountNotFound)

		_, err = fx.SQL().Exec(fx, `update audit_events set actor = 'somebody' where seq = 3`)
		fx.must(err)
		if _, _, err = fx.VerifyAuditChain(fx, fx.Account.ID); err == nil || !strings.Contains(err.Error(), "row 3") {
			fx.Error("a changed row:", err)
		}
		_, err = fx.SQL().Exec(fx, `delete from audit_events where seq = 2`)
		fx.must(err)
		if _, _, err = fx.VerifyAuditChain(fx, fx.Account.ID); err == nil || !strings.Contains(err.Error(), "row 2") {
			fx.Error("a missing row:", err)
		}
	})
}

func TestAuditPagesAndFilters(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for i, act := range []string{"user:1 key.create", "user:2 key.create", "user:1 member.add", "operator key.revoke"} {
			actor, action, _ := strings.Cut(act, " ")
			fx.must(fx.AppendAuditEvent(fx, fx.Account.ID, testTime.Add(time.Duration(i)*time.Hour), actor, action, "s", nil))
		}
		read := func(f store.AuditFilter) (found string) {
			for ask := (parley.PageRequest{Limit: 2}); ; {
				page, err := fx.AuditPage(fx, fx.Account.ID, f, ask)
				fx.must(err)
				for _, a := range page.Items {
					found += strconv.FormatInt(a.Seq, 10)
				}
				if ask.After = page.Next; page.Next == nil {
					return found
				}
			}
		}
		for want, f := range map[string]store.AuditFilter{
			"4321": {}, "31": {Actor: "user:1"}, "21": {Action: "key.create"},
			"1":  {Actor: "user:1", Action: "key.create"},
			"32": {From: testTime.Add(time.Hour), Before: testTime.Add(3 * time.Hour)},
			"":   {Actor: "nobody"}, "2": {Action: "key.create", From: testTime.Add(time.Minute)},
		} {
			if got := read(f); got != want {
				fx.Errorf("%+v: %q, want %q", f, got, want)
			}
		}
		actors, err := fx.AuditActors(fx, fx.Account.ID, 2)
		fx.must(err)
		actions, err := fx.AuditActions(fx, fx.Account.ID, 10)
		fx.must(err)
		if got := strings.Join(append(actors, actions...), " "); got != "operator user:1 key.create key.revoke member.add" {
			fx.Error(got)
		}
	})
}

// An export without a filter has the order of the chain, whatever the clocks said: its rows follow each other.
func TestAnExportFollowsTheChain(t *testing.T) {
	const rows = 1203 // more than are read at once
	forEachDatabase(t, func(fx *fixture) {
		fx.must(fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
			for i := range rows {
				at := testTime.Add(time.Duration(i*7919%rows) * time.Minute)
				if err := tx.AppendAuditEvent(fx, fx.Account.ID, at, "operator", "key.create", "k", nil); err != nil {
					return err
				}
			}
			return nil
		}))
		place := store.AuditPlace{}
		fx.must(fx.EachAuditEvent(fx, fx.Account.ID, store.AuditFilter{}, func(a *store.AuditEvent) error {
			if !a.Follows(fx.Account.ID, place) {
				fx.Errorf("row %d comes behind row %d", a.Seq, place.Seq)
			}
			place = store.AuditPlace{Seq: a.Seq, Hash: a.Hash}
			return nil
		}))
		if place.Seq != rows {
			fx.Errorf("%d of %d rows", place.Seq, rows)
		}
		var last time.Time
		fx.must(fx.EachAuditEvent(fx, fx.Account.ID, store.AuditFilter{Actor: "operator"}, func(a *store.AuditEvent) error {
			if a.At.Before(last) {
				fx.Errorf("row %d of %s comes behind %s", a.Seq, a.At, last)
			}
			last = a.At
			return nil
		}))
	})
}

// fillAudit fills the chain of an account with acts of different kinds.
func (fx *fixture) fillAudit(rows int) {
	fx.Helper()
	for i := range rows {
		ctx := fx.Context
		if i%2 == 0 {
			ctx = parley.WithOrigin(ctx, parley.Origin{RequestID: "req-" + strconv.Itoa(i), Address: "192.0.2.1"})
		}
		fx.must(fx.AppendAuditEvent(ctx, fx.Account.ID, testTime.Add(time.Duration(i)*time.Minute), "user:"+strconv.Itoa(i%3),
			"key.create", "k"+strconv.Itoa(i), map[string]any{"name": "ci " + strconv.Itoa(i)}))
	}
}

// auditEdit changes the audit log as somebody would who can write to the database, and says what it did.
type auditEdit struct {
	name string
	do   func(fx *fixture, random *rand.Rand, rows int) (changes int64)
}

func editText(column string) auditEdit {
	return auditEdit{"another " + column, func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.change(`update audit_events set `+column+` = `+column+` || ? where seq = ?`,
			string(rune('a'+random.IntN(26))), 1+random.IntN(rows))
	}}
}

func (fx *fixture) change(query string, args ...any) int64 {
	fx.Helper()
	n, err := fx.SQL().Exec(fx, query, args...)
	fx.must(err)
	return n
}

// auditEdits are the edits that are tried: a column of a row, rows that are taken out, put in or put elsewhere, the end
// cut off, a row that is given the hash that fits it, and what the account has of the end.
var auditEdits = []auditEdit{
	editText("actor"), editText("action"), editText("subject"), editText("details"), editText("request_id"),
	editText("address"), editText("hash"), editText("previous_hash"),
	{"another time", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.change(`update audit_events set at = at + ? where seq = ?`, 1+random.IntN(100), 1+random.IntN(rows))
	}},
	{"a row taken out", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.change(`delete from audit_events where seq = ?`, 1+random.IntN(rows))
	}},
	{"the end cut off", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.change(`delete from audit_events where seq > ?`, random.IntN(rows))
	}},
	{"a row taken out and those behind it moved up", func(fx *fixture, random *rand.Rand, rows int) int64 {
		seq := 1 + random.IntN(rows)
		n := fx.change(`delete from audit_events where seq = ?`, seq)
		for i := seq + 1; i <= rows; i++ {
			fx.change(`update audit_events set seq = seq - 1 where seq = ?`, i)
		}
		return n
	}},
	{"two rows in each other's place", func(fx *fixture, random *rand.Rand, rows int) int64 {
		a := 1 + random.IntN(rows-1)
		b := a + 1 + random.IntN(rows-a)
		fx.change(`update audit_events set seq = -1 where seq = ?`, a)
		fx.change(`update audit_events set seq = ? where seq = ?`, a, b)
		return fx.change(`update audit_events set seq = ? where seq = -1`, b)
	}},
	{"a copy of a row at the end", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.change(`insert into audit_events (account_id, seq, at, actor, action, subject, details, request_id, address,
			previous_hash, hash) select account_id, ?, at, actor, action, subject, details, request_id, address, previous_hash,
			hash from audit_events where seq = ?`, rows+1, 1+random.IntN(rows))
	}},
	{"a row in front of the first one", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.copyAuditRow(1+random.IntN(rows), -random.IntN(5))
	}},
	{"a row put in, and those behind it moved down", func(fx *fixture, random *rand.Rand, rows int) int64 {
		seq := 1 + random.IntN(rows)
		for i := rows; i >= seq; i-- {
			fx.change(`update audit_events set seq = seq + 1 where seq = ?`, i)
		}
		return fx.copyAuditRow(seq+1, seq)
	}},
	{"a row put in with a hash that fits the one before it", func(fx *fixture, random *rand.Rand, rows int) int64 {
		seq := 1 + random.IntN(rows)
		for i := rows; i >= seq; i-- {
			fx.change(`update audit_events set seq = seq + 1 where seq = ?`, i)
		}
		fx.copyAuditRow(seq+1, seq)
		return fx.forgeAuditRow(seq, "somebody")
	}},
	{"a row given to another account", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.change(`update audit_events set account_id = 'other' where seq = ?`, 1+random.IntN(rows))
	}},
	{"a character of a row changed, taken out or put in", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.changeCharacter(random, 1+random.IntN(rows))
	}},
	{"several rows changed at once", func(fx *fixture, random *rand.Rand, rows int) (n int64) {
		for range 2 + random.IntN(rows) {
			n += fx.change(`update audit_events set subject = subject || 'x' where seq = ?`, 1+random.IntN(rows))
		}
		return n
	}},
	{"another end of the account", func(fx *fixture, random *rand.Rand, rows int) int64 {
		return fx.change(`update accounts set audit_seq = audit_seq + ? where id = ?`, 1+random.IntN(5), fx.Account.ID)
	}},
	{"the last row written again with a hash that fits", func(fx *fixture, _ *rand.Rand, rows int) int64 {
		list, err := fx.AuditEvents(fx, fx.Account.ID, int64(rows-1), 1)
		fx.must(err)
		list[0].Actor = "somebody"
		return fx.change(`update audit_events set actor = ?, hash = ? where seq = ?`, list[0].Actor,
			list[0].ComputeHash(fx.Account.ID), rows)
	}},
}

// copyAuditRow puts in a copy of a row under another number.
func (fx *fixture) copyAuditRow(from, to int) int64 {
	fx.Helper()
	return fx.change(`insert into audit_events (account_id, seq, at, actor, action, subject, details, request_id, address,
		previous_hash, hash) select account_id, ?, at, actor, action, subject, details, request_id, address, previous_hash,
		hash from audit_events where seq = ?`, to, from)
}

// forgeAuditRow replaces the actor of a row and makes it fit the one before it.
func (fx *fixture) forgeAuditRow(seq int, actor string) int64 {
	fx.Helper()
	list, err := fx.AuditEvents(fx, fx.Account.ID, int64(seq-1), 1)
	fx.must(err)
	row := list[0]
	row.Actor, row.PreviousHash = actor, fx.auditHash(seq-1)
	return fx.change(`update audit_events set actor = ?, previous_hash = ?, hash = ? where seq = ?`, actor,
		row.PreviousHash, row.ComputeHash(fx.Account.ID), seq)
}

// auditHash returns the hash of a row; empty if there is none.
func (fx *fixture) auditHash(seq int) string {
	fx.Helper()
	list, err := fx.AuditEvents(fx, fx.Account.ID, int64(seq-1), 1)
	fx.must(err)
	if len(list) == 0 || list[0].Seq != int64(seq) {
		return ""
	}
	return list[0].Hash
}

// changeCharacter changes one character of one column of a row.
func (fx *fixture) changeCharacter(random *rand.Rand, seq int) int64 {
	fx.Helper()
	columns := []string{"actor", "action", "subject", "details", "request_id", "address", "previous_hash", "hash"}
	column := columns[random.IntN(len(columns))]
	text, err := sqldb.One(fx, fx.SQL(), sqldb.Column[string], `select `+column+` from audit_events where seq = ?`, seq)
	fx.must(err)
	changed := editCharacter(random, text)
	return fx.change(`update audit_events set `+column+` = ? where seq = ?`, changed, seq)
}

// editCharacter returns a text of letters with another character, one less or one more.
func editCharacter(random *rand.Rand, text string) string {
	at := random.IntN(len(text) + 1)
	switch kind := random.IntN(3); {
	case kind == 0 || at == len(text):
		return text[:at] + string(rune('A'+random.IntN(26))) + text[at:]
	case kind == 1:
		return text[:at] + text[at+1:]
	}
	return text[:at] + string(rune(text[at]^1)) + text[at+1:]
}

// errUndone ends the transaction of an edit, of which nothing stays.
var errUndone = errors.New("the edit is undone")

// Every edit of the audit log is found, in the database and in an export of it that is checked elsewhere.
func TestEveryEditOfTheAuditLogIsFound(t *testing.T) {
	const rows = 12
	edits := 300
	if os.Getenv("PARLEY_LONG") == "1" {
		edits = 10_000
	}
	forEachDatabase(t, func(fx *fixture) {
		fx.fillAudit(rows)
		_, hash, err := fx.VerifyAuditChain(fx, fx.Account.ID)
		fx.must(err)
		random := rand.New(rand.NewPCG(22, 49))
		for i := range edits {
			err := fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
				edited := *fx
				edited.DB = tx
				edited.checkAuditEdit(auditEdits[i%len(auditEdits)], random, rows, hash)
				return errUndone
			})
			if !errors.Is(err, errUndone) || fx.Failed() {
				fx.Fatalf("edit %d: %v", i, err)
			}
		}
		if _, again, err := fx.VerifyAuditChain(fx, fx.Account.ID); err != nil || again != hash {
			fx.Error("the chain after all edits were undone:", err, again)
		}
	})
}

// checkAuditEdit fails if an edit is not found; hash is that of the last row, which was kept elsewhere.
func (fx *fixture) checkAuditEdit(edit auditEdit, random *rand.Rand, rows int, hash string) {
	fx.Helper()
	if edit.do(fx, random, rows) == 0 {
		fx.Errorf("%s changes nothing", edit.name)
	}
	if _, _, err := fx.VerifyAuditChain(fx, fx.Account.ID); err == nil {
		fx.Errorf("%s is not found", edit.name)
	}
	if edit.name != "another end of the account" && fx.followsElsewhere(hash) {
		fx.Errorf("%s is not found in an export", edit.name)
	}
}

// followsElsewhere checks all rows as whoever has an export does, with a last hash that was kept elsewhere.
func (fx *fixture) followsElsewhere(hash string) bool {
	fx.Helper()
	list, err := fx.AuditEvents(fx, fx.Account.ID, math.MinInt32, 1000)
	fx.must(err)
	place := store.AuditPlace{}
	for i := range list {
		if !list[i].Follows(fx.Account.ID, place) {
			return false
		}
		place = store.AuditPlace{Seq: list[i].Seq, Hash: list[i].Hash}
	}
	return place.Hash == hash
}

// Rows of before there were request ids and addresses still fit, and a row must not lose what it has.
func TestOldAuditRowsFit(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.fillAudit(4)
		if n := fx.change(`update audit_events set request_id = '', address = '' where seq = 2`); n != 1 {
			fx.Fatal(n)
		}
		rows, _, err := fx.VerifyAuditChain(fx, fx.Account.ID)
		if err != nil || rows != 4 {
			fx.Errorf("a row that never had an origin: %v", err)
		}
		fx.change(`update audit_events set request_id = '', address = '' where seq = 3`)
		if _, _, err := fx.VerifyAuditChain(fx, fx.Account.ID); err == nil {
			fx.Error("a row has lost its origin")
		}
	})
}

// setAuditEnd changes the end of the chain as the account has it.
func (fx *fixture) setAuditEnd(end store.AuditPlace) {
	fx.Helper()
	fx.change(`update accounts set audit_seq = ?, audit_hash = ? where id = ?`, end.Seq, end.Hash, fx.Account.ID)
}

// Whoever writes the chain again from some row to its end, and the end that the account has, leaves a chain that fits.
// Only a hash that was kept elsewhere shows it (docs/manual/audit.md).
func TestAChainWrittenAgainIsShownByAKeptHash(t *testing.T) {
	const rows = 12
	forEachDatabase(t, func(fx *fixture) {
		for _, edit := range []string{"cut off", "written again"} {
			fx.change(`delete from audit_events`)
			fx.setAuditEnd(store.AuditPlace{})
			fx.fillAudit(rows)
			_, hash, err := fx.VerifyAuditChain(fx, fx.Account.ID)
			fx.must(err)
			last := rows - 3
			if edit == "cut off" {
				fx.change(`delete from audit_events where seq > ?`, last)
			} else {
				last = rows
				for seq := 5; seq <= rows; seq++ {
					fx.forgeAuditRow(seq, "somebody")
				}
			}
			fx.setAuditEnd(store.AuditPlace{Seq: int64(last), Hash: fx.auditHash(last)})
			if n, _, err := fx.VerifyAuditChain(fx, fx.Account.ID); err != nil || n != int64(last) {
				fx.Errorf("%s: the chain alone shows it: %v", edit, err)
			}
			step, err := fx.VerifyAuditRows(fx, fx.Account.ID, store.AuditPlace{}, hash, 1000)
			fx.must(err)
			if step.Found || fx.followsElsewhere(hash) {
				fx.Errorf("%s: the hash that was kept elsewhere is found", edit)
			}
		}
	})
}

// auditTypeEdits put in what only SQLite holds in a column; each names the row that no longer fits.
var auditTypeEdits = map[string]int64{
	`update audit_events set at = at + 0.4 where seq = 3`:                         3,
	`update audit_events set at = 'x' where seq = 3`:                              3,
	`update audit_events set at = x'00ff' where seq = 3`:                          3,
	`update audit_events set at = at + 0.4 where seq = 6`:                         6,
	`update audit_events set seq = '3x' where seq = 3`:                            3,
	`update audit_events set seq = 3.5 where seq = 3`:                             3,
	`update audit_events set seq = '6x' where seq = 6`:                            6,
	`update audit_events set seq = cast(cast(seq as text) as blob) where seq = 6`: 6,
	`update audit_events set at = cast(cast(at as text) as blob) where seq = 3`:   3,
	`update audit_events set actor = cast(actor as blob) where seq = 3`:           3,
	`update audit_events set action = cast(action as blob) where seq = 6`:         6,
	`update audit_events set details = cast(details as blob) where seq = 1`:       1,
	`update audit_events set hash = cast(hash as blob) where seq = 5`:             5,
	`update accounts set audit_seq = 'x' where audit_seq=6`:                       7,
	`update accounts set audit_seq = 6.5 where audit_seq =6`:                      7,
}

// A row that cannot be read breaks the chain, as any other that was changed: it is no failure of the check.
func TestAuditRowsOfOtherTypesBreakTheChain(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		if fx.SQL().Dialect() == sqldb.Postgres {
			return // a column holds its own type alone
		}
		fx.fillAudit(6)
		for edit, row := range auditTypeEdits {
			err := fx.Transact(fx, sqldb.Bulk, func(tx *store.DB) error {
				edited := *fx
				edited.DB = tx
				if edited.change(edit) != 1 {
					fx.Errorf("%s changes nothing", edit)
				}
				step, err := tx.VerifyAuditRows(fx, fx.Account.ID, store.AuditPlace{}, "", 1000)
				if err != nil || !step.Breaks || !step.IsEnd || step.To.Seq != row-1 {
					fx.Errorf("%s: %+v, %v", edit, step, err)
				}
				if _, err := tx.LastAuditEvent(fx, fx.Account.ID); err != nil {
					fx.Errorf("%s: the number of the last act: %v", edit, err)
				}
				return errUndone
			})
			if !errors.Is(err, errUndone) {
				fx.Fatal(err)
			}
		}
	})
}

// What is worth knowing of an act is always an object, however nothing is said.
func TestAuditDetailsAreAnObject(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		var none map[string]any
		for _, details := range []any{nil, none, map[string]any{}} {
			fx.must(fx.AppendAuditEvent(fx, fx.Account.ID, testTime, "operator", "key.create", "k", details))
		}
		list, err := fx.AuditEvents(fx, fx.Account.ID, 0, 10)
		fx.must(err)
		for _, a := range list {
			if a.Details != "{}" {
				fx.Errorf("row %d: %s", a.Seq, a.Details)
			}
		}
	})
}
