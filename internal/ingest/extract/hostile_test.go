package extract_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/internal/ingest/extract"
)

// Every hostile file ends as text or as a reason, in time, and the next one is read.
func TestHostileFiles(t *testing.T) {
	p := pool(t)
	for _, folder := range []string{"pdf-hostile", "office-hostile", "upload-tricks", "html5lib"} {
		t.Run(folder, func(t *testing.T) {
			dir := shared(t, folder)
			read, refused := 0, 0
			for _, file := range filesIn(t, dir) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				doc, err := readAny(t, p, filepath.Base(file), data)
				if took := time.Since(start); took > 31*time.Second {
					t.Errorf("%s took %s", file, took)
				} else if took > time.Second {
					t.Logf("%s took %s", file, took)
				}
				var known *extract.Error
				switch {
				case err == nil && (!utf8.ValidString(doc.Text) || strings.ContainsRune(doc.Text, 0) || doc.Text == ""):
					t.Errorf("%s: no clean text", file)
				case err != nil && (!errors.As(err, &known) || known.Reason == ""):
					t.Errorf("%s: %v is no reason", file, err)
				case err != nil:
					refused++
					t.Logf("%s: %v (%v)", filepath.Base(file), err, errors.Unwrap(err))
				default:
					read++
				}
			}
			t.Logf("%s: %d read, %d refused", folder, read, refused)
		})
	}
	if _, err := p.Text(t.Context(), extract.TXT, "after.txt", []byte("still here")); err != nil {
		t.Error(err)
	}
}

func readAny(t testing.TB, p *extract.Pool, name string, data []byte) (extract.Document, error) {
	kind, err := extract.Sniff(name, data)
	if err != nil {
		return extract.Document{}, err
	}
	return p.Text(t.Context(), kind, name, data)
}
