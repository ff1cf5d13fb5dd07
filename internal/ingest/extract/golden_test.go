package extract_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/ingest/extract"
	"parley/internal/testkit/documents"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each sample has a golden text beside it.
func TestGoldens(t *testing.T) {
	p := documents.NewPool(t)
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".golden" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := readAny(t, p, filepath.Base(file), data)
		got := fmt.Sprintf("title: %s\npages: %d\n\n%s\n", doc.Title, doc.Pages, doc.Text)
		if err != nil {
			got = "refused: " + err.Error() + "\n"
		}
		checkGolden(t, file+".golden", got)
	}
}

func TestPageGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/kettle.html")
	if err != nil {
		t.Fatal(err)
	}
	page, err := documents.NewPool(t).ReadPage(t.Context(), "https://shop.example.com/help/d.html?x=1", "text/html", data)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\ncanonical: %s\nlanguage: %s\nindex: %v\n", page.Title, page.Canonical, page.Language,
		!page.NoIndex)
	for _, l := range page.Links {
		fmt.Fprintf(&b, "link: %s %v\n", l.URL, l.NoFollow)
	}
	checkGolden(t, "testdata/kettle.page.golden", b.String()+"\n"+page.Text+"\n")
}

func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", file, diff)
	}
}

func TestSniffRefuses(t *testing.T) {
	for name, c := range map[string]struct{ data, word string }{
		"empty.txt":   {" \n\n", "empty"},
		"photo.pdf":   {"\x89PNG\r\n\x1a\n", "picture"},
		"old.doc":     {"{\\rtf1 text}", "RTF"},
		"tool.txt":    {"\x7fELF\x02\x01", "program"},
		"drawing.txt": {"<?xml version=\"1.0\"?><svg onload=alert(1)/>", "SVG"},
		"feed.html":   {"<?xml version=\"1.0\"?><rss><a>b</a></rss>", "XML"},
		"noise.md":    {strings.Repeat("\x01\x02\x03a", 100), "neither"},
		"pack.docx":   {"PK\x03\x04 and no more", "damaged"},
		"data.gz":     {"\x1f\x8b\x08\x00", "gzip"},
	} {
		if kind, err := extract.Sniff(name, []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %q %v", name, kind, err)
		}
	}
}

func TestSniffByContent(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want extract.Kind
	}{
		"notes.txt":   {"%PDF-1.4\n", extract.PDF},
		"page.txt":    {"\ufeff <!DOCTYPE html><p>x", extract.HTML},
		"readme.md":   {"<p align=center>x</p>\n# Title", extract.MD},
		"fragment":    {"<h1>x</h1>", extract.HTML},
		"export":      {`{"a": 1}`, extract.JSON},
		"export.txt":  {"{\"a\": 1}\n{\"a\": 2}\n", extract.JSON},
		"links.md":    {"[a](b) c", extract.MD},
		"table.tsv":   {"a\tb\n1\t2\n", extract.CSV},
		"README":      {"plain words", extract.TXT},
		`C:\a\b.CSV`:  {"a;b", extract.CSV},
		"broken.json": {`{"a": `, extract.TXT},
	} {
		if got, err := extract.Sniff(name, []byte(c.data)); got != c.want || err != nil {
			t.Errorf("%s: %q %v, not %q", name, got, err, c.want)
		}
	}
}
