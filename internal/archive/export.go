package archive

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"parley"
	"parley/internal/datadir"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func (in *Installation) inData(name string) string { return filepath.Join(in.Data, name) }

// unfinished ends the name of an archive that is being written.
const unfinished = ".unfinished"

// fileBatchSize is how many files are listed at once.
const fileBatchSize = 200

// Export writes an account to a file that does not exist yet, as it is at one moment, while a server runs or without
// one. An export that is cut short leaves no archive: what there is of it has another name, and the next one to the
// same file takes its place. Fails with ACCOUNT_NOT_FOUND.
func (in *Installation) Export(ctx context.Context, account parley.AccountID, path string) (_ *Manifest, err error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists already, and an archive overwrites nothing", path)
	}
	release, err := in.prepareExport(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	return in.exportAs(ctx, account, func(x *export) error { return x.writeFile(ctx, path) })
}

// ExportTo writes an account to a stream, as it is at one moment, out of a database that this process has open. Fails
// with ACCOUNT_NOT_FOUND before it has written anything. On SQLite the archive goes through a file: a slow reader would
// keep the log of the database from being put in order, and it would grow for as long.
func (in *Installation) ExportTo(ctx context.Context, account parley.AccountID, to io.Writer) (err error) {
	if in.isPostgres() {
		return in.exportStream(ctx, account, to)
	}
	dir, err := in.files().Incoming()
	if err != nil {
		return err
	}
	return writeThrough(ctx, dir, to, func(ctx context.Context, to io.Writer) (err error) {
		hold, err := datadir.HoldFiles(ctx, in.Data, lockTime)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, hold.Unlock()) }()
		return in.exportStream(ctx, account, to)
	})
}

func (in *Installation) exportStream(ctx context.Context, account parley.AccountID, to io.Writer) error {
	_, err := in.exportAs(ctx, account, func(x *export) error { return x.write(ctx, to) })
	return err
}

func (in *Installation) exportAs(ctx context.Context, account parley.AccountID, write func(*export) error) (
	_ *Manifest, err error) {
	snapshot, err := sqldb.OpenSnapshot(ctx, in.database())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	x := &export{in: in, db: store.New(snapshot.DB), manifest: Manifest{Format: format, Program: in.Program,
		Account: account, Records: []Records{}, LeftOut: store.ArchiveLeavesOut()}}
	if err := x.checkSchema(ctx, snapshot); err != nil {
		return nil, err
	}
	if _, err := x.db.Account(ctx, account); err != nil {
		return nil, err
	}
	return &x.manifest, write(x)
}

// prepareExport keeps uploaded files from being removed, and opens a SQLite database that no server has open, which
// puts its log in order.
func (in *Installation) prepareExport(ctx context.Context) (release func() error, err error) {
	if in.isPostgres() {
		return func() error { return nil }, nil
	}
	if err := datadir.CheckDatabase(in.inData(databaseName)); err != nil {
		return nil, err
	}
	if _, err := os.Stat(in.inData(databaseName)); err != nil {
		return nil, fmt.Errorf("there is no database to export from: %w", err)
	}
	hold, err := datadir.HoldFiles(ctx, in.Data, lockTime)
	if err != nil {
		return nil, err
	}
	lock, err := datadir.TryLock(in.Data, "parley archive export")
	if errors.Is(err, datadir.ErrLocked) { // a server has the database open, or another command
		return hold.Unlock, nil
	}
	if err != nil {
		return nil, errors.Join(err, hold.Unlock())
	}
	db, err := sqldb.Open(ctx, in.database())
	if err != nil {
		return nil, errors.Join(err, lock.Unlock(), hold.Unlock())
	}
	return func() error { return errors.Join(db.Close(), lock.Unlock(), hold.Unlock()) }, nil
}

// export is one export.
type export struct {
	in       *Installation
	db       *store.DB
	zip      *zip.Writer
	manifest Manifest
	rows     int64 // written so far
	allRows  int64
}

// checkSchema fails unless the database has the tables that this program knows.
func (x *export) checkSchema(ctx context.Context, snapshot *sqldb.Snapshot) error {
	schema, err := snapshot.Schema(ctx, store.Migrations())
	if err == nil && schema.Version != schema.Newest {
		err = errors.New("the database is not that of this version of Parley: start the server of this version once, or " +
			"use the version that runs")
	}
	x.manifest.Schema = schema.Version
	return err
}

// writeFile writes the archive under another name, and renames it when all of it is on disk.
func (x *export) writeFile(ctx context.Context, path string) error {
	temporary := path + unfinished
	if err := removeIfThere(temporary); err != nil {
		return cannotWrite(path, err)
	}
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return cannotWrite(path, err)
	}
	err = x.write(ctx, file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if _, err := os.Lstat(path); err == nil { // somebody was faster
		return errors.Join(fmt.Errorf("%s exists already", path), os.Remove(temporary))
	}
	return errors.Join(os.Rename(temporary, path), syncFolder(filepath.Dir(path)))
}

// cannotWrite returns the error of a file that cannot be written, by the name that was asked for.
func cannotWrite(path string, err error) error {
	if fault, ok := errors.AsType[*os.PathError](err); ok {
		err = &os.PathError{Op: fault.Op, Path: path, Err: fault.Err}
	}
	return fmt.Errorf("%w; name a file in a folder that is there and can be written to", err)
}

func syncFolder(dir string) error {
	folder, err := os.Open(dir) //nolint:gosec // the operator names it
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (x *export) write(ctx context.Context, to io.Writer) error {
	buffer := bufio.NewWriterSize(to, 1<<20)
	x.zip = zip.NewWriter(buffer)
	err := x.countRows(ctx)
	for _, t := range store.ArchiveTables() {
		if err == nil {
			err = x.writeTable(ctx, t)
		}
	}
	if err == nil {
		err = x.writeFiles(ctx)
	}
	if err == nil {
		err = x.writeManifest()
	}
	if err != nil {
		return err
	}
	return errors.Join(x.zip.Close(), buffer.Flush())
}

func (x *export) countRows(ctx context.Context) error {
	for _, t := range store.ArchiveTables() {
		n, err := x.db.CountArchiveRows(ctx, t, x.manifest.Account)
		if err != nil {
			return fmt.Errorf("count %s: %w", t.Name, err)
		}
		x.allRows += n
	}
	return nil
}

func (x *export) writeTable(ctx context.Context, t *store.ArchiveTable) error {
	to, err := x.zip.CreateHeader(&zip.FileHeader{Name: recordsName(t.Name), Method: zip.Deflate})
	if err != nil {
		return err
	}
	records, sum, encoder := Records{Table: t.Name}, sha256.New(), newRecordWriter()
	err = x.db.EachArchiveRow(ctx, t, x.manifest.Account, func(row []any) error {
		line, err := encoder.encode(t, row)
		if err != nil {
			return fmt.Errorf("%s with the key %v: %w", t.Name, keyOf(t, row), err)
		}
		records.Rows++
		records.Bytes += int64(len(line))
		sum.Write(line)
		x.rows++
		x.in.progress("rows", x.rows, x.allRows)
		_, err = to.Write(line)
		return errors.Join(err, ctx.Err())
	})
	records.Hash = hexOf(sum)
	x.manifest.Records = append(x.manifest.Records, records)
	return err
}

func hexOf(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// keyOf returns the values that distinguish a row.
func keyOf(t *store.ArchiveTable, row []any) (key []any) {
	for _, i := range t.Order {
		key = append(key, row[i])
	}
	return key
}

// writeFiles writes the uploaded files and recordings. One that is gone or damaged does not prevent the export of all
// others: the manifest says so.
func (x *export) writeFiles(ctx context.Context) error {
	all, err := x.db.CountArchivedFiles(ctx, x.manifest.Account)
	if err != nil {
		return err
	}
	for after, done := "", int64(0); ; {
		list, err := x.db.ArchivedFiles(ctx, x.manifest.Account, after, fileBatchSize)
		if err != nil {
			return err
		}
		for _, f := range list {
			after = f.Hash
			if err := errors.Join(x.writeFileOf(ctx, f), ctx.Err()); err != nil {
				return fmt.Errorf("file %s: %w", f.Hash, err)
			}
			done++
			x.in.progress("files", done, all)
		}
		if len(list) < fileBatchSize {
			return nil
		}
	}
}

func (x *export) writeFileOf(ctx context.Context, f store.ArchivedFile) error {
	sum := sha256.New()
	size, err := x.copyFile(ctx, f, sum) // before its beginning is in the archive
	isGone := errors.Is(err, os.ErrNotExist) || parley.IsCode(err, parley.CodeSourceNotFound)
	switch {
	case err != nil && !isGone:
		return err
	case isGone || size != f.Size || hexOf(sum) != f.Hash:
		x.manifest.Missing = append(x.manifest.Missing, f.Hash)
		return nil
	}
	to, err := x.zip.CreateHeader(&zip.FileHeader{Name: fileName(f.Hash), Method: zip.Store})
	if err != nil {
		return err
	}
	x.manifest.Files++
	_, err = x.copyFile(ctx, f, to)
	return err
}

// copyFile copies the bytes of a file from where they lie and returns their number.
func (x *export) copyFile(ctx context.Context, f store.ArchivedFile, to io.Writer) (size int64, err error) {
	if path, onDisk := x.in.files().PathOf(f.Location); onDisk {
		from, err := os.Open(path) //nolint:gosec // a path of ours
		if err != nil {
			return 0, err
		}
		size, err = io.Copy(to, from)
		return size, errors.Join(err, from.Close())
	}
	for part := 0; size < f.Size; part++ {
		bytes, err := x.db.BlobDataPart(ctx, f.Hash, part)
		if err != nil {
			return size, err
		}
		if len(bytes) == 0 {
			return size, os.ErrNotExist
		}
		n, err := to.Write(bytes)
		if size += int64(n); err != nil {
			return size, err
		}
	}
	return size, nil
}

func (x *export) writeManifest() error {
	to, err := x.zip.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(x.manifest, "", "  ")
	if err != nil {
		return err
	}
	_, err = to.Write(append(text, '\n'))
	return err
}
