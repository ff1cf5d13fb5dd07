package extract_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/testkit/check"
)

func listFiles(t testing.TB, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "README.md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %d files", dir, err, len(files))
	}
	return files
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+`)

// wordF1 compares two texts as multisets of words.
func wordF1(got, want string) float64 {
	count := map[string]int{}
	wanted := wordPattern.FindAllString(strings.ToLower(want), -1)
	for _, w := range wanted {
		count[w]++
	}
	found := wordPattern.FindAllString(strings.ToLower(got), -1)
	both := 0
	for _, w := range found {
		if count[w] > 0 {
			count[w]--
			both++
		}
	}
	switch {
	case len(wanted) == 0 && len(found) == 0:
		return 1
	case both == 0:
		return 0
	}
	p, r := float64(both)/float64(len(found)), float64(both)/float64(len(wanted))
	return 2 * p * r / (p + r)
}

var imageCommentPattern = regexp.MustCompile(`<!--.*?-->`)

// The expected texts in doc-extract were made by another program, so texts are compared by their words.
func TestWordsOfDocuments(t *testing.T) {
	dir := check.SharedDir(t, "doc-extract")
	sum, n := map[string]float64{}, map[string]float64{}
	for _, file := range listFiles(t, dir) {
		expected, err := os.ReadFile(file + ".expected.md")
		if err != nil {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind, err := extract.Sniff(filepath.Base(file), data)
		if err != nil {
			t.Logf("%-60s %v", strings.TrimPrefix(file, dir), err)
			continue
		}
		doc, err := extract.ReadFile(t.Context(), kind, filepath.Base(file), data)
		f1 := wordF1(doc.Text, imageCommentPattern.ReplaceAllString(string(expected), ""))
		t.Logf("%-60s %-5s %.3f %v", strings.TrimPrefix(file, dir), kind, f1, err)
		sum[string(kind)] += f1
		n[string(kind)]++
		sum["all"] += f1
		n["all"]++
	}
	for kind := range n {
		t.Logf("word F1 %-5s %.3f of %v files", kind, sum[kind]/n[kind], n[kind])
	}
	if sum["all"]/n["all"] < 0.9 {
		t.Errorf("word F1 %.3f", sum["all"]/n["all"])
	}
}
