// Package documents has samples, archives and bounds for tests of the readers of files and pages.
package documents

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
)

// AddSamples seeds a fuzz test with the files that match one of the patterns.
func AddSamples(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

// ReadBounded reads a file. It fails the test unless reading returns text or a reason, and the text and the allocated
// memory are in proportion to the file.
func ReadBounded(t testing.TB, read draft.Reader, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	doc, err := draft.ReadDocument(t.Context(), read, "file", data)
	runtime.ReadMemStats(&after)
	var known *draft.Error
	if err != nil && !errors.As(err, &known) {
		t.Fatalf("%v is no reason", err)
	}
	if !utf8.ValidString(doc.Text) || strings.ContainsRune(doc.Text, 0) || len(doc.Text) > 32<<20 {
		t.Fatalf("%d bytes: %.200q", len(doc.Text), doc.Text)
	}
	if again := draft.NormalizeText(doc.Text); again != doc.Text {
		t.Fatalf("%.200q is not in its normal form", doc.Text)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > maxAllocatedBytes {
		t.Fatalf("%d bytes take %d MB", len(data), allocated>>20)
	}
}

// maxAllocatedBytes bounds the memory that is allocated for reading one small file. Compressed files may grow a lot.
const maxAllocatedBytes = 2 << 30

// NewZip returns an archive of names and contents.
func NewZip(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
