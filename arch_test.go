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

// layers holds the layer of each package: a package imports packages of lower layers only, none above it and none
// beside it but those that steps allows.
var layers = map[string]int{
	"parley":                          1,
	"parley/docs":                     1,
	"parley/web":                      1,
	"parley/internal/text/language":   1,
	"parley/internal/text/words":      1,
	"parley/internal/text/dictionary": 1,
	"parley/internal/text/charset":    1,
	"parley/internal/text/markdown":   1,
	"parley/internal/text/redact":     1,
	"parley/internal/text/prose":      1,
	"parley/internal/text/contact":    1,
	"parley/internal/text/safehtml":   1,
	"parley/internal/audio":           1,
	"parley/internal/listen":          1,
	"parley/internal/datadir":         1,
	"parley/internal/memory":          1,
	"parley/internal/ready":           1,
	"parley/internal/certs":           1,
	"parley/internal/tracing":         1,
	"parley/internal/cmdline":         1,
	"parley/internal/s3":              1,
	"parley/internal/sqldb/sqlite":    1,

	"parley/internal/bus":        2,
	"parley/internal/sqldb":      2,
	"parley/internal/httpapi":    2,
	"parley/internal/httpclient": 2,
	"parley/internal/outbound":   2,
	"parley/internal/vault":      2,
	"parley/internal/mail":       2,
	"parley/internal/metrics":    2,

	"parley/internal/api/docspage":           3, // its page has the headers of httpapi
	"parley/internal/model":                  3,
	"parley/internal/model/cite":             3,
	"parley/internal/model/prompt":           3,
	"parley/internal/model/stream":           3,
	"parley/internal/model/anthropic":        3,
	"parley/internal/model/openai":           3,
	"parley/internal/model/cohere":           3,
	"parley/internal/model/safetensors":      3,
	"parley/internal/model/tokenizer":        3,
	"parley/internal/model/quantized":        3,
	"parley/internal/model/bert":             3,
	"parley/internal/model/local":            3,
	"parley/internal/model/quote":            3,
	"parley/internal/speech":                 3,
	"parley/internal/speech/deepgram":        3,
	"parley/internal/speech/local":           3,
	"parley/internal/speech/openai":          3,
	"parley/internal/store":                  3,
	"parley/internal/retrieval":              3,
	"parley/internal/jobs":                   3,
	"parley/internal/limits":                 3,
	"parley/internal/ingest/crawl":           3,
	"parley/internal/ingest/extract/draft":   3,
	"parley/internal/ingest/extract/html":    3,
	"parley/internal/ingest/extract/pdf":     3,
	"parley/internal/ingest/extract/sandbox": 3,
	"parley/internal/ingest/extract/office":  3,
	"parley/internal/ingest/extract":         3,
	"parley/internal/voice/vad":              3,
	"parley/internal/voice/rtc":              3,

	"parley/internal/events":    4,
	"parley/internal/voice/sfu": 4, // rtc configures it

	"parley/internal/chat":        5,
	"parley/internal/ingest":      5,
	"parley/internal/search":      5,
	"parley/internal/insight":     5,
	"parley/internal/helpdesk":    5,
	"parley/internal/access":      5,
	"parley/internal/webhook":     5,
	"parley/internal/modelserver": 6,
	"parley/internal/contact":     5,

	"parley/internal/voice":   6,
	"parley/internal/agents":  6,
	"parley/internal/actions": 6,
	"parley/internal/eval":    6, // measures chat and ingest

	"parley/internal/archive": 6, // begins the work of ingest, insight and helpdesk
	"parley/internal/backup":  6, // finds uploaded files
	"parley/internal/visitor": 6, // writes contacts
	"parley/internal/notice":  6, // mails members by their roles
	"parley/internal/person":  6,

	"parley/internal/manifest": 7, // applies through agents
	"parley/internal/synonym":  7, // changes agents
	"parley/internal/movein":   7, // creates agents

	"parley/internal/api/uistream": 7,
	"parley/internal/api/looks":    7,
	"parley/internal/api/once":     7,

	"parley/internal/pairing": 6, // makes keys
	"parley/internal/channel": 6, // has chat answer

	"parley/internal/api/v2":         8,
	"parley/internal/api/v1":         8,
	"parley/internal/api/mcp":        8,
	"parley/internal/api/mobile":     8,
	"parley/internal/api/oauth":      8,
	"parley/internal/api/pairingapi": 8,
	"parley/internal/api/channelapi": 8,
	"parley/internal/api/openai":     8,
	"parley/internal/api/admin":      8,
	"parley/internal/api/chatapi":    8,
	"parley/internal/widget":         9, // tells pages what chatapi.Frames knows
	"parley/internal/console":        9,
	"parley/internal/manual":         8,

	"parley/internal/server": 10,

	"parley/internal/doctor": 11, // reads the server's settings

	"parley/cmd/parley": 12,

	"parley/bench/internal/report":    1,
	"parley/bench/internal/process":   1,
	"parley/bench/internal/corpus":    2,
	"parley/bench/internal/stub":      2,
	"parley/bench/internal/load":      3,
	"parley/bench/internal/baseline":  4,
	"parley/bench/internal/harness":   5,
	"parley/bench/internal/chat":      10,
	"parley/bench/internal/embedding": 10,
	"parley/bench/internal/ingest":    10,
	"parley/bench/internal/start":     10,
	"parley/bench/internal/search":    10,
	"parley/bench/internal/retrieval": 10,
	"parley/bench/internal/voice":     10,
	"parley/bench/internal/web":       10,
	"parley/bench":                    11,
}

// steps orders packages of one folder that share a layer: one of them may import those of lower steps. A package that
// is not listed has step 0. Ports come first, then what several engines share, then the engines.
var steps = map[string]int{
	"parley/internal/text/prose":      1,
	"parley/internal/text/contact":    1,
	"parley/internal/text/words":      1,
	"parley/internal/text/redact":     2,
	"parley/internal/text/dictionary": 2,

	"parley/internal/model/cite":      1,
	"parley/internal/model/prompt":    2,
	"parley/internal/model/stream":    2,
	"parley/internal/model/quote":     3,
	"parley/internal/model/anthropic": 3,
	"parley/internal/model/openai":    3,
	"parley/internal/model/cohere":    3,

	"parley/internal/model/bert":  1, // of the files' readers and the matrices
	"parley/internal/model/local": 2,

	"parley/internal/speech/deepgram": 1,
	"parley/internal/speech/local":    1,
	"parley/internal/speech/openai":   1,

	"parley/internal/api/mobile": 1, // serves operations of REST v2

	"parley/internal/ingest/extract/html":    1,
	"parley/internal/ingest/extract/pdf":     1,
	"parley/internal/ingest/extract/sandbox": 1,
	"parley/internal/ingest/extract/office":  2, // chapters of books are HTML
	"parley/internal/ingest/extract":         3,
}

// testkitPackage holds the tools of tests: they may import anything, and only tests may import them.
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
		layer, known := layers[p.ImportPath]
		if !known && !p.isTestkit() {
			t.Errorf("%s has no layer: add it to the table, and to the tour in doc.go", p.ImportPath)
			continue
		}
		for _, to := range p.Imports {
			switch {
			case !isOwnPackage(to) || p.isTestkit():
			case isUnder(to, testkitPackage):
				t.Errorf("%s imports %s, which is for tests only", p.ImportPath, to)
			case !isBelow(to, p.ImportPath):
				t.Errorf("%s (layer %d) imports %s (layer %d): pass it in from above, or move it", p.ImportPath, layer,
					to, layers[to])
			}
		}
	}
}

// isBelow reports whether a package may be imported by another: its layer is lower, or its step within one folder.
func isBelow(to, from string) bool {
	if layers[to] == layers[from] {
		return topFolder(to) == topFolder(from) && steps[to] < steps[from]
	}
	return layers[to] < layers[from]
}

// The compiler refuses import cycles of packages, but not of folders: a folder must not import a folder that imports
// it.
func TestNoCycleOfFolders(t *testing.T) {
	imports := map[string]map[string]bool{}
	for _, p := range listPackages(t) {
		from := topFolder(p.ImportPath)
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, to := range p.Imports {
			if isOwnPackage(to) && topFolder(to) != from && !p.isTestkit() {
				imports[from][topFolder(to)] = true
			}
		}
	}
	// A folder without imports, or without importers, is part of no cycle. What is left after removing them again and
	// again is.
	for previous := -1; previous != len(imports); {
		previous = len(imports)
		imported := map[string]bool{}
		for _, tos := range imports {
			maps.DeleteFunc(tos, func(to string, _ bool) bool { return imports[to] == nil })
			maps.Copy(imported, tos)
		}
		maps.DeleteFunc(imports, func(r string, tos map[string]bool) bool { return len(tos) == 0 || !imported[r] })
	}
	if len(imports) > 0 {
		t.Errorf("these folders import one another in a cycle: %v", slices.Sorted(maps.Keys(imports)))
	}
}

// topFolder returns the folder that a package belongs to: parley/internal/ingest for parley/internal/ingest/crawl.
func topFolder(importPath string) string {
	parts := strings.Split(importPath, "/")
	return path.Join(parts[:min(len(parts), 3)]...)
}

// A package is named after what is in it; these names fit anything.
func TestNoJunkPackages(t *testing.T) {
	junk := []string{"util", "utils", "common", "helper", "helpers", "manager", "types", "models", "misc", "shared",
		"base"}
	for _, p := range listPackages(t) {
		if slices.Contains(junk, path.Base(p.ImportPath)) {
			t.Errorf("%s: name it after what is in it", p.ImportPath)
		}
	}
}
