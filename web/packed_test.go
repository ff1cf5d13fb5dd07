//go:build parley_packed && !parley_noweb

package web

import (
	"bytes"
	"io/fs"
	"os"
	"testing"
)

// A release serves what is built: every file, byte for byte. Make the archives with "go run web/pack.go" first.
func TestArchivesHoldWhatIsBuilt(t *testing.T) {
	for folder, packed := range map[string]fs.FS{"built/console": Console, "built/widget": Widget} {
		want, got := readAll(t, os.DirFS("."), folder), readAll(t, packed, ".")
		if len(want) == 0 || len(got) != len(want) {
			t.Errorf("%s: %d files, and %d in the archive", folder, len(want), len(got))
		}
		for name, content := range want {
			if !bytes.Equal(got[name], content) {
				t.Errorf("%s: %d bytes, and %d in the archive", name, len(content), len(got[name]))
			}
		}
	}
}

// readAll returns the files below a folder by their paths.
func readAll(t *testing.T, files fs.FS, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		all[name], err = fs.ReadFile(files, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
