package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/internal/store"
)

// Files keeps uploaded files in a folder, each below the beginning of its hash under the name of its hash: equal files lie there
// once. Several servers that share a database share no folder: with InDatabase the files lie in the database, and the folder
// holds only what is on its way.
type Files struct {
	Dir        string
	InDatabase bool

	// A file without a row is removed only while nobody is about to write a row of it.
	mu sync.RWMutex
}

const (
	incomingDir = "incoming" // where uploads lie that are not accepted yet
	diskPrefix  = "disk:"    // begins a place; the hash follows
	orphanAge   = time.Hour  // how old a file without a row must be that is removed: on another server its row may be on its way
)

// Incoming returns the folder that uploads are written to.
func (f *Files) Incoming() (string, error) {
	dir := filepath.Join(f.Dir, incomingDir)
	return dir, os.MkdirAll(dir, 0o700)
}

// moveToPlace moves a file to its place, and it is on disk when keep returns. Where it fails the file may lie there all the
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

func (f *Files) remove(place string) error {
	if err := os.Remove(f.path(place)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// listOld lists the files that have lain there for a while: those in their places, and uploads that were cut short.
func (f *Files) listOld(now time.Time) (places, left []string, err error) {
	err = filepath.WalkDir(f.Dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // no upload has come yet, or it has gone meanwhile
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		about, err := entry.Info()
		switch {
		case err != nil || now.Sub(about.ModTime()) < orphanAge:
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
