package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
)

// requirePdftotext finds the program, or skips; under CI, which installs it, its absence is a failure.
func requirePdftotext(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("pdftotext")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip("SKIP: no pdftotext")
	}
	return program
}

// What ours cannot read another program may, within the limits of a child.
func TestAnotherProgramReadsWhatOursCannot(t *testing.T) {
	requireLinux(t)
	requireLandlock(t)
	unreadable := []byte("no table of pieces")
	p := newPool(t)
	if _, err := p.ReadFile(t.Context(), extract.DOC, "a.doc", unreadable); err == nil {
		t.Fatal("ours read it")
	}
	helped := newPool(t)
	helped.Programs = extract.Programs{Antiword: hostileProgram(t, "antiword")}
	doc, err := helped.ReadFile(t.Context(), extract.DOC, "a.doc", unreadable)
	if err != nil || doc.Text != "The kettle boils water." {
		t.Errorf("%q, %v", doc.Text, err)
	}
}

// The real one agrees with ours on a file of our own, but for the heads and feet of pages, which ours leaves out.
func TestPdftotextAgrees(t *testing.T) {
	requireLinux(t)
	program := requirePdftotext(t)
	data, err := os.ReadFile("testdata/kettle.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(t)
	p.Programs = extract.Programs{Pdftotext: program}
	both, err := p.ReadFile(t.Context(), extract.PDF, "kettle.pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := exec.CommandContext(t.Context(), program, "-q", "-enc", "UTF-8", "testdata/kettle.pdf", "-").Output()
	body := regexp.MustCompile(`(?m)^(Kettle manual|Page \d of 4)$`).ReplaceAllString(string(alone), "")
	if f1 := wordF1(both.Text, body); err != nil || f1 < 0.95 {
		t.Errorf("word F1 %.3f, %v", f1, err)
	}
}

// Our own reader of PDFs finds the words that pdftotext finds.
func TestWordsOfPDFs(t *testing.T) {
	program := requirePdftotext(t)
	dir := sharedDataDir(t, "pdf-hostile")
	p := newPool(t)
	sum, n := 0.0, 0
	for _, file := range listFiles(t, dir) {
		want, err := exec.CommandContext(t.Context(), program, "-q", "-enc", "UTF-8", file, "-").Output()
		words := len(strings.Fields(string(want)))
		if err != nil || words < 5 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := p.ReadFile(t.Context(), extract.PDF, filepath.Base(file), data)
		f1 := wordF1(doc.Text, string(want))
		t.Logf("%-50s %5d words %.3f %v", filepath.Base(file), words, f1, err)
		sum += f1
		n++
	}
	t.Logf("word F1 %.3f of %d files", sum/float64(n), n)
	if sum/float64(n) < 0.8 {
		t.Errorf("word F1 %.3f", sum/float64(n))
	}
}
