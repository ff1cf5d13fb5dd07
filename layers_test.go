package parley_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateGolden = flag.Bool("update", false, "rewrite the table of layers in doc.go")

// The table is between these lines of doc.go.
const (
	beforeLayers = "by \"make golden\":\n//\n"
	afterLayers  = "// # Layer 1"
)

// TestGoldenLayers checks that doc.go shows the layers that imports are held to.
func TestGoldenLayers(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(doc), beforeLayers)
	at := strings.Index(rest, afterLayers)
	if !ok || at < 0 {
		t.Fatal("doc.go has no place for the table of layers")
	}
	want := head + beforeLayers + layerTable() + "//\n" + rest[at:]
	if want == string(doc) {
		return
	}
	if !*updateGolden {
		t.Fatal("the table of layers in doc.go is not that of arch_test.go: run make golden")
	}
	if err := os.WriteFile("doc.go", []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// layerTable returns the layers as a table of a doc comment, highest first.
func layerTable() string {
	byLayer := map[int][]string{}
	for _, importPath := range slices.Sorted(maps.Keys(layers)) {
		name := strings.TrimPrefix(strings.TrimPrefix(importPath, "parley/"), "internal/")
		byLayer[layers[importPath]] = append(byLayer[layers[importPath]], name)
	}
	var table strings.Builder
	for _, layer := range slices.Backward(slices.Sorted(maps.Keys(byLayer))) {
		line := fmt.Sprintf("//\t%-2d", layer)
		for _, name := range byLayer[layer] {
			if len(line)+len(name) > 110 {
				table.WriteString(line + "\n")
				line = "//\t  "
			}
			line += " " + name
		}
		table.WriteString(line + "\n")
	}
	return table.String()
}

// TestTourNamesWhatExists checks that doc.go and CONTRIBUTING.md lead to files and folders of this repository.
func TestTourNamesWhatExists(t *testing.T) {
	place := regexp.MustCompile("(?:^|[\\s`(])((?:internal|cmd|docs|clients|web)(?:/[\\w.-]*\\w)+)")
	for _, page := range []string{"doc.go", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range place.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(m[1]); err != nil && m[1] != "web/built" {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}

// TestTourNamesEveryPackage checks that the prose of doc.go says of each package in the table what it is for. bench is
// one: what it measures with is in its own comment.
func TestTourNamesEveryPackage(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, prose, _ := strings.Cut(string(doc), afterLayers)
	for importPath := range layers {
		name := strings.TrimPrefix(importPath, "parley/")
		if strings.HasPrefix(name, "bench/") || name == "parley" {
			continue
		}
		if !regexp.MustCompile(`(?:^|[\s(])` + name + `(?:$|[^\w/])`).MatchString(prose) {
			t.Errorf("doc.go does not say what %s is for", name)
		}
	}
}
