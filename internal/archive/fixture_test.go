package archive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/archive"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

// account is the id of the account that tests move.
const account = parley.AccountID("0b9c1a52-5a4e-4e0e-9a52-3f3f6f1f0a01")

// installation is a database with a folder.
type installation struct {
	*archive.Installation
	t  testing.TB
	db *store.DB // that stays open; nil if each step opens it for itself
}

// newInstallation returns an installation without an account; url is empty for SQLite.
func newInstallation(t testing.TB, url string) *installation {
	t.Helper()
	in := openInstallation(t.TempDir(), url)
	if url == "" {
		dbs.WriteMigratedSQLite(t, filepath.Join(in.Data, "parley.db"))
	}
	return &installation{Installation: in, t: t}
}

func openInstallation(data, url string) *archive.Installation {
	return &archive.Installation{Data: data, DatabaseURL: url, Program: "1.2.3", Now: clock.New().Now,
		Logger: slog.New(slog.DiscardHandler), CheckAction: actions.ValidateAction}
}

// open opens the database for as long as do runs: an import needs it for itself.
func (in *installation) open(do func(db *store.DB)) {
	in.t.Helper()
	if in.db != nil {
		do(in.db)
		return
	}
	db := in.openStore()
	defer func() { check.Must(in.t, db.Close()) }()
	do(db)
}

func (in *installation) openStore() *store.DB {
	in.t.Helper()
	url := in.DatabaseURL
	if url == "" {
		url = filepath.Join(in.Data, "parley.db")
	}
	db, err := store.Open(in.t.Context(), sqldb.Config{URL: url, Logger: in.Logger})
	check.Must(in.t, err)
	return db
}

// keepOpen opens the database until the test ends, for many imports into PostgreSQL.
func (in *installation) keepOpen() {
	in.t.Helper()
	in.db = in.openStore()
	in.t.Cleanup(func() { check.Must(in.t, in.db.Close()) })
}

// export exports the account and returns the path and the bytes of the archive.
func (in *installation) export(id parley.AccountID) (path string, bytes []byte) {
	in.t.Helper()
	path = filepath.Join(in.t.TempDir(), "account.zip")
	_, err := in.Export(in.t.Context(), id, path)
	check.Must(in.t, err)
	bytes, err = os.ReadFile(path)
	check.Must(in.t, err)
	return path, bytes
}

func (in *installation) importFrom(path string, o archive.Options) (*archive.Imported, error) {
	o.Actor = "operator"
	if in.db != nil {
		return in.ImportInto(in.t.Context(), in.db, path, o)
	}
	return in.Import(in.t.Context(), path, o)
}

// counts returns how many rows each table has, those that archives hold and the audit log, and the names of the files.
func (in *installation) counts() string {
	in.t.Helper()
	files, err := filepath.Glob(filepath.Join(in.Data, "blobs", "??", "*"))
	check.Must(in.t, err)
	return in.rowCounts() + strings.Join(files, "\n")
}

func (in *installation) rowCounts() string {
	in.t.Helper()
	var out strings.Builder
	in.open(func(db *store.DB) {
		for _, name := range append(slices.Clone(besides), tableNames()...) {
			n, err := sqldb.One(in.t.Context(), db.SQL(), sqldb.Column[int], `select count(*) from `+name)
			check.Must(in.t, err)
			fmt.Fprintln(&out, name, n)
		}
	})
	return out.String()
}

// besides are tables that an import writes besides those of archives.
var besides = []string{"account_imports", "audit_events", "jobs", "ticket_words", "blob_data"}

func tableNames() (names []string) {
	for _, t := range store.ArchiveTables() {
		names = append(names, t.Name)
	}
	return names
}

// seeder fills every table that archives hold with rows of one account. Row i of a table names row i of another.
type seeder struct {
	in   *installation
	rows int // of each table
	more int // messages besides, in the first conversation
}

// seed fills the installation with an account that has rows in every table.
func (in *installation) seed(rows, moreMessages int) {
	in.t.Helper()
	s := &seeder{in, rows, moreMessages}
	insert := &store.ArchiveInsert{Account: account, Now: in.Now(), PlaceOf: s.files().PlaceOf,
		NewSecret: func() string { return strings.Repeat("5", 64) }}
	in.open(func(db *store.DB) {
		s.putFiles(db)
		check.Must(in.t, db.Transact(in.t.Context(), sqldb.Bulk, func(tx *store.DB) error {
			for _, t := range store.ArchiveTables() {
				for i := range s.count(t) {
					if err := insert.Insert(in.t.Context(), tx, t, [][]any{s.row(t, i)}); err != nil {
						return fmt.Errorf("row %d of %s: %w", i, t.Name, err)
					}
				}
			}
			return nil
		}))
	})
}

func (s *seeder) files() *ingest.Files {
	return &ingest.Files{Dir: filepath.Join(s.in.Data, "blobs"), InDatabase: s.in.DatabaseURL != ""}
}

func (s *seeder) putFiles(db *store.DB) {
	for i := range s.rows {
		hash, content := fileOf(i)
		if s.in.DatabaseURL != "" {
			check.Must(s.in.t, db.PutBlobData(s.in.t.Context(), hash, bytes.NewReader(content)))
			continue
		}
		_, err := s.files().Keep(hash, bytes.NewReader(content))
		check.Must(s.in.t, err)
	}
}

func fileOf(i int) (hash string, content []byte) {
	content = bytes.Repeat(fmt.Appendf(nil, "file %d\n", i), 1000)
	return hashOf(content), content
}

func (s *seeder) count(t *store.ArchiveTable) int {
	switch t.Name {
	case "accounts":
		return 1
	case "memberships":
		return s.rows - 1 // the last user has left the account
	case "messages":
		return s.rows + s.more
	}
	return s.rows
}

var messageTemplate = string(parley.NewMessageID())

// rowID is the id of a row: tickets have that of their conversation, as those have that come of one.
func (s *seeder) rowID(table string, i int) string {
	switch table {
	case "accounts":
		return string(account)
	case "tickets":
		table = "conversations"
	}
	template := "0b9c1a52-5a4e-4e0e-9a52-3f3f6f1f0a02"
	switch table {
	case "agents":
		template = "abcdefghijklmnopqrstu"
	case "messages":
		if i == 1 {
			return "msg-of.another_Service" // it has come with a conversation that was taken over
		}
		template = messageTemplate
	case "conversations", "turns":
		template = "0192e4a0-0000-7000-8000-000000000000"
	}
	return parley.DeriveID(fmt.Appendf(nil, "%s %d", table, i), template)
}

func (s *seeder) row(t *store.ArchiveTable, i int) []any {
	row := make([]any, len(t.Columns))
	for k, c := range t.Columns {
		row[k] = s.value(t, c, i)
	}
	return row
}

// special are values that a row must have to be archived or to be one that there can be.
func (s *seeder) special(t *store.ArchiveTable, c store.ArchiveColumn, i int) (value any, ok bool) {
	switch t.Name + "." + c.Name {
	case "sources.parent_id", "agents.v1", "visitors.merged_into":
		return nil, true
	case "sources.status":
		return string(parley.SourceTrained), true
	case "turns.state":
		return "done", true
	case "blobs.size":
		_, content := fileOf(i)
		return int64(len(content)), true
	case "conversation_insights.terms": // JSON, or empty
		return "", true
	case "settings.value":
		return "30", true
	case "messages.seq":
		return int64(i + 1), true
	case "users.email":
		return fmt.Sprintf("kim-%d@shop.example", i), true
	case "messages.parts":
		return `[{"type":"text","text":"Is it <open> \u00e4 & where?"},{"type":"file","file":{"id":"` +
			s.rowID("attachments", s.named(i)) + `","name":"a.txt","mediaType":"text/plain","size":1}}]`, true
	case "messages.about":
		return `{"eventType":"assign","doneBy":"` + s.rowID("users", s.named(i)) + `","assignedTo":"` +
			s.rowID("users", s.named(i)) + `","to":"high"}`, true
	case "messages.citations":
		return `[{"sourceId":"` + s.rowID("sources", s.named(i)) + `","name":"N","versionHash":"v","start":0,"end":1}]`, true
	case "saved_views.filter":
		return `{"view":"all","agentId":"` + s.rowID("agents", i) + `","memberId":"` + s.rowID("users", i) + `"}`, true
	case "tickets.routed":
		return `{"team":"` + s.rowID("teams", i) + `","assignee":"` + s.rowID("users", i) + `","why":"rule"}`, true
	case "credit_ledger.turn_id", "tool_calls.turn_id":
		return s.rowID("turns", i), true
	case "turns.message_id", "tool_calls.message_id":
		return s.rowID("messages", i), true
	case "leads.conversation_id":
		return s.rowID("conversations", i), true
	case "source_versions.blob_id":
		return s.rowID("blobs", i), true
	case "agent_versions.actor", "conversations.ended_by":
		return s.rowID("users", i), true
	case "conversations.parent_id":
		return s.rowID("conversations", i), true
	}
	return webhookValue(t.Name+"."+c.Name, i)
}

// webhookValue returns a value of a webhook. Those with an even number are channels.
func webhookValue(column string, i int) (value any, ok bool) {
	events := parley.WebhookEvents()
	if i%2 == 0 {
		events = parley.ChannelEvents()
	}
	switch {
	case column == "webhooks.events":
		text, _ := json.Marshal(events)
		return string(text), true
	case column == "webhooks.channel" && i%2 == 0:
		channels := parley.MessengerChannels()
		return string(channels[i%len(channels)]), true
	case column == "webhooks.channel", column == "webhooks.name" && i%2 == 1:
		return nil, true
	}
	return slaValue(column, i)
}

// slaValue returns a value of the targets of a ticket. All but the second ticket have missed both.
func slaValue(column string, i int) (value any, ok bool) {
	switch column {
	case "tickets.first_reply_breached_at":
		return nil, i == 1
	case "tickets.breach_at":
		return nil, i != 1
	}
	return nil, false
}

// ruledValue returns a value that holds to the rules for rows of an archive, for a column that has some.
func ruledValue(column string, i int) (value any, ok bool) {
	switch column {
	case "accounts.time_zone":
		return "Europe/Berlin", true
	case "agents.temp":
		return 0.1 + float64(i%3)/4, true
	case "webhooks.endpoint":
		return fmt.Sprintf("https://shop.example/hooks/%d", i), true
	case "actions.kind":
		return string(parley.ActionClient), true
	case "sources.url", "crawl_pages.url":
		return fmt.Sprintf("https://shop.example/%d", i), true
	case "routing_rules.key", "routing_rules.name":
		return fmt.Sprintf("rule-%d", i), true
	case "actions.key", "actions.name":
		return fmt.Sprintf("action-%d", i), true
	case "blobs.media_type":
		return "image/png", true
	case "ticket_statuses.is_default", "teams.is_default":
		return int64(1), true
	case "tickets.is_open":
		categories := parley.StatusCategories()
		if categories[i%len(categories)].IsOpen() {
			return int64(1), true
		}
		return int64(0), true
	case "voice_sessions.state":
		return "ended", true
	}
	return nil, false
}

// named is the number of the rows that row i names.
func (s *seeder) named(i int) int {
	if i >= s.rows {
		return 0
	}
	return i
}

func (s *seeder) value(t *store.ArchiveTable, c store.ArchiveColumn, i int) any {
	if value, ok := s.special(t, c, i); ok {
		return value
	}
	if value, ok := ruledValue(t.Name+"."+c.Name, i); ok {
		return value
	}
	switch {
	case c.References != "" && c.Kind != store.ArchiveAgent:
		return s.rowID(c.References, s.named(i))
	case c.Values != nil:
		return c.Values[i%len(c.Values)]
	}
	return s.plainValue(t, c, i)
}

func (s *seeder) plainValue(t *store.ArchiveTable, c store.ArchiveColumn, i int) any {
	switch c.Kind {
	case store.ArchiveID, store.ArchiveMessage:
		return s.rowID(t.Name, i)
	case store.ArchiveID0, store.ArchiveMessage0:
		return ""
	case store.ArchiveAgent:
		return store.RecordingDaysPrefix + s.rowID("agents", i)
	case store.ArchiveHash:
		hash, _ := fileOf(i)
		return hash
	case store.ArchiveObject, store.ArchiveJSON:
		return `{}`
	case store.ArchiveArray:
		return `[]`
	case store.ArchiveReal:
		return 0.1 + float64(i)/3
	case store.ArchiveFlag:
		return int64(i % 2)
	case store.ArchiveNat32:
		return int64(i + 1)
	case store.ArchiveNat, store.ArchiveInt, store.ArchiveTime:
		return int64(1_790_000_000_000 + i)
	case store.ArchiveDay:
		return time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	case store.ArchiveMonth:
		return time.Date(2026, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
	case store.ArchiveText, store.ArchiveWho:
	}
	return fmt.Sprintf("%s %s %d \u00e4\n<&>\u2028", t.Name, c.Name, i)
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
