package parley_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/docs"
)

// Codes that callers of REST v2 never see: those of the command line and of the console, and those no operation
// answers with yet.
var unusedCodes = []parley.Code{parley.CodeAlreadyExists, parley.CodeAccountNotFound, parley.CodeKeyNotFound,
	parley.CodeSourcePendingDel, parley.CodeSignInRequired, parley.CodeSignInFailed, parley.CodePasskeyFailed,
	parley.CodeStepUpRequired, parley.CodeSecondStep, parley.CodeInvalidLink, parley.CodeUserChanged,
	parley.CodeSSORequired, parley.CodeOtherSignIn, parley.CodePasskeyRequired}

func TestManualListsEveryError(t *testing.T) {
	page := manualPage(t, "errors.md")
	for _, code := range parley.Codes() {
		row := fmt.Sprintf("| %d | `%s` |", code.Status(), code)
		if !slices.Contains(unusedCodes, code) && !strings.Contains(page, row) {
			t.Errorf("errors.md lacks a row that begins with %q", row)
		}
	}
}

func TestManualListsEverySetting(t *testing.T) {
	page := manualPage(t, "configuration.md")
	found := settingNames(t)
	for name, file := range found {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("configuration.md lacks a row for %s (%s)", name, file)
		}
	}
	if len(found) == 0 {
		t.Error("no settings found: has their tag changed?")
	}
}

// settingNames returns the variables that the tags of settings name, with the file that does. A prefix, as each wire of
// models has one, goes before the names in its file that are not whole.
func settingNames(t *testing.T) map[string]string {
	t.Helper()
	name, prefix := regexp.MustCompile(`env:"([A-Z0-9_]+)"`), regexp.MustCompile(`envprefix:"([A-Z0-9_]+)"`)
	found := map[string]string{}
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllSubmatch(text, -1) {
			if strings.HasPrefix(string(m[1]), "PARLEY_") {
				found[string(m[1])] = file
				continue
			}
			for _, p := range prefix.FindAllSubmatch(text, -1) {
				found[string(p[1])+string(m[1])] = file
			}
		}
	}
	return found
}

func TestManualNamesOnlySettingsThatExist(t *testing.T) {
	var code strings.Builder
	ofTests, err := filepath.Glob("web/shared/test/*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(goFiles(t), ofTests...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	settings := settingNames(t)
	name := regexp.MustCompile(`PARLEY_[A-Z0-9_]+`)
	for _, file := range markdownFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, env := range name.FindAllString(string(text), -1) {
			if settings[env] == "" && !strings.Contains(code.String(), `"`+env+`"`) {
				t.Errorf("%s names %s, which no code reads", file, env)
			}
		}
	}
}

func TestLinksResolve(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`) // links within the checkout
	for _, file := range markdownFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", file, m[1])
			}
		}
	}
}

func manualPage(t *testing.T, name string) string {
	t.Helper()
	text, err := docs.Manual.ReadFile("manual/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func markdownFiles(t *testing.T) []string {
	t.Helper()
	files := []string{"README.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	return files
}
