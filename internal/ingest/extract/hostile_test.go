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
	"parley/internal/ingest/extract/draft"
	"parley/internal/testkit/check"
	"parley/internal/testkit/documents"
)

// hangLimit only guards against hanging: how long a file may take is the limit of the pool, 30 seconds.
const hangLimit = 3 * time.Minute

// Reading any hostile file ends in time with text or an error, and the next file can be read.
func TestHostileFiles(t *testing.T) {
	p := documents.NewPool(t)
	for _, folder := range []string{"pdf-hostile", "office-hostile", "upload-tricks", "html5lib"} {
		t.Run(folder, func(t *testing.T) {
			dir := check.SharedDir(t, folder)
			read, refused := 0, 0
			for _, file := range listFiles(t, dir) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				doc, err := readAny(t, p, filepath.Base(file), data)
				if elapsed := time.Since(start); elapsed > hangLimit {
					t.Errorf("%s took %s", file, elapsed)
				} else if elapsed > time.Second {
					t.Logf("%s took %s", file, elapsed)
				}
				var known *draft.Error
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
	if _, err := p.ReadFile(t.Context(), extract.TXT, "after.txt", []byte("still here")); err != nil {
		t.Error(err)
	}
}

func readAny(t testing.TB, p *extract.Pool, name string, data []byte) (draft.Document, error) {
	kind, err := extract.Sniff(name, data)
	if err != nil {
		return draft.Document{}, err
	}
	return p.ReadFile(t.Context(), kind, name, data)
}

// Files without words, or with too deep nesting, are refused with a reason, whatever their names are.
func TestFilesWithoutWordsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ unit, reason string }{
		"a.json":   {"[", "400 deep"},
		"b.json":   {`{"a":`, "400 deep"},
		"c.json":   {"[1,", "400 deep"},
		"d.txt":    {"[", "400 deep"},
		"e.json":   {"]", "only signs"},
		"f.json":   {"[]", "only signs"},
		"g.json":   {`"`, "only signs"},
		"h.md":     {"---\n", "only signs"},
		"i.csv":    {";", "no text"},
		"j.html":   {"<p>.</p>", "only signs"},
		"lines.md": {"# \n", "only signs"},
	} {
		data := []byte(strings.Repeat(c.unit, 1<<20/len(c.unit)))
		kind, err := extract.Sniff(name, data)
		if err == nil {
			_, err = extract.ReadFile(t.Context(), kind, name, data)
		}
		var known *draft.Error
		if !isExtractError(err, &known) || !strings.Contains(known.Reason, c.reason) {
			t.Errorf("%s: %q %v, want %q", name, kind, err, c.reason)
		}
	}
	if kind, err := extract.Sniff("large.json", []byte(strings.Repeat("[", 10<<20))); kind != extract.JSON || err != nil {
		t.Errorf("%q %v", kind, err)
	}
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	if kind, err := extract.Sniff("deep.json", []byte(deep)); kind != extract.JSON || err != nil {
		t.Errorf("%q %v", kind, err)
	}
	if _, err := extract.ReadFile(t.Context(), extract.TXT, "a.txt", []byte("\U0001F44D \u2764")); err != nil {
		t.Error(err)
	}
}

// A page with as many tags as fit into its size is read within the memory of a child.
func TestPageOfManyTags(t *testing.T) {
	size := 6 << 20
	if os.Getenv("PARLEY_LONG") == "1" {
		size = 20 << 20
	}
	p := documents.NewPool(t)
	p.FileTimeout = hangLimit // the limit of memory is what counts here
	for name, one := range map[string]string{
		"paragraphs": "<h2>Boiling</h2><p>The kettle boils at <b>100 degrees</b>, less on a <a " +
			"href=https://example.com/m>mountain</a>.</p><ul><li>One</li><li>Two</li></ul>\n",
		"rows":      "<tr><td>kettle</td><td>boils at 100</td></tr>",
		"spans":     "<span>kettle</span> ",
		"bare tags": "<p>",
		"nested":    "<div>k",
	} {
		begin := "<!doctype html><html><head><title>Big</title></head><body><h1>Kettle</h1><table>"
		page := begin + strings.Repeat(one, (size-len(begin))/len(one))
		doc, err := p.ReadFile(t.Context(), extract.HTML, "big.html", []byte(page))
		if err != nil || doc.Title != "Big" || !strings.HasPrefix(doc.Text, "# Kettle") {
			t.Errorf("%s: %v, %q: %.100q", name, err, doc.Title, doc.Text)
		}
	}
}
