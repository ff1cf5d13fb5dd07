// Package language holds what the program knows of each language: a file for each in the folder data, with all its
// words and sentences. It knows no rule: those who use a table say what it does. The files are read when the first
// table is wanted.
package language

import (
	"bytes"
	"embed"
	"fmt"
	"iter"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed data/*.yaml
var files embed.FS

// Language is the file of a language. What the tables are for is said in data/en.yaml.
type Language struct {
	Tag      string `yaml:"tag"`   // of BCP 47
	Codes    Words  `yaml:"codes"` // others that dictionaries name it by
	Name     string `yaml:"name"`
	Order    int    `yaml:"order"` // from 1 on, without gaps
	Script   string `yaml:"script"`
	Unspaced bool   `yaml:"unspaced"` // written without spaces between words
	Stemmer  string `yaml:"stemmer"`  // empty if words have no endings

	ParticiplePrefix  Words `yaml:"participle_prefix"`
	SeparablePrefixes Words `yaml:"separable_prefixes"`

	CapitalNouns bool `yaml:"capital_nouns"` // a capital is no sign of a name

	FunctionWords Words  `yaml:"function_words"`
	CustomerWords Words  `yaml:"customer_words"`
	Synonyms      Groups `yaml:"synonyms"`

	Questions    Questions    `yaml:"questions"`
	Measures     Measures     `yaml:"measures"`
	Sentences    Sentences    `yaml:"sentences"`
	SmallTalk    SmallTalk    `yaml:"small_talk"`
	Conversation Conversation `yaml:"conversation"`
	Contacts     Contacts     `yaml:"contacts"`
	PersonWish   PersonWish   `yaml:"person_wish"`
	Tools        Tools        `yaml:"tools"`
	Texts        Texts        `yaml:"texts"`
	Sources      Sources      `yaml:"sources"`
	Redaction    Redaction    `yaml:"redaction"`
	Models       Models       `yaml:"models"`
	Insight      Insight      `yaml:"insight"`
	Voice        Voice        `yaml:"voice"`

	Absent Words `yaml:"absent"` // tables, and parts of the file, that the language has no words for
}

// Words are words, separated by space.
type Words string

// All yields them in their order.
func (w Words) All() iter.Seq[string] { return strings.FieldsSeq(string(w)) }

// Phrases are phrases, separated by commas.
type Phrases string

// All yields them in their order.
func (p Phrases) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for phrase := range strings.SplitSeq(string(p), ",") {
			if phrase = strings.TrimSpace(phrase); phrase != "" && !yield(phrase) {
				return
			}
		}
	}
}

// Groups are words that stand for each other, a group a line.
type Groups string

// All yields the groups.
func (g Groups) All() iter.Seq[Words] {
	return func(yield func(Words) bool) {
		for line := range strings.Lines(string(g)) {
			if !yield(Words(line)) {
				return
			}
		}
	}
}

// All returns the languages in their order. They are read once; a fault in a file is one of the program.
func All() []*Language { return loadAll() }

var loadAll = sync.OnceValue(func() []*Language {
	entries, err := files.ReadDir("data")
	if err != nil {
		panic(err)
	}
	var all []*Language
	for _, entry := range entries {
		text, err := files.ReadFile(path.Join("data", entry.Name()))
		if err != nil {
			panic(err)
		}
		l, err := Parse(text)
		if err != nil {
			panic(fmt.Errorf("language: %s: %w", entry.Name(), err))
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *Language) int { return a.Order - b.Order })
	return all
})

// Parse reads the file of a language. A field that there is not is an error.
func Parse(text []byte) (*Language, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	l := &Language{}
	if err := decoder.Decode(l); err != nil {
		return nil, err
	}
	return l, nil
}

// EveryWord yields the words of all tables about how people speak, some of them more than once.
func (l *Language) EveryWord() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, part := range []any{l.Questions, l.Measures, l.Sentences, l.SmallTalk, l.Conversation, l.Contacts, l.Tools} {
			for _, table := range reflect.ValueOf(part).Fields() {
				for w := range eachWord(table.Interface()) {
					if !yield(w) {
						return
					}
				}
			}
		}
	}
}

// eachWord yields the words of a table of words, phrases or groups, and nothing of any other.
func eachWord(table any) iter.Seq[string] {
	switch table := table.(type) {
	case Words:
		return table.All()
	case Phrases:
		return strings.FieldsSeq(strings.ReplaceAll(string(table), ",", " "))
	case Groups:
		return strings.FieldsSeq(string(table))
	}
	return func(func(string) bool) {}
}

// Set returns the words of a table in all languages, as they are written there.
func Set(table func(*Language) Words) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, l := range All() {
			for w := range table(l).All() {
				set[w] = true
			}
		}
		return set
	})
}

// List returns the phrases of a table in all languages, as they are written there.
func List(table func(*Language) Phrases) func() []string {
	return sync.OnceValue(func() (list []string) {
		for _, l := range All() {
			list = slices.AppendSeq(list, table(l).All())
		}
		return list
	})
}

// Patterns returns the regular expressions of a table in all languages.
func Patterns(table func(*Language) []string) (list []string) {
	for _, l := range All() {
		list = append(list, table(l)...)
	}
	return list
}
