package backup_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/backup"
	"parley/internal/datadir"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

func newInstallation(data, url string) *backup.Installation {
	return &backup.Installation{Data: data, DatabaseURL: url, Program: "1.2.3", Now: clock.New().Now,
		Logger: slog.New(slog.DiscardHandler)}
}

// exportRows returns every row of every table as text, in the order of the tables and of the texts.
func exportRows(t *testing.T, snapshot *sqldb.Snapshot) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, table := range listTables(t, snapshot) {
		row := `cast(t as text)`
		if snapshot.DB.Dialect() == sqldb.SQLite {
			row = `quote(` + strings.Join(table.Columns, `) || '|' || quote(`) + `)`
		}
		rows, err := sqldb.All(t.Context(), snapshot.DB, sqldb.Column[string], `select `+row+` from `+table.Name+` t`)
		check.Must(t, err)
		slices.Sort(rows)
		out.WriteString(table.Name + "\n" + strings.Join(rows, "\n") + "\n")
	}
	return out.Bytes()
}

// listTables lists the tables but for those that migrating writes, which hold when that was.
func listTables(t *testing.T, snapshot *sqldb.Snapshot) (tables []sqldb.Table) {
	t.Helper()
	if snapshot.DB.Dialect() == sqldb.Postgres {
		all, err := snapshot.Tables(t.Context())
		check.Must(t, err)
		return slices.DeleteFunc(all, func(t sqldb.Table) bool {
			return t.Name == "goose_db_version" || t.Name == "migration_readers"
		})
	}
	names, err := sqldb.All(t.Context(), snapshot.DB, sqldb.Column[string], `
		select name
		from sqlite_schema
		where type = 'table' and name not like 'sqlite_%'
		order by name`)
	check.Must(t, err)
	for _, name := range names {
		columns, err := sqldb.All(t.Context(), snapshot.DB, sqldb.Column[string],
			`select name from pragma_table_info(?) order by cid`, name)
		check.Must(t, err)
		tables = append(tables, sqldb.Table{Name: name, Columns: columns})
	}
	return tables
}

// exportOf opens the database of an installation and exports it.
func exportOf(t *testing.T, data, url string) []byte {
	t.Helper()
	if url == "" {
		url = filepath.Join(data, "parley.db")
	}
	snapshot, err := sqldb.OpenSnapshot(t.Context(), sqldb.Config{URL: url})
	check.Must(t, err)
	defer func() { check.Must(t, snapshot.Close()) }()
	return exportRows(t, snapshot)
}

// uploadFile makes a source of a file and returns its id.
func uploadFile(t *testing.T, s *testkit.Server, agent, name, content string) string {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	check.Must(t, err)
	_, err = io.WriteString(part, content)
	check.Must(t, err)
	check.Must(t, form.Close())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v2/agents/"+agent+"/sources", &body)
	check.Must(t, err)
	req.Header.Set("Authorization", "Bearer "+s.Key)
	req.Header.Set("Content-Type", form.FormDataContentType())
	res, err := s.Client.Do(req)
	check.Must(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check.Must(t, err)
	var source struct{ ID string }
	testkit.Reply{Status: res.StatusCode, Header: res.Header, Body: text}.Decode(t, http.StatusCreated, &source)
	return source.ID
}

// load is conversations that go on until they are stopped. Every answer is told on answered, if anybody listens.
type load struct {
	answered chan struct{}
	stop     context.CancelFunc
	running  sync.WaitGroup
}

func startLoad(t *testing.T, s *testkit.Server, agent string) *load {
	ctx, stop := context.WithCancel(t.Context())
	l := &load{answered: make(chan struct{}), stop: stop}
	for range 4 {
		l.running.Go(func() {
			for ctx.Err() == nil {
				body := map[string]any{"message": "What is Parley?", "stream": false}
				if got := s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, body); got.Status != http.StatusOK {
					t.Errorf("a chat while the backup is made: %d %s", got.Status, got.Body)
					return
				}
				select {
				case l.answered <- struct{}{}:
				default:
				}
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

// end stops the conversations and waits for them.
func (l *load) end() {
	l.stop()
	l.running.Wait()
}

// await waits until so many answers have been acknowledged from now on.
func (l *load) await(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-l.answered:
		case <-time.After(time.Minute):
			t.Fatal("no answers any more")
		}
	}
}

// A backup that is made while conversations go on and a file is deleted is what the database was at one moment: each
// row, byte for byte, and each file that a row names. A server runs on what is restored from it.
func TestBackupUnderLoadIsItsSnapshot(t *testing.T) {
	for _, c := range []struct {
		name                  string
		onPostgres, asArchive bool
	}{{"sqlite", false, false}, {"sqlite, an archive", false, true}, {"postgres", true, false},
		{"postgres, an archive", true, true}} {
		t.Run(c.name, func(t *testing.T) { testBackupUnderLoad(t, c.onPostgres, c.asArchive) })
	}
}

func testBackupUnderLoad(t *testing.T, onPostgres, asArchive bool) {
	newURL := func() string {
		if !onPostgres {
			return ""
		}
		return dbs.SharedPostgres(t).NewStore(t)
	}
	data, url := t.TempDir(), newURL()
	s := testkit.Open(t, testkit.WithDatabase(data, url))
	agent := s.NewAgent(t, s.Key, "Parley is a server for support agents.")
	source := uploadFile(t, s, agent, "a.txt", "A file with enough text, which is deleted while the backup is made.")
	check.Must(t, s.FileRunner.WaitIdle(t.Context()))
	check.Must(t, s.Runner.WaitIdle(t.Context()))
	work := startLoad(t, s, agent)
	work.await(t, 8)

	lock, err := datadir.TryLock(data, "parley serve") // as a server holds it
	check.Must(t, err)
	defer func() { check.Must(t, lock.Unlock()) }()
	in := newInstallation(data, url)
	var want []byte
	in.OnSnapshot = func(snapshot *sqldb.Snapshot) error {
		want = exportRows(t, snapshot)
		work.await(t, 8)
		s.Do(t, "DELETE", "/agents/"+agent+"/sources/"+source, s.Key, nil).Decode(t, http.StatusOK, &struct{}{})
		return s.Runner.WaitIdle(t.Context())
	}
	stored, err := in.Write(t.Context(), t.TempDir(), asArchive)
	check.Must(t, err)
	work.end()
	if m := stored.Manifest; len(m.Missing) > 0 || m.Uploads() != map[bool]int{true: 0, false: 1}[onPostgres] {
		t.Errorf("missing %v, %d uploads", m.Missing, m.Uploads())
	}

	newData, newDatabase := filepath.Join(t.TempDir(), "new"), ""
	if onPostgres {
		newDatabase = dbs.SharedPostgres(t).NewDatabase(t)
	}
	_, err = newInstallation(newData, newDatabase).Restore(t.Context(), stored.Path, false)
	check.Must(t, err)
	if got := exportOf(t, newData, newDatabase); !bytes.Equal(got, want) {
		t.Errorf("the restored rows are not those of the snapshot: %s", firstDifference(got, want))
	}
	restored := testkit.Open(t, testkit.WithDatabase(newData, newDatabase))
	restored.Do(t, "GET", "/agents/"+agent+"/sources/"+source, s.Key, nil).Decode(t, http.StatusOK, &struct{}{})
	restored.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, map[string]any{"message": "What is Parley?",
		"stream": false}).Decode(t, http.StatusOK, &struct{}{})
	checkFiles(t, newData, restored.DB)
}

// checkFiles checks that each file that a row names lies in the data folder.
func checkFiles(t *testing.T, data string, db *store.DB) {
	t.Helper()
	check.Must(t, db.EachStoredFile(t.Context(), func(f store.StoredFile) {
		if !strings.HasPrefix(f.Location, "disk:") {
			return
		}
		if info, err := os.Stat(filepath.Join(data, "blobs", f.Hash[:2], f.Hash)); err != nil || info.Size() != f.Size {
			t.Errorf("a file that a row names: %v", err)
		}
	}))
}

// firstDifference returns the first line that differs.
func firstDifference(got, want []byte) string {
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			return gotLines[i] + "\ninstead of\n" + wantLines[i]
		}
	}
	return "their lengths differ"
}

// newStopped returns an installation that no server runs on, with an account.
func newStopped(t *testing.T) *backup.Installation {
	t.Helper()
	in := newInstallation(t.TempDir(), "")
	path := filepath.Join(in.Data, "parley.db")
	dbs.WriteMigratedSQLite(t, path)
	db, err := store.Open(t.Context(), sqldb.Config{URL: path})
	check.Must(t, err)
	dbs.CreateAccount(t, db, "standard", in.Now())
	check.Must(t, db.Close())
	return in
}

func TestDamagedBackupIsRefused(t *testing.T) {
	database := func(path string) string { return filepath.Join(path, "parley.db") }
	for _, c := range []struct {
		name      string
		asArchive bool
		damage    func(path string) error
		want      string
	}{
		{"a changed byte", false, func(path string) error { return flipByte(database(path), 5000) }, "another content"},
		{"a short file", false, func(path string) error { return os.Truncate(database(path), 4096) }, "4096 bytes instead"},
		{"a missing file", false, func(path string) error { return os.Remove(database(path)) }, "no such file"},
		{"no manifest", false, func(path string) error { return os.Remove(filepath.Join(path, "manifest.json")) },
			"is no backup of Parley"},
		{"a damaged archive", true, func(path string) error { return flipByte(path, 3000) }, "damaged"},
		{"half an archive", true, func(path string) error { return os.Truncate(path, 3000) }, "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored, err := newStopped(t).Write(t.Context(), t.TempDir(), c.asArchive)
			check.Must(t, err)
			check.Must(t, c.damage(stored.Path))
			in := newInstallation(t.TempDir(), "")
			_, err = in.Restore(t.Context(), stored.Path, false)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
			if left := listNames(t, in.Data); left != "parley.lock" {
				t.Errorf("left in the data folder: %s", left)
			}
		})
	}
}

// A backup of a database that this program does not know says which program restores it.
func TestBackupOfANewerDatabaseNamesItsProgram(t *testing.T) {
	from := newStopped(t)
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: filepath.Join(from.Data, "parley.db")})
	check.Must(t, err)
	for _, statement := range []string{`insert into goose_db_version (version_id, is_applied) values (9999, 1)`,
		`insert into migration_readers (version, reader, program) values (9999, 9999, '7.8.9')`} {
		_, err := db.Exec(t.Context(), statement)
		check.Must(t, err)
	}
	check.Must(t, db.Close())
	stored, err := from.Write(t.Context(), t.TempDir(), false)
	check.Must(t, err)
	_, err = newInstallation(t.TempDir(), "").Restore(t.Context(), stored.Path, false)
	if err == nil || !strings.Contains(err.Error(), "at version 9999") ||
		!strings.Contains(err.Error(), "Install Parley 7.8.9 or newer") {
		t.Errorf("the error is %v", err)
	}
}

func flipByte(path string, at int64) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[at] ^= 0xff
	return os.WriteFile(path, text, 0o600)
}

func listNames(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check.Must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// Data that are there stay unless the operator says otherwise, and then they are kept beside the restored ones.
func TestRestoreKeepsWhatIsThere(t *testing.T) {
	stored, err := newStopped(t).Write(t.Context(), t.TempDir(), false)
	check.Must(t, err)
	other := newStopped(t)
	before := exportOf(t, other.Data, "")
	_, err = other.Restore(t.Context(), stored.Path, false)
	if err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("the error is %v", err)
	}
	if !bytes.Equal(exportOf(t, other.Data, ""), before) {
		t.Error("the data were changed")
	}
	done, err := other.Restore(t.Context(), stored.Path, true)
	check.Must(t, err)
	if !bytes.Equal(exportOf(t, done.Replaced, ""), before) || bytes.Equal(exportOf(t, other.Data, ""), before) {
		t.Error("the data were not moved aside")
	}
}

func TestRestoreRefusesADatabaseInUse(t *testing.T) {
	stored, err := newStopped(t).Write(t.Context(), t.TempDir(), false)
	check.Must(t, err)
	url := dbs.SharedPostgres(t).NewStore(t)
	_, err = newInstallation(t.TempDir(), url).Restore(t.Context(), stored.Path, false)
	if err == nil || !strings.Contains(err.Error(), "of the kind sqlite") {
		t.Errorf("another kind of database: %v", err)
	}
	db := store.New(dbs.Open(t, url))
	dbs.CreateAccount(t, db, "standard", clock.New().Now())
	of := newInstallation(t.TempDir(), url)
	stored, err = of.Write(t.Context(), t.TempDir(), false)
	check.Must(t, err)
	_, err = of.Restore(t.Context(), stored.Path, false)
	if err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a database with an account: %v", err)
	}
	_, err = of.Restore(t.Context(), stored.Path, true)
	if err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a database with an account that was to be replaced: %v", err)
	}
	empty := newInstallation(t.TempDir(), dbs.SharedPostgres(t).NewDatabase(t))
	_, err = empty.Restore(t.Context(), stored.Path, true) // as the manual says for a server's own settings
	check.Must(t, err)
}

// A mistyped command makes no data directory.
func TestFailedRestoreMakesNoDataDirectory(t *testing.T) {
	stored, err := newStopped(t).Write(t.Context(), t.TempDir(), false)
	check.Must(t, err)
	check.Must(t, flipByte(filepath.Join(stored.Path, "parley.db"), 5000))
	for _, from := range []string{filepath.Join(t.TempDir(), "missing"), stored.Path} {
		data := filepath.Join(t.TempDir(), "data")
		if _, err := newInstallation(data, "").Restore(t.Context(), from, false); err == nil {
			t.Errorf("%s was restored", from)
		}
		if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %s the folder is there: %v", from, err)
		}
	}
}

func TestFolderOfBackupsNamesTheNewest(t *testing.T) {
	folder := t.TempDir()
	stored, err := newStopped(t).Write(t.Context(), folder, false)
	check.Must(t, err)
	_, err = newInstallation(t.TempDir(), "").Restore(t.Context(), folder, false)
	if err == nil || !strings.Contains(err.Error(), stored.Path) {
		t.Errorf("the error is %v", err)
	}
}

// An interrupted backup leaves nothing behind.
func TestInterruptedBackupIsRemoved(t *testing.T) {
	for _, asArchive := range []bool{false, true} {
		folder := t.TempDir()
		in := newStopped(t)
		ctx, stop := context.WithCancel(t.Context())
		in.OnSnapshot = func(*sqldb.Snapshot) error { stop(); return nil }
		if _, err := in.Write(ctx, folder, asArchive); err == nil {
			t.Error("it was made")
		}
		if left := listNames(t, folder); left != "" {
			t.Errorf("left: %s", left)
		}
	}
}

func TestScheduleMakesAndPrunesBackups(t *testing.T) {
	now := clock.New()
	in := newStopped(t)
	in.Now = now.Now
	s := &backup.Schedule{Installation: *in, Folder: filepath.Join(t.TempDir(), "backups"), Every: 24 * time.Hour, Keep: 2}
	runDue := func() int {
		t.Helper()
		check.Must(t, s.RunDue(t.Context()))
		list, err := s.List(t.Context(), s.Folder)
		check.Must(t, err)
		return len(list)
	}
	if n := runDue(); n != 1 {
		t.Errorf("%d backups at first", n)
	}
	now.Advance(23 * time.Hour)
	if n := runDue(); n != 1 {
		t.Errorf("%d backups before the next is due", n)
	}
	now.Advance(time.Hour)
	if n := runDue(); n != 2 {
		t.Errorf("%d backups when the next is due", n)
	}
	first := listNames(t, s.Folder)
	now.Advance(24 * time.Hour)
	if n := runDue(); n != 2 || listNames(t, s.Folder) == first {
		t.Errorf("%d backups, %s and then %s", n, first, listNames(t, s.Folder))
	}
}

// What the schedule says of itself is what happened: the newest backup, the next one, and why none was made.
func TestScheduleSaysHowItDoes(t *testing.T) {
	now := clock.New()
	in := newStopped(t)
	in.Now = now.Now
	s := &backup.Schedule{Installation: *in, Folder: filepath.Join(t.TempDir(), "backups"), Every: 24 * time.Hour, Keep: 2}
	if state := s.State(); state != (backup.State{}) {
		t.Errorf("before the first: %+v", state)
	}
	check.Must(t, s.RunDue(t.Context()))
	first := s.State()
	if first.Newest.IsZero() || first.Bytes == 0 || !first.Due.Equal(first.Newest.Add(s.Every)) || first.Error != "" {
		t.Errorf("after the first: %+v", first)
	}
	check.Must(t, s.RunDue(t.Context()))
	again := &backup.Schedule{Installation: *in, Folder: s.Folder, Every: s.Every, Keep: s.Keep}
	check.Must(t, again.RunDue(t.Context()))
	if state := again.State(); s.State() != first || !state.Newest.Equal(first.Newest) || state.Bytes != 0 {
		t.Errorf("when none is due: %+v, and of another process %+v", s.State(), state)
	}
	now.Advance(24 * time.Hour)
	folder := s.Folder
	s.Folder = filepath.Join(in.Data, "parley.db") // a file
	if err := s.RunDue(t.Context()); err == nil {
		t.Fatal("a backup was made in a file")
	}
	state := s.State()
	if !state.FailedAt.Equal(now.Now()) || state.Error == "" || strings.Contains(state.Error, in.Data) ||
		!state.Newest.Equal(first.Newest) {
		t.Errorf("after a failure: %+v", state)
	}
	s.Folder = folder
	check.Must(t, s.RunDue(t.Context()))
	if state := s.State(); state.Error != "" || !state.FailedAt.IsZero() || !state.Newest.After(first.Newest) {
		t.Errorf("after the next: %+v", state)
	}
}
