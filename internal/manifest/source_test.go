package manifest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/manifest"
)

const (
	handbook = "# Handbook\n\nEvery holiday is taken in summer, but for those that are taken in winter.\n"
	brochure = "# Brochure\n\nThe brochure tells what the shop sells, and what it does not sell at all.\n"
)

// sourceManifest has a source of each kind, as somebody would write it.
const sourceManifest = `
agent: {key: shop}
settings: {name: Shop}
sources:
  - key: hours
    name: Hours
    content: The shop is open from nine to five.
  - key: returns
    file: returns.md
    name: Returns
  - key: vouchers
    type: qna
    name: Vouchers
    questions: ["Do you sell vouchers?", "Are there gift cards?"]
    answer: Yes, at the till.
  - key: page
    type: link
    url: http://127.0.0.1:1/page
  - key: site
    type: link
    url: http://127.0.0.1:1/help
    linkType: crawl
    excludePaths: [^/old]
    slowScraping: true
  - key: handbook
    type: file
    name: Handbook
    file: files/handbook.md
`

// readFrom reads a manifest whose files are in a folder.
func readFrom(t testing.TB, folder, text string) *manifest.File {
	t.Helper()
	return manifest.Read("agent.yaml", []byte(text), manifest.Environment{
		Open: func(path string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, path)) },
		Env:  func(string) string { return "" },
	})
}

// documentsOf returns the documents of a manifest in which nothing is wrong.
func documentsOf(t testing.TB, folder, text string) (list []string) {
	t.Helper()
	f := readFrom(t, folder, text)
	if len(f.Faults) > 0 {
		t.Fatalf("%v", f.Faults)
	}
	for _, d := range f.Documents {
		list = append(list, string(d.JSON))
	}
	return list
}

func writeFiles(t testing.TB, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Sources of every kind go into an account and come out of it as they were, also into another account.
func TestEveryKindOfSourceComesBack(t *testing.T) {
	forEachDatabase(t, func(mt *manifestTest) {
		folder := writeFiles(t, map[string]string{"returns.md": "Returns take a week.", "files/handbook.md": handbook})
		agent, changes := mt.apply(admin.ApplyManifest{}, documentsOf(t, folder, sourceManifest)...)
		mt.requireEqual("first", changes, "create agent shop; create source hours; create source returns; "+
			"create source vouchers; create source page; create source site; create source handbook; ")
		_, changes = mt.apply(admin.ApplyManifest{Prune: true}, documentsOf(t, folder, sourceManifest)...)
		mt.requireEqual("again", changes, "")

		exported, err := admin.RunOn(t.Context(), mt.AdminService, admin.ExportAgent, admin.ManifestQuery{ID: string(agent)})
		if err != nil || len(exported.LeftOut) > 0 || len(exported.Files) != 1 {
			t.Fatalf("%v %v %v", err, exported.LeftOut, exported.Files)
		}
		_, changes = mt.apply(admin.ApplyManifest{Prune: true}, string(exported.Document))
		mt.requireEqual("the export, without its files", changes, "")

		text, err := manifest.Write(exported.Document)
		if err != nil {
			t.Fatal(err)
		}
		away := writeFiles(t, map[string]string{exported.Files[0].Path: mt.sourceFile(agent, exported.Files[0].SourceID)})
		other, changes := mt.apply(admin.ApplyManifest{AccountID: mt.OtherAccount}, documentsOf(t, away, text)...)
		if !strings.Contains(changes, "create source handbook") {
			t.Error(changes)
		}
		mt.requireEqual("the copy", sortSources(t, mt.export(other)), sortSources(t, string(exported.Document)))
		mt.requireEqual("the file of the copy", mt.sourceFile(other, mt.fileSource(other)), handbook)
	})
}

// sortSources returns a document with its sources by their keys: those of one moment have no order.
func sortSources(t testing.TB, document string) string {
	t.Helper()
	var parts map[string]any
	if err := json.Unmarshal([]byte(document), &parts); err != nil {
		t.Fatal(err)
	}
	list, _ := parts["sources"].([]any)
	slices.SortFunc(list, func(a, b any) int {
		return strings.Compare(fmt.Sprint(a.(map[string]any)["key"]), fmt.Sprint(b.(map[string]any)["key"]))
	})
	return fmt.Sprint(parts)
}

// sourceFile returns the file of a source.
func (mt *manifestTest) sourceFile(agent parley.AgentID, source parley.SourceID) string {
	mt.t.Helper()
	var content strings.Builder
	err := admin.DownloadOn(mt.t.Context(), mt.AdminService, admin.ReadSourceFile,
		admin.SourceRef{AgentID: string(agent), SourceID: string(source)}, &content)
	if err != nil {
		mt.t.Fatal(err)
	}
	return content.String()
}

func (mt *manifestTest) fileSource(agent parley.AgentID) parley.SourceID {
	mt.t.Helper()
	out, err := admin.RunOn(mt.t.Context(), mt.AdminService, admin.ExportAgent, admin.ManifestQuery{ID: string(agent)})
	if err != nil || len(out.Files) != 1 {
		mt.t.Fatal(err, out.Files)
	}
	return out.Files[0].SourceID
}

// Each kind changes where its entry does, and nowhere else.
func TestSourcesOfEveryKindChange(t *testing.T) {
	forEachDatabase(t, func(mt *manifestTest) {
		folder := writeFiles(t, map[string]string{"returns.md": "Returns take a week.", "files/handbook.md": handbook,
			"other.md": brochure})
		agent, _ := mt.apply(admin.ApplyManifest{}, documentsOf(t, folder, sourceManifest)...)
		edited := sourceManifest
		for _, c := range []struct{ old, new, changes string }{
			{"from nine to five", "from ten to six", "update source hours; "},
			{"Yes, at the till.", "No.", "update source vouchers; "},
			{`, "Are there gift cards?"`, "", "update source vouchers; "},
			{"excludePaths: [^/old]", "excludePaths: [^/old, ^/older]", "update source site; "},
			{"slowScraping: true", "slowScraping: false", "update source site; "},
			{"name: Handbook", "name: The handbook", "update source handbook; "},
			{"file: files/handbook.md", "file: other.md", "update source handbook; "},
		} {
			edited = strings.Replace(edited, c.old, c.new, 1)
			_, changes := mt.apply(admin.ApplyManifest{}, documentsOf(t, folder, edited)...)
			mt.requireEqual(c.new, changes, c.changes)
			_, changes = mt.apply(admin.ApplyManifest{}, documentsOf(t, folder, edited)...)
			mt.requireEqual(c.new+" again", changes, "")
		}
		mt.requireEqual("the file", mt.sourceFile(agent, mt.fileSource(agent)), brochure)
		document := mt.export(agent)
		for _, want := range []string{`"answer":"No."`, `"questions":["Do you sell vouchers?"]`, `"^/older"`,
			`"name":"The handbook"`, `"slowScraping":false`} {
			if !strings.Contains(document, want) {
				t.Errorf("%s is not in %s", want, document)
			}
		}
		_, changes := mt.apply(admin.ApplyManifest{Prune: true}, `{"agent":{"key":"shop"},"sources":[]}`)
		if n := strings.Count(changes, "delete source "); n != 6 {
			t.Error("pruned:", changes)
		}
	})
}

func TestWrongSourcesOfManifests(t *testing.T) {
	forEachDatabase(t, func(mt *manifestTest) {
		folder := writeFiles(t, map[string]string{"returns.md": "Returns take a week.", "files/handbook.md": handbook})
		mt.apply(admin.ApplyManifest{}, documentsOf(t, folder, sourceManifest)...)
		long := strings.Repeat("x", 101)
		for entry, want := range map[string]string{
			`{"key":"vouchers","type":"text"}`:                            "type: the source is of the type qna",
			`{"key":"vouchers","content":"x"}`:                            "content: does not go with the type qna",
			`{"key":"new","type":"qna","name":"N"}`:                       "answer: is required for a new source",
			`{"key":"new","type":"link"}`:                                 "url: is required for a new source",
			`{"key":"new","type":"link","url":"ftp://x.co/"}`:             "url: ",
			`{"key":"new","type":"notionPage","name":"N"}`:                "type: ",
			`{"key":"site","url":"http://127.0.0.1:1/"}`:                  "url: cannot change",
			`{"key":"site","linkType":"sitemap"}`:                         "linkType: cannot change",
			`{"key":"site","excludePaths":["("]}`:                         "excludePaths",
			`{"key":"new","name":"` + long + `","content":"x"}`:           "name: must have at most 100 characters",
			`{"key":"new","type":"link","url":"http://127.0.0.1:1/page"}`: "the agent reads this address in the same way",
			`{"key":"new","type":"qna","name":"Vouchers","questions":["Do you sell vouchers?","Are there gift cards?"],` +
				`"answer":"Yes, at the till."}`: "the agent has these questions and this answer",
			`{"key":"new","type":"file","name":"N","file":"n.md"}`:          "file: cannot be read",
			`{"key":"handbook","sha256":"` + strings.Repeat("0", 64) + `"}`: "file: cannot be read, and the agent has another",
		} {
			_, err := mt.tryApply(admin.ApplyManifest{}, `{"agent":{"key":"shop"},"sources":[`+entry+`]}`)
			text := fmt.Sprint(err)
			for place, reason := range parley.AsError(err).Details {
				text += " " + place + ": " + reason
			}
			if err == nil || !strings.Contains(text, want) {
				t.Errorf("%s: %s, want %q", entry, text, want)
			}
		}
	})
}

// A file beside the manifest is read whatever it holds, and may be missing where the manifest has its hash.
func TestFilesBesideTheManifest(t *testing.T) {
	folder := writeFiles(t, map[string]string{"a.bin": "\x00\xff\x01"})
	read := func(entry string) (string, []manifest.Note) {
		f := readFrom(t, folder, "agent: {key: a}\nsources:\n- "+entry+"\n")
		if len(f.Documents) != 1 {
			t.Fatal(f.Faults)
		}
		return string(f.Documents[0].JSON), f.Faults
	}
	document, faults := read("{key: k, type: file, name: N, file: a.bin}")
	want, _ := json.Marshal(base64.StdEncoding.EncodeToString([]byte("\x00\xff\x01")))
	if len(faults) > 0 || !strings.Contains(document, `"data":`+string(want)) ||
		!strings.Contains(document, `"file":"a.bin"`) {
		t.Error(document, faults)
	}
	if _, faults := read("{key: k, type: file, name: N, file: b.bin}"); len(faults) != 1 ||
		!strings.Contains(faults[0].String(), "sources.0.file: cannot be read") {
		t.Error(faults)
	}
	if document, faults := read("{key: k, type: file, name: N, file: b.bin, sha256: ab}"); len(faults) > 0 ||
		strings.Contains(document, "data") {
		t.Error(document, faults)
	}
}
