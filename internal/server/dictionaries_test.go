package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/internal/model"
	"parley/internal/server"
)

func readEnglishFolder(t *testing.T) *server.FolderIndex {
	t.Helper()
	f, err := server.ReadFolder(fstest.MapFS{
		"returns.md": {Data: []byte("# Returns\n\nYou can return a parcel within thirty days of its delivery.\n")},
		"pets.md":    {Data: []byte("# Pets\n\nDogs are welcome in the garden behind the shop.\n")},
		"invoice.md": {Data: []byte("# Invoices\n\nThe invoice is sent to you by mail when we have the money.\n")},
	}, server.ReadProgress{Now: func() time.Time { return time.UnixMilli(0) }, OnPage: func(int, int) {},
		OnSkip: func(string, string) {}, OnDone: func(int, int, time.Duration) {}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A German question is answered from English pages once there is a dictionary; a broken one beside it harms nothing.
func TestGermanQuestionsAreAnsweredFromEnglishPages(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"de-en.tsv": "Paket\tparcel\nzurückgeben\treturn, give back\n",
		"broken-de-en.tsv": "no table at all\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const question = "Wie lange kann ich ein Paket zurückgeben?"
	f := readEnglishFolder(t)
	without, err := f.Ask(t.Context(), server.ModelConfig{}, question, func(model.Chunk) {})
	if err != nil || len(without.Citations) > 0 && !without.Unsure {
		t.Fatalf("without a dictionary: %+v, %v", without, err)
	}
	a, err := f.Ask(t.Context(), server.ModelConfig{Dictionaries: []string{dir}}, question, func(model.Chunk) {})
	if err != nil {
		t.Fatal(err)
	}
	if a.Refused || !strings.HasPrefix(a.Text, "Meine Quelle dazu ist in einer anderen Sprache.") ||
		len(a.Citations) == 0 || !strings.Contains(a.Citations[0].Quote, "within thirty days") {
		t.Errorf("%+v", a)
	}
}

func TestAFolderOfDictionariesThatIsMissingIsRefused(t *testing.T) {
	err := server.ModelConfig{Dictionaries: []string{filepath.Join(t.TempDir(), "missing")}}.Check()
	if err == nil || !strings.Contains(err.Error(), "--dictionaries") || !strings.Contains(err.Error(), "missing") {
		t.Errorf("checked with %v", err)
	}
}
