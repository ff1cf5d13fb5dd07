package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
)

// Our own reader of PDFs finds the words that pdftotext finds.
func TestWordsOfPDFs(t *testing.T) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("SKIP: no pdftotext")
	}
	dir := shared(t, "pdf-hostile")
	p := pool(t)
	sum, n := 0.0, 0
	for _, file := range filesIn(t, dir) {
		want, err := exec.CommandContext(t.Context(), program, "-q", "-enc", "UTF-8", file, "-").Output()
		words := len(strings.Fields(string(want)))
		if err != nil || words < 5 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := p.Text(t.Context(), extract.PDF, filepath.Base(file), data)
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
