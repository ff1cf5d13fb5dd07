package parley_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// layers is the plan of the house: an import goes to a lower floor, never up and never sideways. Rooms that are planned
// stand in the table before they are built, so that the first import is already held to it.
var layers = map[string]int{
	"parley":                     1,
	"parley/docs":                1,
	"parley/web":                 1,
	"parley/internal/text/words": 1,
	"parley/internal/text/prose": 1,
	"parley/internal/audio":      1,
	"parley/internal/listen":     1,

	"parley/internal/sqldb":    2,
	"parley/internal/model":    2,
	"parley/internal/httpapi":  2,
	"parley/internal/outbound": 2,
	"parley/internal/vault":    2,
	"parley/internal/manifest": 2,
	"parley/internal/metrics":  2,

	"parley/internal/api/docspage": 2,

	"parley/internal/retrieval":      3,
	"parley/internal/jobs":           3,
	"parley/internal/ingest/crawl":   3,
	"parley/internal/ingest/extract": 3,
	"parley/internal/voice/vad":      3,
	"parley/internal/voice/rtc":      3,

	"parley/internal/store":     4,
	"parley/internal/voice/sfu": 4, // told by rtc what it is to be

	"parley/internal/chat":     5,
	"parley/internal/ingest":   5,
	"parley/internal/search":   5,
	"parley/internal/insight":  5,
	"parley/internal/helpdesk": 5,
	"parley/internal/access":   5,
	"parley/internal/webhook":  5,
	"parley/internal/contact":  5,

	"parley/internal/voice":   6,
	"parley/internal/agents":  6,
	"parley/internal/actions": 6,
	"parley/internal/eval":    6, // measures what chat and ingest do, and so stands above both

	"parley/internal/api/v2":    7,
	"parley/internal/api/v1":    7,
	"parley/internal/api/mcp":   7,
	"parley/internal/console":   7,
	"parley/internal/widget":    7,
	"parley/internal/api/admin": 7,

	"parley/internal/server": 8,

	"parley/cmd/parley": 9,
	"parley/bench":      9,
}

// testkitPackage holds tests' tools: they may import anything, and nothing that ships may import them.
const testkitPackage = "parley/internal/testkit"

type pkg struct {
	ImportPath string
	Imports    []string
}

func (p pkg) isTestkit() bool { return isUnder(p.ImportPath, testkitPackage) }

func isUnder(importPath, folder string) bool {
	return importPath == folder || strings.HasPrefix(importPath, folder+"/")
}

func isOwnPackage(importPath string) bool { return isUnder(importPath, "parley") }

// listPackages lists our packages with what they import outside tests.
func listPackages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func TestImportsGoDown(t *testing.T) {
	for _, p := range listPackages(t) {
		floor, known := layers[p.ImportPath]
		if !known && !p.isTestkit() {
			t.Errorf("%s has no floor: add it to the table, and to the tour in doc.go", p.ImportPath)
			continue
		}
		for _, to := range p.Imports {
			switch {
			case !isOwnPackage(to) || p.isTestkit():
			case isUnder(to, testkitPackage):
				t.Errorf("%s imports %s, which is for tests only", p.ImportPath, to)
			case layers[to] >= floor:
				t.Errorf("%s (floor %d) imports %s (floor %d): hand it in from above, or move it", p.ImportPath, floor, to, layers[to])
			}
		}
	}
}

// Packages cannot form a circle, folders can: a room with its closets must not be entered from a room it enters.
func TestNoCircleOfFolders(t *testing.T) {
	arrows := map[string]map[string]bool{}
	for _, p := range listPackages(t) {
		from := topPackage(p.ImportPath)
		if arrows[from] == nil {
			arrows[from] = map[string]bool{}
		}
		for _, to := range p.Imports {
			if isOwnPackage(to) && topPackage(to) != from && !p.isTestkit() {
				arrows[from][topPackage(to)] = true
			}
		}
	}
	// Rooms that enter none of the others, or are entered by none, are taken away as long as there are any.
	for before := -1; before != len(arrows); {
		before = len(arrows)
		entered := map[string]bool{}
		for _, tos := range arrows {
			maps.DeleteFunc(tos, func(to string, _ bool) bool { return arrows[to] == nil })
			maps.Copy(entered, tos)
		}
		maps.DeleteFunc(arrows, func(r string, tos map[string]bool) bool { return len(tos) == 0 || !entered[r] })
	}
	if len(arrows) > 0 {
		t.Errorf("these rooms import one another in a circle: %v", slices.Sorted(maps.Keys(arrows)))
	}
}

// topPackage returns the folder that counts as one room: parley/internal/ingest for parley/internal/ingest/crawl.
func topPackage(importPath string) string {
	parts := strings.Split(importPath, "/")
	return path.Join(parts[:min(len(parts), 3)]...)
}

// A room is named after what it holds; these names hold anything.
func TestNoJunkPackages(t *testing.T) {
	junk := []string{"util", "utils", "common", "helper", "helpers", "manager", "types", "models", "misc", "shared", "base"}
	for _, p := range listPackages(t) {
		if slices.Contains(junk, path.Base(p.ImportPath)) {
			t.Errorf("%s: name it after what it holds", p.ImportPath)
		}
	}
}
