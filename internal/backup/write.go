package backup

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// writer writes the files of a backup: into a folder, or from there into an archive.
type writer struct {
	dir      string // where the backup is made; its name does not look like that of a backup
	path     string // where it will be
	archive  *archive
	manifest Manifest
}

// archive is the one file that a backup is written to.
type archive struct {
	file *os.File
	gzip *gzip.Writer
	tar  *tar.Writer
}

const unfinished = ".unfinished"

func newWriter(folder string, asArchive bool, m Manifest) (*writer, error) {
	name := namePrefix + m.CreatedAt.Format(timeLayout)
	w := &writer{dir: filepath.Join(folder, "."+name+unfinished), path: filepath.Join(folder, name), manifest: m}
	if asArchive {
		w.path += archiveSuffix
	}
	if _, err := os.Lstat(w.path); err == nil {
		return nil, fmt.Errorf("%s exists already", w.path)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, cannotWrite(err)
	}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		return nil, cannotWrite(err)
	}
	if !asArchive {
		return w, nil
	}
	file, err := os.OpenFile(w.dir+archiveSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Join(err, w.remove())
	}
	zipped, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	w.archive = &archive{file, zipped, tar.NewWriter(zipped)}
	return w, err
}

func cannotWrite(err error) error { return fmt.Errorf("%w; name a folder that can be written to", err) }

// remove removes what there is of an unfinished backup.
func (w *writer) remove() error {
	err := os.RemoveAll(w.dir)
	if w.archive != nil {
		_ = w.archive.file.Close() // it may be closed already
		if removed := os.Remove(w.archive.file.Name()); !errors.Is(removed, os.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}

// create makes the file of a name in the folder where the backup is made, for addMade to take.
func (w *writer) create(name string) (*os.File, error) {
	path := w.pathOf(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

func (w *writer) pathOf(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// addMade adds a file that was made in the folder.
func (w *writer) addMade(name string) error {
	path := w.pathOf(name)
	size, hash, err := hashFile(path)
	if err != nil {
		return err
	}
	w.manifest.Files = append(w.manifest.Files, File{name, size, hash})
	if w.archive == nil {
		return syncPath(path)
	}
	if _, err := w.archive.add(name, path, size, w.manifest.CreatedAt); err != nil {
		return err
	}
	return os.Remove(path)
}

// errChanged says that an uploaded file is not what its name says.
var errChanged = errors.New("its content is not what was uploaded")

// addUpload adds an uploaded file whose name is its hash. It fails with fs.ErrNotExist where the file is gone, and with
// errChanged where it was damaged; the backup then has nothing, or what is left of it.
func (w *writer) addUpload(name, path, hash string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	var found string
	size := info.Size()
	if w.archive != nil {
		found, err = w.archive.add(name, path, size, w.manifest.CreatedAt)
	} else {
		found, size, err = w.copyUpload(name, path)
	}
	if err != nil {
		return err
	}
	w.manifest.Files = append(w.manifest.Files, File{name, size, found})
	if found != hash {
		return fmt.Errorf("%s: %w", path, errChanged)
	}
	return nil
}

// copyUpload copies a file into the folder of the backup and returns the hash of what it has read.
func (w *writer) copyUpload(name, path string) (hash string, size int64, err error) {
	from, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = from.Close() }() // it was only read
	to, err := w.create(name)
	if err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(to, sum), from)
	return hex.EncodeToString(sum.Sum(nil)), size, errors.Join(err, to.Sync(), to.Close())
}

// add writes a file into the archive and returns the hash of what it has read.
func (a *archive) add(name, path string, size int64, at time.Time) (hash string, err error) {
	from, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }() // it was only read
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: at}
	if err := a.tar.WriteHeader(header); err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(a.tar, sum), io.LimitReader(from, size)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// close ends the archive and has it written to disk.
func (a *archive) close() error {
	return errors.Join(a.tar.Close(), a.gzip.Close(), a.file.Sync(), a.file.Close())
}

// finish writes the manifest and puts the backup in its place: from then on it is one.
func (w *writer) finish() error {
	text, err := json.MarshalIndent(w.manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.pathOf(manifestName), append(text, '\n'), 0o600); err != nil {
		return err
	}
	if w.archive == nil {
		err = errors.Join(syncPath(w.pathOf(manifestName)), syncPath(w.dir), os.Rename(w.dir, w.path))
		return errors.Join(err, syncPath(filepath.Dir(w.path)))
	}
	_, err = w.archive.add(manifestName, w.pathOf(manifestName), int64(len(text))+1, w.manifest.CreatedAt)
	if err = errors.Join(err, w.archive.close()); err != nil {
		return err
	}
	err = errors.Join(os.Rename(w.archive.file.Name(), w.path), os.RemoveAll(w.dir))
	return errors.Join(err, syncPath(filepath.Dir(w.path)))
}

// syncPath has the disk write what it holds back of a file or a folder.
func syncPath(path string) error {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
