package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// uploadsFolder is the folder of uploaded files in the data directory.
const uploadsFolder = "blobs"

// blobName is the name of an uploaded file that was accepted: its hash.
var blobName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// checkDataFolder refuses a data directory whose database is empty or missing while the files that belong to it are
// there: a new database would not know them, and they would be removed.
func (c Config) checkDataFolder() error {
	if c.DatabaseURL != "" {
		return nil
	}
	info, err := os.Stat(c.Database())
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it reports better what is wrong
	}
	folder := filepath.Join(c.Data, uploadsFolder)
	found := false
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !blobName.MatchString(entry.Name()) {
			return nil //nolint:nilerr // a folder that cannot be read holds nothing that is known
		}
		found = true
		return fs.SkipAll
	})
	if found {
		return fmt.Errorf("%s is empty or missing, but %s holds files that were uploaded. "+
			"Restore the database from a backup; to begin with an empty one, move %s away first", c.Database(), folder, folder)
	}
	return err
}
