package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/datadir"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Files keeps uploaded files in a folder of the data directory, each below the beginning of its hash under the name of
// its hash: equal files lie there once. Several servers that share a database share no folder: with InDatabase the
// files lie in the database, and the folder holds only what is on its way.
type Files struct {
	Dir        string
	InDatabase bool

	// A file without a row is removed only while nobody is about to write a row of it.
	mu sync.RWMutex
}

const (
	incomingDir = "incoming" // where uploads lie that are not accepted yet
	diskPrefix  = "disk:"    // begins a place; the hash follows
	// how old a file without a row must be that is removed: on another server its row may be on its way
	orphanAge = time.Hour
)

// Incoming returns the folder that uploads are written to.
func (f *Files) Incoming() (string, error) {
	dir := filepath.Join(f.Dir, incomingDir)
	return dir, os.MkdirAll(dir, 0o700)
}

// Write writes the bytes of a file to where uploads lie. What is not accepted is for the caller to remove.
func (f *Files) Write(name string, content []byte) (File, error) {
	dir, err := f.Incoming()
	if err != nil {
		return File{}, err
	}
	to, err := os.CreateTemp(dir, "written-*")
	if err != nil {
		return File{}, err
	}
	_, err = to.Write(content)
	sum := sha256.Sum256(content)
	return File{Name: name, Path: to.Name(), Size: int64(len(content)), Hash: hex.EncodeToString(sum[:])},
		errors.Join(err, to.Close())
}

// moveToPlace moves a file to its place, and returns when it is on disk. Where it fails, the file may be there all the
// same.
func (f *Files) moveToPlace(path, place string) error {
	to := f.path(place)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := syncPath(path); err != nil {
		return err
	}
	if err := os.Rename(path, to); err != nil {
		return err
	}
	return errors.Join(syncPath(filepath.Dir(to)), syncPath(f.Dir))
}

// syncPath has the disk write what it holds back of a file or a folder.
func syncPath(path string) error {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func (f *Files) path(place string) string {
	hash := strings.TrimPrefix(place, diskPrefix)
	return filepath.Join(f.Dir, hash[:min(2, len(hash))], filepath.Base(hash))
}

// PathOf returns the path of the file at a place, if it is one in the folder.
func (f *Files) PathOf(place string) (path string, onDisk bool) {
	return f.path(place), strings.HasPrefix(place, diskPrefix)
}

func (f *Files) read(place string) ([]byte, error) { return os.ReadFile(f.path(place)) }

func (f *Files) readPart(place string, part int) (bytes []byte, err error) {
	file, err := os.Open(f.path(place))
	if err != nil {
		return nil, err
	}
	bytes = make([]byte, store.BlobPartBytes)
	n, err := file.ReadAt(bytes, int64(part)*store.BlobPartBytes)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes[:n], errors.Join(err, file.Close())
}

func (f *Files) remove(place string) error { return removeIfThere(f.path(place)) }

// listOld lists the files that have lain there for a while: those in their places, and uploads that were cut short.
func (f *Files) listOld(now time.Time) (places, left []string, err error) {
	err = filepath.WalkDir(f.Dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // no upload has come yet, or it has gone meanwhile
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		switch {
		case err != nil || now.Sub(info.ModTime()) < orphanAge:
			return nil //nolint:nilerr // a file that is gone is not old
		case filepath.Base(filepath.Dir(path)) == incomingDir:
			left = append(left, path)
		default:
			places = append(places, diskPrefix+entry.Name())
		}
		return nil
	})
	return places, left, err
}

// Keep writes the bytes of a file to its place in the folder, unless it is there, and reports whether it was not. The
// caller has compared the bytes with the hash; without a row the file does not stay.
func (f *Files) Keep(hash string, from io.Reader) (isNew bool, err error) {
	if info, err := os.Stat(f.path(hash)); err == nil && info.Mode().IsRegular() {
		return false, nil
	}
	dir, err := f.Incoming()
	if err != nil {
		return false, err
	}
	to, err := os.CreateTemp(dir, "written-*")
	if err != nil {
		return false, err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err == nil {
		err = f.moveToPlace(to.Name(), diskPrefix+hash)
	}
	if err != nil {
		return false, errors.Join(err, removeIfThere(to.Name()))
	}
	return true, nil
}

// Drop removes a file that Keep has written and no row names.
func (f *Files) Drop(hash string) error { return removeIfThere(f.path(hash)) }

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// StoreFiles moves files from their paths to their places, which it notes in the blobs, and then has their rows
// written; without the rows they do not stay.
func (s *Service) StoreFiles(ctx context.Context, paths []string, blobs []*store.Blob,
	write func(tx *store.DB) error) (err error) {
	if s.Files.InDatabase {
		return s.storeInDatabase(ctx, paths, blobs, write)
	}
	s.Files.mu.RLock()
	var locations []string
	for i, blob := range blobs {
		blob.Location = s.Files.PlaceOf(blob.Hash)
		locations = append(locations, blob.Location)
		if err = s.Files.moveToPlace(paths[i], blob.Location); err != nil {
			err = fmt.Errorf("keep a file: %w", err)
			break
		}
	}
	if err == nil {
		err = s.DB.Transact(ctx, sqldb.Bulk, write)
	}
	s.Files.mu.RUnlock()
	if err != nil {
		s.removeUnused(context.WithoutCancel(ctx), locations)
	}
	return err
}

// storeInDatabase writes the bytes of files and their rows in one transaction: without the rows they do not stay.
func (s *Service) storeInDatabase(ctx context.Context, paths []string, blobs []*store.Blob,
	write func(tx *store.DB) error) error {
	for _, blob := range blobs {
		blob.Location = s.Files.PlaceOf(blob.Hash)
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for i, blob := range blobs {
			if err := writeBlobData(ctx, tx, paths[i], blob.Hash); err != nil {
				return err
			}
		}
		return write(tx)
	})
}

func writeBlobData(ctx context.Context, tx *store.DB, path, hash string) (err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return tx.PutBlobData(ctx, hash, file)
}

// WithUnusedFileRemoval returns a handler that calls erase, for a job whose key is an agent's id, and then removes the
// files of the agent that nothing uses any more.
func (s *Service) WithUnusedFileRemoval(erase jobs.Handler) jobs.Handler {
	return func(ctx context.Context, job jobs.Job) error {
		if err := erase(ctx, job); err != nil {
			return err
		}
		return s.RemoveUnusedFiles(ctx, job.AccountID.AgentRef(parley.AgentID(job.Key)))
	}
}

// DataPrefix begins the place of a file whose bytes are in the database; the hash follows.
const DataPrefix = "data:"

// PlaceOf returns where the bytes of an accepted file of that hash lie.
func (f *Files) PlaceOf(hash string) string {
	if f.InDatabase {
		return DataPrefix + hash
	}
	return diskPrefix + hash
}

// errNoBytes is a file that is gone, as fs.ErrNotExist says of one on disk.
var errNoBytes = fmt.Errorf("its bytes are not in the database: %w", fs.ErrNotExist)

// FileBytes returns the bytes of a stored file. Fails with fs.ErrNotExist where they are gone.
func (s *Service) FileBytes(ctx context.Context, blob *store.Blob) ([]byte, error) {
	hash, ok := strings.CutPrefix(blob.Location, DataPrefix)
	if !ok {
		return s.Files.read(blob.Location)
	}
	data, err := s.DB.BlobData(ctx, hash, blob.Size)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, errNoBytes
	}
	return data, err
}

// FilePart reads one part of a file from where it lies, counted from 0: store.BlobPartBytes bytes, and fewer at the
// end; none behind it.
func (s *Service) FilePart(ctx context.Context, blob *store.Blob, part int) ([]byte, error) {
	if part < 0 || int64(part)*store.BlobPartBytes >= blob.Size {
		return nil, nil
	}
	hash, ok := strings.CutPrefix(blob.Location, DataPrefix)
	if !ok {
		return s.Files.readPart(blob.Location, part)
	}
	data, err := s.DB.BlobDataPart(ctx, hash, part)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, errNoBytes
	}
	return data, err
}

// sweepDatabaseFiles erases bytes that no row names: of sources that were erased when the server stopped.
func (s *Service) sweepDatabaseFiles(ctx context.Context) error {
	for {
		loose, err := s.DB.OrphanedBlobData(ctx, DataPrefix)
		if err != nil || len(loose) == 0 {
			return err
		}
		for _, hash := range loose {
			if err := s.DB.EraseUnusedBlobData(ctx, hash, DataPrefix+hash); err != nil {
				return err
			}
		}
	}
}

const fileSweepInterval = time.Hour

// RunFileSweeper removes now and then what a crash has left of uploads, until ctx is done.
func (s *Service) RunFileSweeper(ctx context.Context) error {
	return jobs.RunEvery(ctx, fileSweepInterval, s.logger(), "remove what is left of uploads", s.SweepFiles)
}

// SweepFiles removes files that have lain for an hour without a row, and uploads that were cut short as long ago.
func (s *Service) SweepFiles(ctx context.Context) error {
	if s.Files == nil {
		return nil
	}
	places, left, err := s.Files.listOld(s.Now())
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	s.removeUnused(ctx, places)
	return errors.Join(err, s.sweepDatabaseFiles(ctx))
}

// RemoveUnusedFiles removes the files of an agent that nothing needs any more.
func (s *Service) RemoveUnusedFiles(ctx context.Context, ref parley.AgentRef) error {
	for s.Files != nil {
		places, err := s.DB.EraseOrphanedBlobs(ctx, ref)
		if err != nil || len(places) == 0 {
			return err
		}
		s.removeUnused(ctx, places)
	}
	return nil
}

// WithAgentFileRemoval returns a handler that calls erase, for a job whose key is an agent's id, and then removes the
// agent's files.
func (s *Service) WithAgentFileRemoval(erase jobs.Handler) jobs.Handler {
	return func(ctx context.Context, job jobs.Job) error {
		places, err := s.DB.BlobLocations(ctx, job.AccountID.AgentRef(parley.AgentID(job.Key)))
		if err != nil {
			return err
		}
		err = erase(ctx, job)
		if err == nil && s.Files != nil {
			s.removeUnused(ctx, places)
		}
		return err
	}
}

// removeUnused removes the files at places that no row names. What cannot be removed now is swept later.
func (s *Service) removeUnused(ctx context.Context, places []string) {
	for _, place := range places {
		if err := s.removeIfUnused(ctx, place); err != nil {
			s.logger().Warn("remove a file", "place", place, "err", err)
		}
	}
}

func (s *Service) removeIfUnused(ctx context.Context, place string) error {
	if hash, ok := strings.CutPrefix(place, DataPrefix); ok {
		return s.DB.EraseUnusedBlobData(ctx, hash, place)
	}
	s.Files.mu.Lock()
	defer s.Files.mu.Unlock()
	used, err := s.DB.IsLocationUsed(ctx, place)
	if err != nil || used {
		return err
	}
	// While a backup is made, the file stays: the database may have named it when that began. It is swept later.
	lock, err := datadir.LockFilesForRemoval(filepath.Dir(s.Files.Dir))
	switch {
	case errors.Is(err, datadir.ErrLocked):
		return nil
	case err != nil:
		return err
	}
	return errors.Join(s.Files.remove(place), lock.Unlock())
}
