// Package backup copies an installation to a folder or an archive while a server runs on it, and puts it back.
//
// A backup is the database as it was at one moment, every uploaded file and recording that it names, and a manifest
// with the checksum of each. On SQLite the database is copied by SQLite's own means, page by page, within a transaction
// that reads. On PostgreSQL each table is copied in the text format of the command copy within one repeatable read
// transaction: any version of PostgreSQL reads it, and no other program is needed.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/sqldb"
)

const (
	format       = 1 // of backups; a program refuses those of a higher one
	manifestName = "manifest.json"
	databaseName = "parley.db"
	tablesFolder = "tables"
	filesFolder  = "blobs"

	namePrefix    = "parley-"
	archiveSuffix = ".tar.gz"
	timeLayout    = "20060102T150405Z"
)

// Manifest describes a backup. It is written last.
type Manifest struct {
	Format    int       `json:"format"`
	Program   string    `json:"program"` // the version that made it
	CreatedAt time.Time `json:"createdAt"`
	Database  string    `json:"database"`        // sqlite or postgres
	Schema    int64     `json:"schema"`          // the newest migration that the database had run
	Reader    int64     `json:"reader"`          // the lowest migration that a program must know to use it
	Needs     string    `json:"needs,omitempty"` // the version of the program that can restore it; empty if not known
	Tables    []Table   `json:"tables,omitempty"`
	Files     []File    `json:"files"`             // all files but the manifest
	Missing   []string  `json:"missing,omitempty"` // hashes of uploaded files that were gone before
}

// Table is a table of PostgreSQL.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
}

func (t Table) fileName() string { return tablesFolder + "/" + t.Name + ".copy" }

func (t Table) columns() sqldb.Table { return sqldb.Table{Name: t.Name, Columns: t.Columns} }

// File is a file of a backup.
type File struct {
	Name string `json:"name"` // with slashes
	Size int64  `json:"size"`
	Hash string `json:"sha256"`
}

// Bytes returns the size of all files.
func (m *Manifest) Bytes() (total int64) {
	for _, f := range m.Files {
		total += f.Size
	}
	return total
}

// Uploads counts the uploaded files and recordings that lie beside the database.
func (m *Manifest) Uploads() (n int) {
	for _, f := range m.Files {
		if strings.HasPrefix(f.Name, filesFolder+"/") {
			n++
		}
	}
	return n
}

// advice says which program can restore the backup.
func (m *Manifest) advice() string {
	if m.Needs == "" {
		return "Install the version that last ran on that database, or a newer one"
	}
	return "Install Parley " + m.Needs + " or newer"
}

// readManifest reads the manifest of a backup.
func readManifest(dir string) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", manifestName, err)
	}
	if m.Format > format {
		return nil, fmt.Errorf("the backup was made by Parley %s in a form that this program does not know: use that "+
			"version or a newer one", m.Program)
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return nil, fmt.Errorf("%s is damaged: it names %q", manifestName, f.Name)
		}
	}
	return m, nil
}

// check compares every file of a backup with its checksum, and names those that are not as they were.
func (m *Manifest) check(dir string) error {
	var damaged []string
	for _, f := range m.Files {
		if err := f.check(filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
			damaged = append(damaged, err.Error())
		}
	}
	if len(damaged) == 0 {
		return nil
	}
	const shown = 5
	return fmt.Errorf("the backup is damaged, and nothing was restored: %s",
		strings.Join(damaged[:min(shown, len(damaged))], "; "))
}

func (f File) check(path string) error {
	size, hash, err := hashFile(path)
	switch {
	case err != nil:
		return err
	case size != f.Size:
		return fmt.Errorf("%s has %d bytes instead of %d", f.Name, size, f.Size)
	case hash != f.Hash:
		return fmt.Errorf("%s has another content than when the backup was made", f.Name)
	}
	return nil
}

// hashFile returns the size of a file and its SHA-256 in hex.
func hashFile(path string) (size int64, hash string, err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return 0, "", err
	}
	sum := sha256.New()
	size, err = io.Copy(sum, file)
	return size, hex.EncodeToString(sum.Sum(nil)), errors.Join(err, file.Close())
}
