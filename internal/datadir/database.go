package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// UploadsFolder is the folder of uploaded files in the data directory.
const UploadsFolder = "blobs"

// uploadName is the name of an uploaded file that was accepted: its hash.
var uploadName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// LostDatabaseError says that a SQLite file is empty or missing, while the uploaded files that belong to it are there.
type LostDatabaseError struct{ File, Uploads string }

func (e *LostDatabaseError) Error() string {
	return fmt.Sprintf("%s is empty or missing, but %s holds files that were uploaded. Restore the database from a "+
		"backup (\"parley restore --help\"); to begin with an empty one, move %s away first", e.File, e.Uploads, e.Uploads)
}

// CheckDatabase fails with a LostDatabaseError where a new database would be made beside uploaded files: it would not
// know them, and they would be removed. It is called before a SQLite file is opened, which makes one that is not there.
func CheckDatabase(file string) error {
	info, err := os.Stat(file)
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it reports better what is wrong
	}
	if folder := filepath.Join(filepath.Dir(file), UploadsFolder); hasUploads(folder) {
		return &LostDatabaseError{file, folder}
	}
	return nil
}

// hasUploads reports whether a folder holds uploaded files. One that cannot be read holds nothing that is known.
func hasUploads(folder string) (found bool) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !uploadName.MatchString(entry.Name()) {
			return nil //nolint:nilerr // see above
		}
		found = true
		return fs.SkipAll
	})
	return found
}
