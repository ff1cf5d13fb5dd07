package parley_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley"
)

func TestNamesAreTrimmed(t *testing.T) {
	for name, want := range map[string]string{" Kim Marlow ": "Kim Marlow", "agent \u202egnp.exe\u202c": "agent gnp.exe",
		"\u202a \u202e": "", "דנה\u200f!": "דנה\u200f!", "\u2068a\u2069": "\u2068a\u2069"} {
		if got := parley.TrimName(name); got != want {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}

func TestVisibleTexts(t *testing.T) {
	for text, want := range map[string]bool{"": false, " \t\n\u00a0": false, "\u202e": false, "\u200b\u2060\ufeff": false,
		"\u3164": false, "\u2800": false, "a": true, "\u202ea": true, "店": true, "🙂": true, ".": true} {
		if parley.IsVisible(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text              string
		n                 int
		characters, bytes string
	}{
		{"", 0, "", ""},
		{"", 3, "", ""},
		{"abc", 0, "", ""},
		{"abc", 2, "ab", "ab"},
		{"abc", 3, "abc", "abc"},
		{"abc", 9, "abc", "abc"},
		{"äöü", 2, "äö", "ä"},
		{"äöü", 3, "äöü", "ä"},
		{"äöü€", 3, "äöü", "ä"},
		{"🙂x", 1, "🙂", ""},
		{"🙂x", 5, "🙂x", "🙂x"},
	} {
		if got := parley.ClipText(c.text, c.n); got != c.characters {
			t.Errorf("ClipText(%q, %d) is %q, want %q", c.text, c.n, got, c.characters)
		}
		if got := parley.ClipBytes(c.text, c.n); got != c.bytes {
			t.Errorf("ClipBytes(%q, %d) is %q, want %q", c.text, c.n, got, c.bytes)
		}
	}
}

func TestClipBytesOfASlice(t *testing.T) {
	if got := parley.ClipBytes([]byte("aé"), 2); string(got) != "a" {
		t.Errorf("clipped to %q", got)
	}
}

func TestIsKey(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "4.1_b-C": true, strings.Repeat("k", 100): true,
		"": false, "-a": false, "a b": false, "é": false, strings.Repeat("k", 101): false,
	} {
		if got := parley.IsKey(text); got != want {
			t.Errorf("IsKey(%q) is %v", text, got)
		}
	}
}

func TestEnumValues(t *testing.T) {
	if got := parley.EnumValues("priority"); len(got) != 5 || got[0] != "none" {
		t.Errorf("the priorities are %q", got)
	}
	if got := parley.EnumValues("nothing"); got != nil {
		t.Errorf("an unknown enumeration has the values %q", got)
	}
}

// A struct tag refers to an enumeration by its name, so that its values are listed in one place.
func TestTagsDoNotRepeatEnumerations(t *testing.T) {
	literals := map[string]string{} // files by the values that a tag lists
	names := map[string]bool{}
	reference, literal := regexp.MustCompile(`enum[:=]"?@(\w+)`), regexp.MustCompile(`enum:",?(\w[^"]*)"`)
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range reference.FindAllSubmatch(text, -1) {
			names[string(match[1])] = true
		}
		for _, match := range literal.FindAllSubmatch(text, -1) {
			literals[string(match[1])] = file
		}
	}
	if len(names) < 10 || len(literals) < 10 {
		t.Errorf("found the names %v and the lists %v", names, literals)
	}
	for name := range names {
		values := strings.Join(parley.EnumValues(name), ",")
		if file := literals[values]; file != "" {
			t.Errorf("%s lists the values of @%s: %s", file, name, values)
		}
	}
}

func TestConsoleLocalesHaveCatalogs(t *testing.T) {
	files, err := os.ReadDir("web/console/src/locales")
	if err != nil {
		t.Fatal(err)
	}
	found := []string{""} // the language of the browser
	for _, file := range files {
		found = append(found, strings.TrimSuffix(file.Name(), ".json"))
	}
	wanted := parley.ConsoleLocales()
	slices.Sort(wanted)
	if !slices.Equal(wanted, found) {
		t.Errorf("catalogs of %v, and languages %v", found, wanted)
	}
}
