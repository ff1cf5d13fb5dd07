package language

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Every language has each table, or says that it has not: what is forgotten is not understood, and nobody sees why.
func TestEveryTableIsThereOrAbsent(t *testing.T) {
	for _, l := range All() {
		absent := slices.Collect(l.Absent.All())
		known := map[string]bool{}
		for name, isEmpty := range tables(reflect.ValueOf(*l), "") {
			section, _, _ := strings.Cut(name, ".")
			known[name], known[section] = true, true
			isAbsent := slices.Contains(absent, name) || slices.Contains(absent, section)
			if isEmpty && !isAbsent {
				t.Errorf("%s: %s is missing; name it in absent if the language has none", l.Tag, name)
			}
			if !isEmpty && isAbsent {
				t.Errorf("%s: %s is there, and in absent", l.Tag, name)
			}
		}
		for _, name := range absent {
			if !known[name] {
				t.Errorf("%s: absent names %s, which is no table", l.Tag, name)
			}
		}
	}
}

// tables returns the tables of a file by their names, and whether they are empty.
func tables(v reflect.Value, prefix string) map[string]bool {
	all := map[string]bool{}
	for i := range v.NumField() {
		name := prefix + v.Type().Field(i).Tag.Get("yaml")
		switch field := v.Field(i); {
		case field.Kind() == reflect.Struct:
			for n, isEmpty := range tables(field, name+".") {
				all[n] = isEmpty
			}
		case !slices.Contains([]string{"unspaced", "stemmer", "capital_nouns", "absent", "person_wish.parts"}, name):
			all[name] = field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0
		}
	}
	return all
}

func TestLanguagesAreNumbered(t *testing.T) {
	seen := map[string]bool{}
	for i, l := range All() {
		if l.Order != i+1 {
			t.Errorf("%s has the number %d and is the %d. language", l.Tag, l.Order, i+1)
		}
		if l.Tag == "" || seen[l.Tag] {
			t.Errorf("the tag %q is missing or there twice", l.Tag)
		}
		seen[l.Tag] = true
	}
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	for _, text := range []string{"tag: xx\nfunction_word: a b\n", "tag: xx\nquestions:\n  howto: how\n"} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// A capital or a mark in a table is a slip: words are compared in lower case, phrases are separated by commas.
func TestWordsAreWords(t *testing.T) {
	for _, l := range All() {
		for w := range l.FunctionWords.All() {
			if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsPunct(r) }) {
				t.Errorf("%s: %q is no word", l.Tag, w)
			}
		}
	}
}

func TestPhrases(t *testing.T) {
	if got := slices.Collect(Phrases("how do i, how to,\n what").All()); !slices.Equal(got,
		[]string{"how do i", "how to", "what"}) {
		t.Errorf("%q", got)
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		entries, _ := files.ReadDir("data")
		for _, entry := range entries {
			text, _ := files.ReadFile("data/" + entry.Name())
			if _, err := Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	}
}
