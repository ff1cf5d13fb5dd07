package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A citation names a page of docs and, behind "#", one of its headings. Addresses of web pages are none.
var citation = regexp.MustCompile(`(?:^|[^\w/.])(docs/[\w/-]+\.md(?:#[\w-]+)?)`)

// outsideCitation is how comments used to cite documents that are not in this repository.
var outsideCitation = regexp.MustCompile(`\b(?:[Ii]nterface(?:'s)?|[Ff]acts|[Dd]ecisions?|[Cc]ontract),?\s+\(?` +
	`(?:[Ss]ections?\s+)?(?:[0-9]+(?:\.[0-9]+)?[a-z]?|[A-C])\b` +
	`|\b[Ss]ections?\s+[0-9A-C][0-9.]*[a-z]?\s+of\s+the\s+(?:interface|facts|contract)\b`)

// TestCitationsResolve checks that every page and heading of docs that the code cites exists.
func TestCitationsResolve(t *testing.T) {
	headings := map[string]map[string]bool{}
	found := 0
	for _, file := range sourceFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range citation.FindAllStringSubmatch(string(text), -1) {
			page, anchor, _ := strings.Cut(m[1], "#")
			if headings[page] == nil {
				headings[page] = readHeadings(page)
			}
			found++
			if !headings[page][anchor] {
				t.Errorf("%s cites %s, which does not exist", file, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no citations found: has their form changed?")
	}
}

// TestNoOutsideCitations checks that comments cite nothing that a reader of this repository cannot open.
func TestNoOutsideCitations(t *testing.T) {
	for _, file := range slices.Concat(sourceFiles(t), listFiles(t, "*.txt", "*.sql")) {
		if file == "citation_test.go" {
			continue
		}
		for _, comment := range readComments(t, file) {
			if cited := outsideCitation.FindString(comment); cited != "" && !slices.Contains(oldCitations[file], cited) {
				t.Errorf("%s: a comment cites %q, which is not in the repository", file, cited)
			}
		}
	}
}

// oldCitations are those of stories whose texts stay as they are.
var oldCitations = map[string][]string{
	"internal/api/v2/testdata/tickets.txt":     {"interface 4.2"},
	"internal/api/v2/testdata/ticket-work.txt": {"facts 4.2b"},
}

// sourceFiles lists the code of this checkout that people have written.
func sourceFiles(t *testing.T) []string {
	t.Helper()
	return listFiles(t, "*.go", "*.js", "*.mjs", "*.ts")
}

// listFiles lists the files of this checkout whose names match, but for what is built from others.
func listFiles(t *testing.T, patterns ...string) []string {
	t.Helper()
	args := append([]string{"ls-files", "--"}, patterns...)
	out, err := exec.CommandContext(t.Context(), "git", args...).Output() //nolint:gosec // patterns of the tests
	if err != nil {
		t.Skip("SKIP: no git checkout: ", err)
	}
	var files []string
	for _, file := range strings.Fields(string(out)) {
		if _, err := os.Stat(file); err == nil && !strings.HasPrefix(file, "web/built/") {
			files = append(files, file)
		}
	}
	return files
}

// readHeadings returns the anchors of a page's headings, as GitHub makes them, and "" for the page itself.
func readHeadings(page string) map[string]bool {
	anchors := map[string]bool{}
	text, err := os.ReadFile(page)
	if err != nil {
		return anchors
	}
	anchors[""] = true
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			anchors[anchorOf(title)] = true
		}
	}
	return anchors
}

func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

// readComments returns the texts of a file's comments, each group of lines as one.
func readComments(t *testing.T, file string) []string {
	t.Helper()
	switch filepath.Ext(file) {
	case ".txt":
		return linesWith(t, file, "#")
	case ".sql":
		return linesWith(t, file, "--")
	case ".js", ".mjs", ".ts":
		return scriptComments(t, file)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	return groupTexts(parsed.Comments)
}

func groupTexts(groups []*ast.CommentGroup) []string {
	var texts []string
	for _, g := range groups {
		texts = append(texts, g.Text())
	}
	return texts
}

// linesWith returns the lines of a file that begin with a mark.
func linesWith(t *testing.T, file, mark string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, mark) {
			lines = append(lines, line)
		}
	}
	return lines
}

// scriptComments returns the lines of a JavaScript or TypeScript file that are comments.
func scriptComments(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "*") || strings.HasPrefix(line, "/*") {
			lines = append(lines, line)
		} else if _, comment, ok := strings.Cut(line, "//"); ok {
			lines = append(lines, comment)
		}
	}
	return lines
}
