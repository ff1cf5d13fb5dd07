// Package archive writes an account to one file and reads it into an installation, another one or the same.
//
// An archive is a zip file. manifest.json describes it; records/TABLE.jsonl has a line for each row of a table, in an
// order of its own; files/HH/HASH has the bytes of each uploaded file and recording, by their SHA-256. Nothing in it
// says when or where it was made: the same account has the same bytes on every database. store.ArchiveTables lists
// what it holds, and store.ArchiveLeavesOut what it does not, with the reasons.
//
// An import writes its rows in steps, and those of the account and its agents last: until then nobody finds any of
// them. What was stopped is gone on with by the next import of the same archive, or taken back after a day.
package archive

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	format       = 1 // of archives; a program refuses those of a higher one
	manifestName = "manifest.json"
	databaseName = "parley.db"
	filesFolder  = "blobs" // in the data directory

	maxManifestBytes = 16 << 20
	maxRecordBytes   = 256 << 20 // of a line; the largest is a source with its text
)

// Installation is what an account is exported from, or imported into.
type Installation struct {
	Data        string           // data directory
	DatabaseURL string           // of PostgreSQL; empty for the SQLite file in the data directory
	Program     string           // the version of this program
	Now         func() time.Time // required
	Logger      *slog.Logger     // nil = slog.Default()
	MaxPages    int              // of a SQLite file that is written; 0 = no limit

	AllowAsyncCommit bool // take a PostgreSQL that may lose what was acknowledged

	// CheckAction refuses actions that nobody may define. nil checks none.
	CheckAction func(*parley.Action) error

	// OnProgress is told how far a step has come; may be nil.
	OnProgress func(step string, done, all int64)
}

// progressRows is after how many rows or files somebody is told of them.
const progressRows = 500

func (in *Installation) progress(step string, done, all int64) {
	if in.OnProgress != nil && (done%progressRows == 0 || done == all) {
		in.OnProgress(step, done, all)
	}
}

func (in *Installation) isPostgres() bool { return in.DatabaseURL != "" }

func (in *Installation) database() sqldb.Config {
	c := sqldb.Config{URL: in.DatabaseURL, Logger: in.Logger, Program: in.Program, MaxPages: in.MaxPages,
		AllowAsyncCommit: in.AllowAsyncCommit}
	if !in.isPostgres() {
		c.URL = in.inData(databaseName)
	}
	return c
}

func (in *Installation) files() *ingest.Files {
	return &ingest.Files{Dir: in.inData(filesFolder), InDatabase: in.isPostgres()}
}

// Manifest describes an archive.
type Manifest struct {
	Format  int              `json:"format"`
	Program string           `json:"program"` // the version that made it
	Schema  int64            `json:"schema"`  // the newest migration that it knew
	Account parley.AccountID `json:"account"`
	Records []Records        `json:"records"`
	Files   int              `json:"files"`             // uploaded files and recordings
	Missing []string         `json:"missing,omitempty"` // hashes of files that were gone before
	LeftOut []store.LeftOut  `json:"leftOut"`
}

// Records are the rows of a table.
type Records struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	Hash  string `json:"sha256"`
}

// Rows counts the rows of all tables.
func (m *Manifest) Rows() (n int64) {
	for _, r := range m.Records {
		n += r.Rows
	}
	return n
}

// RowsOf counts the rows of a table.
func (m *Manifest) RowsOf(table string) int64 {
	for _, r := range m.Records {
		if r.Table == table {
			return r.Rows
		}
	}
	return 0
}

func recordsName(table string) string { return "records/" + table + ".jsonl" }

func fileName(hash string) string { return "files/" + hash[:2] + "/" + hash }

var (
	hashPattern     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	fileNamePattern = regexp.MustCompile(`^files/([0-9a-f]{2})/([0-9a-f]{64})$`)
)

// hashOfFile returns the hash that the name of a file in an archive is made of.
func hashOfFile(name string) (hash string, ok bool) {
	m := fileNamePattern.FindStringSubmatch(name)
	if m == nil || !strings.HasPrefix(m[2], m[1]) {
		return "", false
	}
	return m[2], true
}

func decodeManifest(from io.Reader) (m *Manifest, text []byte, err error) {
	if text, err = io.ReadAll(io.LimitReader(from, maxManifestBytes+1)); err != nil {
		return nil, nil, err
	}
	if len(text) > maxManifestBytes {
		return nil, nil, fmt.Errorf("%s is too long", manifestName)
	}
	m = &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read: %w", manifestName, err)
	}
	return m, text, nil
}

// newestSchema is the newest migration that this program knows.
var newestSchema = sync.OnceValues(func() (int64, error) { return sqldb.NewestVersion(store.Migrations()) })

// checkVersion refuses an archive that a newer program has made.
func (m *Manifest) checkVersion() error {
	newest, err := newestSchema()
	if err != nil {
		return err
	}
	if m.Format > format || m.Schema > newest {
		return parley.NewErrorf(parley.CodeInvalidBody, "The archive was made by Parley %s, which is newer than this "+
			"program: install that version or a newer one.", m.Program)
	}
	if m.Format < 1 || m.Schema < 1 {
		return noArchive(fmt.Errorf("%s has no version", manifestName))
	}
	return nil
}
