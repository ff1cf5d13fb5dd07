package httpapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/testkit/check"
)

func TestParseJSONSuite(t *testing.T) {
	const folder = "json-test-suite"
	dir := filepath.Join(os.Getenv("PARLEY_DATA_SETS"), folder)
	if dir == folder {
		dir = check.SharedDir(t, folder)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) == 0 {
		t.Fatal("no files in ", dir)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		_, err = parseJSON(text)
		switch {
		case strings.HasPrefix(name, "y_object_duplicated_key"):
			if err == nil {
				t.Errorf("%s: a name given twice was accepted", name)
			}
		case strings.HasPrefix(name, "y_") && err != nil:
			t.Errorf("%s: refused: %v", name, err)
		case strings.HasPrefix(name, "n_") && err == nil:
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestParseJSON(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{`{"a":1,"b":[true,null,"x"]}`, true},
		{" \t\r\n[] ", true},
		{`"😀 \" \\ \/ \b\f\n\r\t"`, true},
		{`-0.5e+10`, true},
		{``, false},
		{`{"a":1,"a":2}`, false},
		{`{"a":1,"\u0061":2}`, false},
		{`{} {}`, false},
		{`{}x`, false},
		{`{"a":1,}`, false},
		{`[1,]`, false},
		{`01`, false},
		{`+1`, false},
		{`.5`, false},
		{`1.`, false},
		{`NaN`, false},
		{`'a'`, false},
		{"\"a\nb\"", false},
		{"\"\xff\"", false},
		{"\xef\xbb\xbf{}", true}, // a byte order mark
		{"\xef\xbb\xbf", false},
		{"\xef\xbb\xbf\xef\xbb\xbf{}", false},
		{" \xef\xbb\xbf{}", false},
		{"{}\xef\xbb\xbf", false},
		{strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), true},
		{strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), false},
		{"[" + strings.Repeat("1,", maxValues) + "1]", false},
	} {
		if _, err := parseJSON([]byte(c.text)); (err == nil) != c.ok {
			t.Errorf("%.40q: %v", c.text, err)
		}
	}
}

func TestObjectsWithManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 1000 {
		b.WriteString(`"k` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune(0x4e00+i)) + `":1,`)
	}
	if _, err := parseJSON([]byte(b.String() + `"z":1}`)); err != nil {
		t.Error(err)
	}
	if _, err := parseJSON([]byte(b.String() + `"ka` + string(rune(0x4e00)) + `":1}`)); err == nil {
		t.Error("a name given twice among many was accepted")
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\ud83d\ude00",{"b":null}]}`, `"\ud800"`, `[1e5,-0]`, "\xff", `{"a":1,"a":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := parseJSON(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("accepted %q, which is not JSON", text)
		}
		if v.kind == jsonString {
			var want string
			if err := json.Unmarshal(text, &want); err != nil || want != string(unquote(v.raw)) {
				t.Fatalf("%q reads as %q, want %q", text, unquote(v.raw), want)
			}
		}
	})
}
