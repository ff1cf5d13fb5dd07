package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// readManifest reads a manifest beside one file and one secret.
func readManifest(text string) *File {
	return Read("a.yaml", []byte(text), Environment{
		Open: func(path string) (io.ReadCloser, error) {
			switch path {
			case "hours.md":
				return io.NopCloser(strings.NewReader("\ufeff# Hours\n")), nil
			case "photo.jpg":
				return io.NopCloser(strings.NewReader("\xff\xd8")), nil
			}
			return nil, errors.New("no such file")
		},
		Env: func(name string) string {
			if name == "SHOP_KEY" {
				return "sesame"
			}
			return ""
		},
	})
}

func TestValuesAreReadAsYAML12(t *testing.T) {
	for yaml, want := range map[string]string{
		"a: yes":                           `{"a":"yes"}`,
		"a: on":                            `{"a":"on"}`,
		"a: true":                          `{"a":true}`,
		"on: 1":                            `{"on":1}`,
		"a: 007":                           `{"a":7}`,
		"a: \"007\"":                       `{"a":"007"}`,
		"a: 0x10":                          `{"a":16}`,
		"a: 0100":                          `{"a":100}`,
		"a: -7":                            `{"a":-7}`,
		"a: 0o17":                          `{"a":15}`,
		"a: 1_000":                         `{"a":"1_000"}`,
		"a: 0b11":                          `{"a":"0b11"}`,
		"a: 0.50":                          `{"a":0.5}`,
		"a: 1e3":                           `{"a":1000}`,
		"a: 2026-11-21":                    `{"a":"2026-11-21"}`,
		"a: ~":                             `{"a":null}`,
		"a:":                               `{"a":null}`,
		"a: |\n  x\n  y\n":                 `{"a":"x\ny\n"}`,
		"a: &x {b: 1}\nc: *x":              `{"a":{"b":1},"c":{"b":1}}`,
		"a: [1, [], {}]":                   `{"a":[1,[],{}]}`,
		"a: !!str 5":                       `{"a":"5"}`,
		"a: 18446744073709551615":          `{"a":18446744073709552000}`,
		"sources: [{file: hours.md}]":      `{"sources":[{"content":"# Hours\n"}]}`,
		"---\n---\na: 1\n---\n# nothing\n": `{"a":1}`,
	} {
		f := readManifest(yaml)
		if len(f.Faults) > 0 || len(f.Documents) != 1 || string(f.Documents[0].JSON) != want {
			t.Errorf("%q: %+v, %v", yaml, f.Documents, f.Faults)
		}
	}
}

func TestFaultsNameTheirLines(t *testing.T) {
	for yaml, want := range map[string]string{
		"":                       "a.yaml: the file holds no agent",
		"a: 1\n b: 2":            "a.yaml:2: this is not YAML: mapping values are not allowed in this context",
		"a: 1\nb: [x, y?]\nc: 2": "a.yaml:2: this is not YAML: did not find expected ',' or ']'",
		"- a": "a.yaml:1: a document is a mapping of parts, such as agent, " +
			"settings and sources",
		"a:\n  b: 1\n  b: 2": "a.yaml:3: a.b: is there twice",
		"a:\n  <<: {b: 1}": "a.yaml:2: a.<<: merge keys (<<) are not understood; write the " +
			"fields out, or use an alias for a whole value",
		"a: [.inf]":                   "a.yaml:1: a.0: is not a number that can be used",
		"a: !shape x":                 "a.yaml:1: a: has the tag !shape, which is not understood",
		"a: !!int x":                  "a.yaml:1: a: is not what its tag says",
		"? [a]\n: 1":                  "a.yaml:1: a name is expected here, not a list or a mapping",
		"sources:\n- file: no.md":     "a.yaml:2: sources.0.file: cannot be read: no such file",
		"sources:\n- file: photo.jpg": "a.yaml:2: sources.0.file: the file is not UTF-8 text",
		"sources:\n- {file: 5}": "a.yaml:2: sources.0.file: must be the path of a file, seen " +
			"from the manifest",
		"sources:\n- file: a\n  content: b":  "a.yaml:2: sources.0.file: content and file exclude each other",
		"a: &a [*a]":                         "nested too deeply, or an anchor holds itself",
		aliasBomb():                          "holds more than",
		"a: \"" + strings.Repeat("x", 8<<20): "a.yaml: the file is larger than 8 MB",
	} {
		f := readManifest(yaml)
		if len(f.Faults) != 1 || !strings.HasSuffix(f.Faults[0].String(), want) && !strings.Contains(f.Faults[0].Text, want) {
			t.Errorf("%.40q: %v", yaml, f.Faults)
		}
	}
}

// aliasBomb returns a manifest whose aliases double a list until no memory could hold it.
func aliasBomb() string {
	text := "a0: &a0 [x, x]\n"
	for i := 1; i < 64; i++ {
		text += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return text
}

func TestLocate(t *testing.T) {
	f := readManifest("# first\nagent: {key: a}\n---\nagent:\n  key: b\nactions:\n- key: x\n  config:\n    url: " +
		"y\n- *nothing\n")
	if len(f.Faults) != 1 {
		t.Fatal(f.Faults)
	}
	f = readManifest("# first\nagent: {key: a}\n---\nagent:\n  key: b\nactions:\n- key: x\n  config:\n    url: y\n")
	for path, want := range map[string]string{
		"0.agent.key":                  "a.yaml:2: agent.key: bad",
		"1.agent.key":                  "a.yaml:5: agent.key: bad",
		"1.actions.0.config.url":       "a.yaml:9: actions.0.config.url: bad",
		"1.actions.0.config.headers.X": "a.yaml:8: actions.0.config.headers.X: bad",
		"1.actions.0.name":             "a.yaml:7: actions.0.name: bad",
		"1.settings.name":              "a.yaml:4: settings.name: bad",
		"accountId":                    "a.yaml: accountId: bad",
	} {
		if got := f.Locate(path, "bad").String(); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestSecretsComeFromTheEnvironment(t *testing.T) {
	f := readManifest(`
settings: {instructions: "${HOME}"}
actions:
- config:
    url: https://shop.example/${UNSET}
    headers: {X-Api-Key: "${SHOP_KEY}", Authorization: Bearer abcdefgh12345678, Accept: application/json}
`)
	if len(f.Secrets) != 1 || f.Secrets["SHOP_KEY"] != "sesame" || len(f.Faults) > 0 {
		t.Errorf("%v %v", f.Secrets, f.Faults)
	}
	if len(f.Warnings) != 1 || !strings.HasPrefix(f.Warnings[0].String(),
		"a.yaml:6: actions.0.config.headers.Authorization: looks like a key") {
		t.Errorf("%v", f.Warnings)
	}
	if strings.Contains(string(f.Documents[0].JSON), "sesame") {
		t.Error("the document holds a secret")
	}
}

func TestWriteAndReadRoundTrip(t *testing.T) {
	texts := []string{"", "yes", "null", "~", "5", "0x10", "1e3", "2026-11-21", "a: b", "# x", "- x", "  x", "x  ",
		"a\nb", "a\nb\n", "a\n\n\nb\n\n", "\na", " a\nb", "a \nb", "a\tb\nc", "a\r\nb",
		"\n", "\u2028", "a\u0085b\nc", "\ufeffx", "😀\n😀", "é", "---", "...", "a\n---\nb", "'", `"`, `\`, "{x}", "[x]",
		"*a", "&a", "!a", "%a", "@a", "`a", "<<", "=", "- a\n- b", "a:\n  b", "| x\ny", "\u00a0x", "a\vb"}
	for _, s := range texts {
		doc, err := json.Marshal(map[string]any{"list": []any{s, map[string]any{"k": s, "n": 1.5, "i": 12345678901234,
			"t": true, "z": nil, "o": map[string]any{}, "l": []any{}}}, "v": s})
		if err != nil {
			t.Fatal(err)
		}
		text, err := Write(doc)
		if err != nil {
			t.Fatal(err)
		}
		f := readManifest(text)
		if len(f.Faults) > 0 || len(f.Documents) != 1 || string(f.Documents[0].JSON) != string(doc) {
			t.Errorf("%q became\n%s, then %+v %v", s, text, f.Documents, f.Faults)
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("a: b\n", "- x \n\n y")
	f.Fuzz(func(t *testing.T, a, b string) {
		doc, err := json.Marshal([]any{map[string]string{"a": strings.ToValidUTF8(a, ""),
			"b": strings.ToValidUTF8(b, "")}}[0])
		if err != nil {
			t.Fatal(err)
		}
		text, err := Write(doc)
		if err != nil {
			t.Fatal(err)
		}
		if got := readManifest(text); len(got.Documents) != 1 || string(got.Documents[0].JSON) != string(doc) {
			t.Errorf("%s became\n%s\nthen %+v %v", doc, text, got.Documents, got.Faults)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("a: &x [1, *x]\n---\nb: {c: 2}\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range readManifest(text).Documents {
			if !json.Valid(d.JSON) {
				t.Errorf("%q: %s", text, d.JSON)
			}
		}
	})
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\nb\n", "a\nb\n", ""},
		{"", "a\nb\n", "+a\n+b\n"},
		{"a\n", "", "-a\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", " ⋮\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n ⋮\n"},
		{"a\nb\nc\n", "b\nc\nd\n", "-a\n b\n c\n+d\n"},
	} {
		if got := Diff(c.before, c.after); got != c.want {
			t.Errorf("%q to %q:\n%s", c.before, c.after, got)
		}
	}
}
