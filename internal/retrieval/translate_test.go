package retrieval

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"parley"
	"parley/internal/text/dictionary"
)

func openTables(t testing.TB, tables map[string]string) *dictionary.Set {
	t.Helper()
	dir := t.TempDir()
	for name, content := range tables {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := dictionary.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const germanTable = "Garten\tgarden, yard\nHund\tdog\nerlaubt\tallowed, welcome\nPaket\tparcel\nzurückgeben\treturn\n" +
	"Laden\tshop, store\ngeöffnet\topen, opened\n"

func newSourceIndex(texts ...string) *Index {
	x := NewIndex()
	for i, text := range texts {
		id := fmt.Sprintf("p%02d", i)
		x.Put(parley.Passage{ID: parley.PassageID(id), SourceID: parley.SourceID(id), Text: text, End: len(text)})
	}
	return x
}

var shopTexts = []string{"The shop opens at nine on weekdays, and it closes at noon on Saturdays.",
	"You can return a parcel within thirty days of its delivery.", "Dogs are welcome in the garden behind the shop.",
	"We ship to all of the countries in Europe.", "The invoice is sent to you by mail."}

func TestAQuestionFindsPassagesOfAnotherLanguage(t *testing.T) {
	x := newSourceIndex(shopTexts...)
	tables := openTables(t, map[string]string{"de-en.tsv": germanTable,
		"es-en.tsv": "paquete\tparcel\ndevolver\treturn\n"})
	for question, want := range map[string]parley.PassageID{
		"Wann wird der Laden geöffnet, und wann ist er zu?": "p00",
		"Wie lange kann ich das Paket zurückgeben?":         "p01",
		"Ist der Hund auch im Garten erlaubt?":              "p02",
		"¿Cómo puedo devolver el paquete?":                  "p01",
	} {
		hits := x.Nearest(Query{Text: question, Dictionaries: tables})
		if len(hits) == 0 || hits[0].Passage.ID != want || hits[0].Translations == nil {
			t.Errorf("%s: not %s first: %v", question, want, hits)
		}
	}
}

// The figures of a question in the language of the passages are the same to the last bit.
func TestDictionariesLeaveTheSameLanguageAlone(t *testing.T) {
	tables := openTables(t, map[string]string{"de-en.tsv": germanTable, "en-de.tsv": "garden\tGarten\n"})
	for _, c := range [][]string{
		append([]string{"Are dogs allowed in the garden?"}, shopTexts...),
		append([]string{"dogs garden"}, shopTexts...), // which shows no language
		{"Sind im Garten auch Hunde erlaubt?", "Im Garten sind Hunde erlaubt.", "Der Laden öffnet um neun.",
			"Ein Paket ist nach drei Tagen da."},
	} {
		x := newSourceIndex(c[1:]...)
		plain, with := x.Nearest(Query{Text: c[0]}), x.Nearest(Query{Text: c[0], Dictionaries: tables})
		if len(plain) == 0 || !reflect.DeepEqual(plain, with) {
			t.Errorf("%s: %v became %v", c[0], plain, with)
		}
	}
}

func TestPassagesOfTwoLanguagesAreFoundTogether(t *testing.T) {
	x := newSourceIndex(append([]string{"Im Garten hinter dem Haus sind Hunde erlaubt.", "Der Laden ist am Sonntag zu.",
		"Die Rechnung kommt mit der Post."}, shopTexts...)...)
	hits := x.Nearest(Query{Text: "Ist der Hund auch im Garten erlaubt?",
		Dictionaries: openTables(t, map[string]string{"de-en.tsv": germanTable})})
	if len(hits) < 2 || hits[0].Passage.ID != "p00" || hits[1].Passage.ID != "p05" {
		t.Errorf("not the German passage first, then the English one: %v", hits)
	}
}

func TestATranslatedFollowUpKeepsItsSubject(t *testing.T) {
	x := newSourceIndex(shopTexts...)
	hits := x.Nearest(Query{Text: "Und wie lange?", Earlier: []string{"Kann ich das Paket wieder zurückgeben?"},
		Dictionaries: openTables(t, map[string]string{"de-en.tsv": germanTable})})
	if len(hits) == 0 || hits[0].Passage.ID != "p01" {
		t.Errorf("found %v", hits)
	}
}

// A large index narrows down what it scores: both ways find the same.
func TestTranslatedQuestionsScoreAlikeInLargeIndexes(t *testing.T) {
	var texts []string
	for i := range rangeSize + 10 {
		word := []string{"yard", "shop", "bill"}[i%3]
		texts = append(texts, fmt.Sprintf("The %s of lot %d is in the file of the town.", word, i))
	}
	texts[4000] = "The dog is welcome in the garden."
	x := newSourceIndex(texts...)
	q := Query{Text: "Ist der Hund auch im Garten erlaubt?",
		Dictionaries: openTables(t, map[string]string{"de-en.tsv": germanTable})}
	if hits := x.Nearest(q); hits[0].Passage.ID != "p4000" {
		t.Errorf("found %v", hits[0].Passage)
	}
}

func BenchmarkTranslatedQuestion(b *testing.B) {
	x := newSourceIndex(shopTexts...)
	q := Query{Text: "Ist der Hund auch im Garten erlaubt?",
		Dictionaries: openTables(b, map[string]string{"de-en.tsv": germanTable})}
	for b.Loop() {
		x.Nearest(q)
	}
}
