package archive

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	maxStepRows  = 200     // that a step writes: others who write wait for it
	maxStepBytes = 4 << 20 // after which a step is written, of texts

	stepTickets = "ticket_words" // behind the tables
	stepFiles   = "blob_data"    // behind the tickets
)

// findUnfinished looks for an import of the same archive that was stopped, and goes on with its ids.
func (im *importer) findUnfinished(ctx context.Context) error {
	im.state = store.ArchiveImport{Archive: im.fingerprint(), Owner: hex.EncodeToString(randomBytes()),
		StartedAt: im.insert.Now, UpdatedAt: im.insert.Now}
	salt := randomBytes()
	stopped, err := im.db.UnfinishedImport(ctx, im.state.Archive)
	if err != nil {
		return err
	}
	if stopped != nil {
		if salt, err = hex.DecodeString(stopped.Salt); err != nil {
			return err
		}
		im.state.Users = stopped.Users
	}
	if im.o.NewIDs {
		im.ids.salt, im.state.Salt = salt, hex.EncodeToString(salt)
	}
	im.insert.Account = parley.AccountID(im.ids.of(string(im.f.manifest.Account)))
	im.state.Account = im.insert.Account
	return nil
}

// fingerprint is the same for imports that write the same rows.
func (im *importer) fingerprint() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%d\n%t\n%s", im.in.Program, im.f.manifest.Schema, im.o.NewIDs, im.f.manifestText)
	return hexOf(sum)
}

// begin notes that the import writes from now on, where another one of the same rows was stopped from its place on.
// What one of the same account with other rows has left is taken back.
func (im *importer) begin(ctx context.Context) error {
	users := im.hashUsers()
	im.state.Agents = im.agentIDs
	if im.state.Users == users {
		stopped, err := im.db.TakeImport(ctx, im.state.Account, im.state.Archive, im.state.Owner, im.in.Now())
		if err != nil {
			return err
		}
		if stopped != nil {
			im.state = *stopped
			return nil
		}
	}
	im.state.Users, im.state.Step, im.state.Place = users, "", ""
	if err := im.db.TakeImportBack(ctx, im.state.Account, ""); err != nil {
		return err
	}
	return im.db.BeginImport(ctx, &im.state)
}

// hashUsers tells apart which users of the installation those of the archive are: somebody may have come meanwhile.
func (im *importer) hashUsers() string {
	sum := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(im.ids.users)) {
		_, _ = io.WriteString(sum, id+" "+im.ids.users[id]+"\n") // never fails
	}
	return hexOf(sum)
}

// write puts the files in their place and writes all rows.
func (im *importer) write(ctx context.Context) error {
	if err := im.begin(ctx); err != nil {
		return err
	}
	if !im.in.isPostgres() {
		if err := im.keepFiles(ctx); err != nil {
			return err
		}
	}
	im.rows = 0
	if err := im.writeAhead(ctx); err != nil {
		return err
	}
	if err := im.db.CheckArchiveReferences(ctx, im.state.Account, im.agentIDs, true); err != nil {
		return im.referenceError(err)
	}
	if err := im.checkCounters(ctx); err != nil {
		return err
	}
	if err := im.db.ReadArchiveRows(ctx, im.state.Account, im.agentIDs, true); err != nil {
		return damaged(err)
	}
	return im.writeLast(ctx)
}

// writeAhead writes in steps what is not found yet, from the place on where a stopped import was.
func (im *importer) writeAhead(ctx context.Context) error {
	for _, t := range store.ArchiveTables() {
		if !t.IsWrittenAhead() {
			continue
		}
		if im.isBehind(t.Name) {
			im.rows += im.f.manifest.RowsOf(t.Name)
			continue
		}
		if err := im.writeTableAhead(ctx, t); err != nil {
			return writeError(t, err)
		}
	}
	if err := im.indexTickets(ctx); err != nil {
		return err
	}
	if im.in.isPostgres() {
		return im.putFiles(ctx)
	}
	return nil
}

// isBehind reports whether the import has left a step behind it. The tables are steps in their order.
func (im *importer) isBehind(step string) bool {
	if im.state.Step == "" {
		return false
	}
	order := []string{}
	for _, t := range store.ArchiveTables() {
		order = append(order, t.Name)
	}
	order = append(order, stepTickets, stepFiles)
	return slices.Index(order, step) < slices.Index(order, im.state.Step)
}

// placeIn returns how far a step is; empty where it has not begun.
func (im *importer) placeIn(step string) string {
	if im.state.Step != step {
		return ""
	}
	return im.state.Place
}

// moveTo notes how far the import is, to be written with the rows.
func (im *importer) moveTo(step, place string) *store.ArchiveImport {
	im.state.Step, im.state.Place, im.state.UpdatedAt = step, place, im.in.Now()
	return &im.state
}

func (im *importer) writeTableAhead(ctx context.Context, t *store.ArchiveTable) error {
	passed, _ := strconv.ParseInt(im.placeIn(t.Name), 10, 64) // 0 if there is none
	var rows [][]any
	line, size := int64(0), 0
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		err := im.insert.InsertStep(ctx, im.db, t, rows, im.moveTo(t.Name, strconv.FormatInt(line, 10)))
		rows, size = rows[:0], 0
		return errors.Join(err, ctx.Err())
	}
	err := im.f.eachRow(t, func(row []any) error {
		line++
		im.countRow("import")
		if line <= passed {
			return ctx.Err()
		}
		if err := im.ids.apply(t, row); err != nil {
			return err
		}
		rows, size = append(rows, row), size+sizeOf(row)
		if len(rows) < maxStepRows && size < maxStepBytes {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return err
}

func sizeOf(row []any) (size int) {
	for _, v := range row {
		if text, ok := v.(string); ok {
			size += len(text)
		}
	}
	return size
}

// indexTickets builds the index of the tickets, agent by agent.
func (im *importer) indexTickets(ctx context.Context) error {
	if im.isBehind(stepTickets) {
		return nil
	}
	last, number, _ := strings.Cut(im.placeIn(stepTickets), " ")
	for _, agent := range im.agentIDs[max(0, slices.Index(im.agentIDs, parley.AgentID(last))):] {
		from := int64(0)
		if string(agent) == last {
			from, _ = strconv.ParseInt(number, 10, 64)
		}
		if err := helpdesk.IndexImported(ctx, im.db, im.state.Account.AgentRef(agent), from, func(tx *store.DB,
			number int64) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return tx.SaveImport(ctx, im.moveTo(stepTickets, string(agent)+" "+strconv.FormatInt(number, 10)))
		}); err != nil {
			return fmt.Errorf("index of tickets: %w", err)
		}
	}
	return nil
}

// putFiles puts the files into the database, where the rows that name them are already, in the order of their hashes.
func (im *importer) putFiles(ctx context.Context) error {
	last, done := im.placeIn(stepFiles), int64(0)
	for _, hash := range slices.Sorted(maps.Keys(im.f.files)) {
		if hash > last {
			if err := im.putFile(ctx, hash); err != nil {
				return fmt.Errorf("keep the file %s: %w", hash, err)
			}
		}
		done++
		im.in.progress("files", done, int64(len(im.f.files)))
	}
	return nil
}

func (im *importer) putFile(ctx context.Context, hash string) error {
	state := im.moveTo(stepFiles, hash)
	return im.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		from, err := im.f.files[hash].Open()
		if err != nil {
			return err
		}
		err = tx.PutBlobData(ctx, hash, from)
		if err := errors.Join(err, from.Close(), ctx.Err()); err != nil {
			return err
		}
		return tx.SaveImport(ctx, state)
	})
}

// keepFiles puts the files into the folder of the installation.
func (im *importer) keepFiles(ctx context.Context) error {
	files, done := im.in.files(), int64(0)
	for hash, z := range im.f.files {
		if err := errors.Join(keepFile(files, hash, z), ctx.Err()); err != nil {
			return fmt.Errorf("keep the file %s: %w", hash, err)
		}
		done++
		im.in.progress("files", done, int64(len(im.f.files)))
	}
	return nil
}

func keepFile(files *ingest.Files, hash string, z *zip.File) error {
	from, err := z.Open()
	if err != nil {
		return err
	}
	_, err = files.Keep(hash, from)
	return errors.Join(err, from.Close())
}

// abort says what an import that has come to an error leaves: one that was stopped can be gone on with, and of any
// other nothing stays.
func (im *importer) abort(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx.Err())
	}
	if parley.IsCode(err, parley.CodeTooManyRequests) { // the rows are those of another import
		return notImported(err)
	}
	left := im.db.TakeImportBack(ctx, im.state.Account, im.state.Owner)
	if left == nil {
		left = im.dropFiles(ctx)
	}
	if left != nil && im.in.Logger != nil { // a server takes it back later
		im.in.Logger.Warn("take back what was imported", "err", left)
	}
	return notImported(err)
}

// stopped says that an import was stopped, and can be gone on with.
func stopped(err error) error {
	return fmt.Errorf(`the import was stopped; "parley archive import" with the same archive goes on where it was: %w`,
		err)
}

// dropFiles takes away those files of the archive that no row names.
func (im *importer) dropFiles(ctx context.Context) (err error) {
	for hash := range im.f.files {
		err = errors.Join(err, im.dropFile(ctx, hash))
	}
	return err
}

func (im *importer) dropFile(ctx context.Context, hash string) error {
	files := im.in.files()
	place := files.PlaceOf(hash)
	switch {
	case im.in.isPostgres():
		return im.db.EraseUnusedBlobData(ctx, hash, place)
	case im.leavesFiles:
		return nil
	}
	used, err := im.db.IsLocationUsed(ctx, place)
	if err != nil || used {
		return err
	}
	return files.Drop(hash)
}

// stoppedImportAge is how long an import that was stopped can be gone on with.
const stoppedImportAge = 24 * time.Hour

// TakeOldImportsBack takes back what imports have written that were stopped a day ago and not gone on with.
func TakeOldImportsBack(ctx context.Context, db *store.DB, now time.Time) error {
	list, err := db.OldImports(ctx, now.Add(-stoppedImportAge), maxStepRows)
	for i := range list {
		err = errors.Join(err, db.TakeImportBack(ctx, list[i].Account, list[i].Owner))
	}
	return err
}
