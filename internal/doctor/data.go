package doctor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/access"
	"parley/internal/backup"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/vault"
)

const restoreAdvice = "Stop the server and restore a backup: \"parley restore --help\"."

// checkDatabase checks that the database can be opened, lacks nothing that was acknowledged and is whole.
func (d *Doctor) checkDatabase(ctx context.Context, r *report) {
	if !d.isPostgres() && !d.isServing() {
		if err := sqldb.CheckFiles(d.Config.Database()); err != nil {
			r.fail("Do what the message says; the page \"Storage and backup\" of the manual has the steps.", "%v", err)
			return
		}
	}
	snapshot, err := d.openSnapshot(ctx)
	switch {
	case isMissing(err):
		r.warn("\"parley serve\" makes it at its first start.", "there is no database yet")
		return
	case err != nil && d.isPostgres():
		r.fail("Check that PostgreSQL runs, and the host, user, password and name in PARLEY_DATABASE_URL.",
			"the database cannot be reached: %v", err)
		return
	case err != nil:
		r.fail(restoreAdvice, "the database cannot be read: %v", err)
		return
	}
	defer func() { _ = snapshot.Close() }()
	damages, err := snapshot.Damages(ctx, d.Deep)
	if err != nil {
		damages = append(damages, err.Error())
	}
	for _, damage := range damages {
		r.fail(restoreAdvice, "the database is damaged: %s", damage)
	}
	if d.isPostgres() {
		checkPostgres(ctx, r, snapshot)
	}
	r.pass("%s, whole", snapshot.DB.Dialect())
}

const (
	minPostgres = 130000 // as server_version_num
	// spareConnections is how many connections should be left to PostgreSQL.
	spareConnections = 10
)

// checkPostgres checks what Parley asks of a PostgreSQL server.
func checkPostgres(ctx context.Context, r *report, snapshot *sqldb.Snapshot) {
	state, err := snapshot.PostgresState(ctx)
	if err != nil {
		r.fail("Report this as a fault of Parley.", "PostgreSQL does not say how it is: %v", err)
		return
	}
	if state.Version < minPostgres {
		r.warn("Use PostgreSQL 13 or newer.", "PostgreSQL %d is older than what Parley is tested with", state.Version/10000)
	}
	if state.IsAsync {
		r.fail("Set synchronous_commit to on, for the server or for this user.",
			"synchronous_commit is off: PostgreSQL may lose what was acknowledged, and Parley does not start")
	}
	if state.Connections > state.MaxConnections-spareConnections {
		r.warn("Raise max_connections, or let fewer programs use this server. Each Parley takes up to 22.",
			"%d of the %d connections of PostgreSQL are in use", state.Connections, state.MaxConnections)
	}
}

// checkSchema checks that this program and the database fit each other.
func (d *Doctor) checkSchema(ctx context.Context, r *report) {
	snapshot, err := d.openSnapshot(ctx)
	if err != nil {
		r.pass("not checked: there is no database that can be read")
		return
	}
	defer func() { _ = snapshot.Close() }()
	schema, err := snapshot.Schema(ctx, store.Migrations())
	if err != nil {
		r.fail(restoreAdvice, "the schema cannot be read: %v", err)
		return
	}
	for _, name := range schema.Changed {
		r.fail("Use the program that released this migration: this one was built from changed files.",
			"%s has changed since this database ran it", name)
	}
	switch {
	case schema.Advice != "":
		r.fail(schema.Advice+".", "the database is at version %d, and this program knows only %d: it belongs to a newer "+
			"program", schema.Version, schema.Newest)
	case schema.Version > schema.Newest:
		r.warn("Bring this program up to date as well when you can.", "the database is at version %d, and this program "+
			"knows %d: it can use it", schema.Version, schema.Newest)
	case schema.Version < schema.Newest:
		r.warn("Make a backup, then start the server: it brings the database up to date.",
			"the database is at version %d, and this program at %d", schema.Version, schema.Newest)
	}
	if schema.Version == schema.Newest {
		checkIndexes(ctx, r, snapshot)
	}
	r.pass("version %d", schema.Version)
}

// checkIndexes checks that the database has every index that its schema has.
func checkIndexes(ctx context.Context, r *report, snapshot *sqldb.Snapshot) {
	missing, err := snapshot.MissingIndexes(ctx, store.Migrations())
	if err != nil {
		r.fail(restoreAdvice, "the indexes of the database cannot be listed: %v", err)
		return
	}
	for _, i := range missing {
		r.fail("Stop the server, and run this on the database with sqlite3 or psql: "+i.Statement,
			"the index %s is missing: what is looked up in it takes long, or is not kept unique", i.Name)
	}
}

// checkFiles checks that every file that the database names is there and has its size, and with Deep its content.
func (d *Doctor) checkFiles(ctx context.Context, r *report) {
	files := &ingest.Files{Dir: d.Config.UploadsDir()}
	var total int
	var damaged []string
	d.read(ctx, r, func(db *store.DB) error {
		incomplete, err := db.CountIncompleteBlobData(ctx, ingest.DataPrefix)
		if err != nil {
			return err
		}
		if incomplete > 0 {
			r.fail(restoreAdvice, "%s in the database are not whole", countText(incomplete, "file", "files"))
		}
		return db.EachStoredFile(ctx, func(f store.StoredFile) {
			total++
			path, onDisk := files.PathOf(f.Location)
			if !onDisk {
				return
			}
			if err := d.checkFile(path, f); err != nil {
				damaged = append(damaged, err.Error())
			}
		})
	})
	if len(damaged) > 0 {
		const shown = 3
		r.fail("Put the files back from a backup, or delete the sources and messages that they belong to.",
			"%s missing or damaged: %s", countText(len(damaged), "uploaded file is", "uploaded files are"),
			strings.Join(damaged[:min(shown, len(damaged))], "; "))
	}
	r.pass("%s, all there", countText(total, "uploaded file", "uploaded files"))
}

// checkFile checks one uploaded file.
func (d *Doctor) checkFile(path string, f store.StoredFile) error {
	info, err := os.Stat(path)
	switch {
	case isMissing(err):
		return fmt.Errorf("%s is missing", path)
	case err != nil:
		return err
	case info.Size() != f.Size:
		return fmt.Errorf("%s has %d bytes instead of %d", path, info.Size(), f.Size)
	case !d.Deep:
		return nil
	}
	hash, err := hashFile(path)
	if err == nil && hash != f.Hash {
		err = fmt.Errorf("%s has another content than was uploaded", path)
	}
	return err
}

// hashFile returns the SHA-256 of a file, in hex.
func hashFile(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, file.Close())
}

// checkBackups checks that the server's schedule of backups is kept. Other ways of making them are not known here.
func (d *Doctor) checkBackups(ctx context.Context, r *report) {
	c := d.Config.BackupConfig
	if c.BackupTo == "" {
		r.pass("the server makes none by itself (PARLEY_BACKUP_TO); \"parley backup\" does")
		return
	}
	const advice = "Read the server's log for why, and try \"parley backup\" with that folder."
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	list, err := d.Config.NewBackups().List(ctx, c.BackupTo)
	switch {
	case err != nil && backup.IsBucket(c.BackupTo):
		r.fail("Check the bucket, and PARLEY_S3_ENDPOINT, PARLEY_S3_REGION and the key.", "%v", err)
	case err != nil:
		r.fail("Let the user of the server read and write the folder.", "the folder of backups cannot be read: %v", err)
	case len(list) == 0 && d.isServing():
		r.warn(advice, "there is no backup in %s yet", c.BackupTo)
	case len(list) > 0:
		newest := list[len(list)-1].CreatedAt
		if age := d.Config.Now().Sub(newest); age > 2*c.BackupEvery {
			r.fail(advice, "the newest backup in %s is %s old, and one is due every %s", c.BackupTo, age.Round(time.Minute),
				c.BackupEvery)
		}
	}
	if err == nil && !backup.IsBucket(c.BackupTo) {
		checkBackupFolder(r, c.BackupTo)
	}
	r.pass("%s in %s", countText(len(list), "backup", "backups"), c.BackupTo)
}

// checkBackupFolder checks that a backup could be written to a folder, which need not be there yet: it makes an empty
// folder in the one that is there, and removes it.
func checkBackupFolder(r *report, folder string) {
	present := filepath.Clean(folder)
	for _, err := os.Stat(present); isMissing(err) && filepath.Dir(present) != present; _, err = os.Stat(present) {
		present = filepath.Dir(present)
	}
	probe, err := os.MkdirTemp(present, ".parley-doctor-")
	if err == nil {
		err = os.Remove(probe)
	}
	if err != nil {
		r.fail("Let the user of the server make the folder and write there, or name another one with PARLEY_BACKUP_TO.",
			"no backup can be written to %s: %v", folder, err)
	}
}

// maxSecrets is how many secrets are tried.
const maxSecrets = 1000

// checkSecrets checks that the key of the settings opens what is sealed.
func (d *Doctor) checkSecrets(ctx context.Context, r *report) {
	key, err := vault.New(d.Config.SecretKey)
	if err != nil {
		r.pass("not checked: see the settings")
		return
	}
	d.read(ctx, r, func(db *store.DB) error {
		sealed, err := db.SealedSecrets(ctx, maxSecrets)
		if err != nil || len(sealed) == 0 {
			return err
		}
		if !key.HasKey() {
			r.fail("Set PARLEY_SECRET_KEY to the text that the server had before.", "%s sealed, and "+
				"PARLEY_SECRET_KEY is not set", countText(len(sealed), "secret is", "secrets are"))
			return nil
		}
		checkSealed(r, key, sealed)
		return nil
	})
	r.pass("every secret can be opened")
}

func checkSealed(r *report, key *vault.Vault, sealed []store.SealedSecret) {
	isUnopened := func(s store.SealedSecret) bool {
		_, err := key.Open(s.AccountID, s.Sealed)
		return err != nil
	}
	first := slices.IndexFunc(sealed, isUnopened)
	if first < 0 {
		return
	}
	unopened := len(slices.DeleteFunc(slices.Clone(sealed), func(s store.SealedSecret) bool { return !isUnopened(s) }))
	r.fail("Set PARLEY_SECRET_KEY to the text with which they were sealed, or enter the secrets again.",
		"%d of %s cannot be opened with this PARLEY_SECRET_KEY, first that of the %s %s", unopened,
		countText(len(sealed), "secret", "secrets"), sealed[first].Kind, sealed[first].OwnerID)
}

// checkPlans checks that every account has one of the plans.
func (d *Doctor) checkPlans(ctx context.Context, r *report) {
	plans, err := access.LoadPlans(d.Config.Plans)
	if err != nil {
		r.pass("not checked: see the settings")
		return
	}
	total := 0
	d.read(ctx, r, func(db *store.DB) error {
		accounts, err := db.Accounts(ctx)
		total = len(accounts)
		for _, a := range accounts {
			if _, known := plans.Plan(a.Plan); !known {
				r.fail("Add the plan to the file of PARLEY_PLANS, or choose another: parley account update "+string(a.ID)+
					" --plan NAME", "the account %s has the plan %q, which is not among the plans: it may do nothing", a.Name,
					a.Plan)
			}
		}
		return err
	})
	r.pass("%s, each with a plan", countText(total, "account", "accounts"))
}

const (
	// dueTime is how long what should happen at once may wait before it is reported.
	dueTime = 15 * time.Minute
	// deliveryTime is how long a delivery that was given up is reported.
	deliveryTime = 7 * 24 * time.Hour
)

// checkSources checks that agents can answer from their sources.
func (d *Doctor) checkSources(ctx context.Context, r *report) {
	d.read(ctx, r, func(db *store.DB) error {
		s, err := db.SourceState(ctx, d.Config.Now().Add(-dueTime))
		if s.Empty > 0 {
			r.fail("Train them again: change them in the console, or restore a backup.", "%s no passage that could be "+
				"found", countText(s.Empty, "live source has", "live sources have"))
		}
		if s.Failed > 0 {
			r.warn("\"parley source list --agent ID\" says why.", "%s could not be read",
				countText(s.Failed, "source", "sources"))
		}
		if s.Waiting > 0 && d.isServing() {
			r.warn("See the finding of the jobs and the server's log.", "%s waited for training for more than %s",
				countText(s.Waiting, "source has", "sources have"), dueTime)
		}
		return err
	})
	r.pass("every source can be found")
}

// eventReaders are the readers of the event log, with what lags when they are behind.
var eventReaders = map[string]string{"search": "the search of conversations", "insight": "insights",
	store.WebhookFollower: "webhooks"}

// checkIndex checks that what is made of the event log is up to date. Without a server it need not be.
func (d *Doctor) checkIndex(ctx context.Context, r *report) {
	d.read(ctx, r, func(db *store.DB) error {
		building, err := db.CountUnfinishedReindexing(ctx)
		if err != nil {
			return err
		}
		if building > 0 {
			r.warn("\"parley reindex\" continues it.", "the search index of %s is being built",
				countText(building, "account", "accounts"))
		}
		for name, lagging := range eventReaders {
			behind, err := db.CountAccountsBehind(ctx, name, d.Config.Now().Add(-dueTime))
			if err != nil {
				return err
			}
			if behind > 0 && d.isServing() {
				r.fail("Read the server's log, and start it again. Should the index not catch up: parley reindex",
					"in %s, the reader for %s is more than %s behind", countText(behind, "account", "accounts"), lagging, dueTime)
			}
			if behind > 0 && !d.isServing() {
				r.warn("Start the server: it catches up.", "in %s, the reader for %s is behind",
					countText(behind, "account", "accounts"), lagging)
			}
		}
		return nil
	})
	r.pass("up to date")
}

// checkJobs checks that work is done.
func (d *Doctor) checkJobs(ctx context.Context, r *report) {
	var depth jobs.Depth
	d.read(ctx, r, func(db *store.DB) (err error) {
		depth, err = (&jobs.Queue{Now: d.Config.Now}).Depth(ctx, db.SQL())
		if depth.Dead > 0 {
			r.warn("Read the server's log for why; changing or training the source again tries it again.",
				"%s given up", countText(depth.Dead, "job was", "jobs were"))
		}
		if depth.OldestDue > dueTime && d.isServing() {
			r.warn("Read the server's log. Should the processors be busy all the time, use a larger machine.",
				"a job has waited for %s", depth.OldestDue.Round(time.Second))
		}
		return err
	})
	r.pass("%d waiting, %d running", depth.Waiting, depth.Running)
}

// maxImports is how many imports of archives are counted.
const maxImports = 100

// checkImports checks that no import of an archive has stopped before its end: what it has written takes space.
func (d *Doctor) checkImports(ctx context.Context, r *report) {
	d.read(ctx, r, func(db *store.DB) error {
		stopped, err := db.OldImports(ctx, d.Config.Now().Add(-dueTime), maxImports)
		if len(stopped) > 0 {
			r.warn("Import the same archive again: it goes on where it was. Otherwise the server takes back after a day what "+
				"was written.", "%s stopped before the end", countText(len(stopped), "import of an archive has",
				"imports of archives have"))
		}
		return err
	})
	r.pass("none has stopped before its end")
}

// checkWebhooks checks that webhooks reach whoever they are for.
func (d *Doctor) checkWebhooks(ctx context.Context, r *report) {
	d.read(ctx, r, func(db *store.DB) error {
		dead, err := db.CountDeadDeliveries(ctx, d.Config.Now().Add(-deliveryTime))
		if dead > 0 {
			r.warn("\"parley webhook deliveries --state dead\" says why, and \"parley webhook redeliver\" sends them again.",
				"%s given up in the last %d days", countText(dead, "delivery to a webhook was", "deliveries to webhooks were"),
				deliveryTime/(24*time.Hour))
		}
		return err
	})
	r.pass("no delivery was given up lately")
}
