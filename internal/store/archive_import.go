package store

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// ArchiveImport is how far an import of an archive has come. Its account and agents are not there yet, so nobody finds
// what it has written.
type ArchiveImport struct {
	Account   parley.AccountID // that it will be
	Archive   string           // what is imported and how; empty while it is being taken back
	Salt      string           // of new ids, in hex; empty where all keep theirs
	Agents    []parley.AgentID
	Users     string // which users of the installation those of the archive are
	Step      string // what is being written
	Place     string // how far that is
	Owner     string // the import that writes, of several that were begun
	StartedAt time.Time
	UpdatedAt time.Time
}

var archiveImportTable = newTable("account_imports", func(m *ArchiveImport) []field {
	return append([]field{
		{"account_id", &m.Account},
		{"archive", &m.Archive},
		{"salt", &m.Salt},
		{"agents", jsonOr(&m.Agents, "[]")},
		{"users", &m.Users},
		{"owner", &m.Owner},
		{"started_at", timeDest{&m.StartedAt}},
	}, archiveImportProgress(m)...)
})

func archiveImportProgress(m *ArchiveImport) []field {
	return []field{
		{"step", &m.Step},
		{"place", &m.Place},
		{"updated_at", timeDest{&m.UpdatedAt}},
	}
}

// IsWrittenAhead reports whether an import writes the rows of the table in steps, before the account is there: those
// that grow with conversations and sources. Nothing finds one of them without its agent.
func (t *ArchiveTable) IsWrittenAhead() bool { return writtenAhead[t.Name] != "" }

// writtenAhead are those tables, each with the column by which its rows are taken back.
var writtenAhead = map[string]string{
	"blobs":                 "id",
	"source_versions":       "id",
	"passages":              "id",
	"crawl_pages":           "id",
	"people":                "id",
	"visitor_files":         "id",
	"conversations":         "id",
	"messages":              "id",
	"turns":                 "id",
	"tool_calls":            "id",
	"leads":                 "id",
	"tickets":               "id",
	"attachments":           "id",
	"voice_recordings":      "id",
	"conversation_insights": "conversation_id",
	"insight_questions":     "conversation_id",
	"insight_days":          "day",
	"credit_ledger":         "turn_id",
}

// UnfinishedImport finds an import of an archive that did not come to its end; nil if there is none.
func (db *DB) UnfinishedImport(ctx context.Context, archive string) (*ArchiveImport, error) {
	return archiveImportTable.findOrNil(ctx, db, `where archive = ? order by account_id limit 1`, archive)
}

// OldImports lists imports of which nothing was heard since a moment, at most limit. It is a job of the installation.
func (db *DB) OldImports(ctx context.Context, before time.Time, limit int) ([]ArchiveImport, error) {
	return archiveImportTable.list(ctx, db, `
		where updated_at < ?
		order by account_id
		limit ?`, millis(before), limit)
}

// BeginImport writes an import that begins. It fails with TOO_MANY_REQUESTS where another one of the same account was
// first, and with RESOURCE_ALREADY_EXISTS where that has come to its end.
func (db *DB) BeginImport(ctx context.Context, m *ArchiveImport) error {
	return db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		query, args := archiveImportTable.insertion(` on conflict do nothing`, m)
		n, err := tx.sql.Exec(ctx, query, args...)
		if err := requireOwnImport(n, err); err != nil {
			return err
		}
		return tx.requireNoAccount(ctx, m.Account) // asked behind the insert, which waits for another one's end
	})
}

func (db *DB) requireNoAccount(ctx context.Context, account parley.AccountID) error {
	isThere, err := db.exists(ctx, `from accounts where id = ?`, account)
	if err == nil && isThere {
		err = parley.NewErrorf(parley.CodeAlreadyExists, "The account is there already.")
	}
	return err
}

// TakeImport makes an import the owner's from now on, and returns it as it is: whoever wrote it before finds so with
// the next step. It returns nil where it is gone or is being taken back.
func (db *DB) TakeImport(ctx context.Context, account parley.AccountID, archive, owner string,
	now time.Time) (m *ArchiveImport, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		if err := tx.exec(ctx, `
			update account_imports set
			  owner = ?,
			  updated_at = ?
			where account_id = ? and archive = ?`, owner, millis(now), account, archive); err != nil {
			return err
		}
		m, err = archiveImportTable.findOrNil(ctx, tx, `where account_id = ? and archive = ?`, account, archive)
		return err
	})
	return m, err
}

// SaveImport writes how far an import has come, in the transaction of what it has written. It fails with
// TOO_MANY_REQUESTS where another import has taken its place.
func (db *DB) SaveImport(ctx context.Context, m *ArchiveImport) error {
	n, err := db.update(ctx, "account_imports", archiveImportProgress(m), `account_id = ? and owner = ?`, m.Account,
		m.Owner)
	return requireOwnImport(n, err)
}

// EndImport ends an import, in the transaction that writes the account. It fails as SaveImport does.
func (db *DB) EndImport(ctx context.Context, m *ArchiveImport) error {
	n, err := db.sql.Exec(ctx, `
		delete from account_imports
		where account_id = ? and owner = ?`, m.Account, m.Owner)
	return requireOwnImport(n, err)
}

func requireOwnImport(n int64, err error) error {
	if err == nil && n == 0 {
		err = parley.NewErrorf(parley.CodeTooManyRequests, "Another import of this archive has taken the place of this one.")
	}
	return err
}

// TakeImportBack erases what an import that did not come to its end has written, in chunks in the bulk lane. An owner
// takes back its own only; without one it is anybody's. Where it is cut short it is repeated.
func (db *DB) TakeImportBack(ctx context.Context, account parley.AccountID, owner string) error {
	m, err := archiveImportTable.findOrNil(ctx, db, `where account_id = ?`, account)
	if err != nil || m == nil || owner != "" && owner != m.Owner {
		return err
	}
	before, eraser := m.Owner, parley.NewUUID()
	n, err := db.sql.Exec(ctx, `
		update account_imports set
		  archive = '',
		  owner = ?
		where account_id = ? and owner = ?`, eraser, account, before)
	if err := requireOwnImport(n, err); err != nil {
		return err
	}
	if err := db.requireNoAccount(ctx, account); err != nil { // whose rows they would be
		return err
	}
	m.Owner, m.Archive = eraser, ""
	for _, agent := range append(slices.Clone(m.Agents), "") { // some rows may have no agent
		if err := db.eraseImported(ctx, m, agent); err != nil {
			return err
		}
	}
	return db.EndImport(ctx, m)
}

// eraseImported erases the rows of an agent, for as long as nobody else takes the import.
func (db *DB) eraseImported(ctx context.Context, m *ArchiveImport, agent parley.AgentID) error {
	ref := m.Account.AgentRef(agent)
	own := func(tx *DB) error { return tx.SaveImport(ctx, m) }
	for _, t := range archiveTables {
		h := erasableTable{table: t.Name, keyColumn: writtenAhead[t.Name], guard: own}
		if t.Name == "source_versions" {
			h.maxRows = maxEraseVersions
		}
		if h.keyColumn == "" {
			continue
		}
		if err := db.erase(ctx, h, ref, "", nil); err != nil {
			return err
		}
	}
	return db.erase(ctx, erasableTable{table: "ticket_words", keyColumn: "ticket_id", maxRows: maxEraseTickets,
		keyRepeats: true, guard: own}, ref, "", nil)
}

// InsertStep writes rows of a table that are written ahead, together with how far the import is.
func (a *ArchiveInsert) InsertStep(ctx context.Context, db *DB, t *ArchiveTable, rows [][]any, m *ArchiveImport) error {
	return db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		if err := tx.SaveImport(ctx, m); err != nil {
			return err
		}
		for some := range slices.Chunk(rows, MaxArchiveRows) {
			if err := a.Insert(ctx, tx, t, some); err != nil {
				return err
			}
		}
		return nil
	})
}
