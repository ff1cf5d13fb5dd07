package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/pdf"
	"parley/internal/testkit/check"
	"parley/internal/testkit/documents"
)

// A configured program must be one of the known ones, with its full path.
func TestNamedPrograms(t *testing.T) {
	requireLinux(t)
	folder := t.TempDir()
	catdoc, pdftotext, noProgram := filepath.Join(folder, "catdoc"), filepath.Join(folder, "pdftotext"),
		filepath.Join(folder, "antiword")
	for path, mode := range map[string]os.FileMode{catdoc: 0o700, pdftotext: 0o700, noProgram: 0o600} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	got, err := extract.NewPrograms([]string{catdoc, pdftotext})
	if want := (extract.Programs{Pdftotext: pdftotext, Catdoc: catdoc, IsExplicit: true}); got != want || err != nil {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{"pdftotext", "/usr/bin/less", "", "/nosuch/pdftotext", noProgram} {
		if _, err := extract.NewPrograms([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// requirePdftotext returns the path of the program, or skips the test. In CI, which installs it, its absence is a
// failure.
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

// pdftotext and our reader agree on one of our files, except for headers and footers of pages, which ours leaves out.
func TestPdftotextAgrees(t *testing.T) {
	requireLinux(t)
	program := requirePdftotext(t)
	data, err := os.ReadFile("testdata/kettle.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := documents.NewPool(t)
	p.Programs = extract.Programs{Pdftotext: program}
	both, err := p.ReadFile(t.Context(), extract.PDF, "kettle.pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	plainText, err := exec.CommandContext(t.Context(), program, "-q", "-enc", "UTF-8", "testdata/kettle.pdf", "-").Output()
	body := regexp.MustCompile(`(?m)^(Kettle manual|Page \d of 4)$`).ReplaceAllString(string(plainText), "")
	if f1 := wordF1(both.Text, body); err != nil || f1 < 0.95 {
		t.Errorf("word F1 %.3f, %v", f1, err)
	}
}

// Our PDF reader finds the words that pdftotext finds.
func TestWordsOfPDFs(t *testing.T) {
	program := requirePdftotext(t)
	dir := check.SharedDir(t, "pdf-hostile")
	p := documents.NewPool(t)
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

// Presentation forms are normalized, whichever program reads the file.
func TestPdftotextLettersAreNormalized(t *testing.T) {
	requireLinux(t)
	p := documents.NewPool(t)
	p.Programs = extract.Programs{Pdftotext: requirePdftotext(t)}
	data, err := os.ReadFile("testdata/scripts.pdf")
	if err != nil {
		t.Fatal(err)
	}
	builtIn, err := p.ReadFile(t.Context(), extract.PDF, "scripts.pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	builtInOnly, err := extract.ReadFile(t.Context(), extract.PDF, "scripts.pdf", data)
	if err != nil || builtIn.Text != builtInOnly.Text {
		t.Errorf("pdftotext is preferred, whose text is in disorder: %v\n%s", err, builtIn.Text)
	}
	raw, err := exec.CommandContext(t.Context(), p.Programs.Pdftotext, "-q", "-enc", "UTF-8", "testdata/scripts.pdf",
		"-").Output()
	if err != nil {
		t.Fatal(err)
	}
	poppler := pdf.ReadPdftotext(string(raw)).Text
	if f1 := wordF1(poppler, builtIn.Text); f1 < 0.85 { // it reverses the letters of a ligature
		t.Errorf("word F1 %.3f\n%s", f1, poppler)
	}
	for _, want := range []string{"ساعات العمل", "من الساعة 9:00 حتى 17:30 كل يوم، ما عدا الجمعة. السعر 1,250.50 ريال",
		"עד 17:30 (ימים", "office files the official affidavit; fluffy waffles are difficult to afford."} {
		if !strings.Contains(poppler, want) {
			t.Errorf("no %q in\n%s", want, poppler)
		}
	}
}

func requireLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: other programs read files on Linux only")
	}
}
