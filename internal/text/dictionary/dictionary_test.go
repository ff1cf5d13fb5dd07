package dictionary

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/testkit/check"
	"parley/internal/text/words"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openFiles returns the dictionaries in the files, and what was logged about them.
func openFiles(t *testing.T, files map[string]string) (*Set, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	s, err := Open([]string{writeFiles(t, files)}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s, &log
}

func translate(d *Dictionary, word string) string {
	if d == nil {
		return "no dictionary"
	}
	var parts []string
	for _, list := range d.Translate(words.Fold(word)) {
		var of []string
		for _, t := range list {
			of = append(of, t.Word)
		}
		parts = append(parts, strings.Join(of, " "))
	}
	return strings.Join(parts, " | ")
}

const shopTable = "# words of the shop\n\nRückgabe\treturn, giving back\nFrist\tdeadline, period\n" +
	"Bestellung\torder\ndie Lieferung\tdelivery\nzurückgeben\tto return\nGeld zurück\trefund\n"

func TestWordsOfATableAreTranslated(t *testing.T) {
	s, log := openFiles(t, map[string]string{"de-en.tsv": shopTable})
	d := s.Find(words.German, words.English)
	for word, want := range map[string]string{
		"Bestellung":    "order",
		"Bestellungen":  "order",                                // another form
		"Lieferung":     "delivery",                             // the article is no part of it
		"Rückgabefrist": "deadline period | return giving back", // a compound, its last part first
		"zurückgeben":   "return",
		"Geld":          "", // of a headword of two words
		"Haus":          "",
	} {
		if got := translate(d, word); got != want {
			t.Errorf("%s: %q, not %q", word, got, want)
		}
	}
	if strings.Contains(log.String(), "WARN") {
		t.Errorf("warned: %s", log)
	}
}

func TestADictionaryServesTheOtherDirectionToo(t *testing.T) {
	s, _ := openFiles(t, map[string]string{"de-en.tsv": shopTable})
	if got := translate(s.Find(words.English, words.German), "orders"); got != "bestellung" {
		t.Errorf("orders: %q", got)
	}
	if s.Find(words.Spanish, words.English) != nil {
		t.Error("there is a dictionary of a language that no file is of")
	}
}

func TestArabicWordsAreFoundWithWhatIsWrittenBeforeThem(t *testing.T) {
	s, _ := openFiles(t, map[string]string{"ar-en.tsv": "مدينة\tcity\nجامعة\tuniversity\n"})
	d := s.Find(words.Arabic, words.English)
	for word, want := range map[string]string{"المدينة": "city", "وبالمدينة": "city", "الجامعات": "university"} {
		if got := translate(d, word); got != want {
			t.Errorf("%s: %q, not %q", word, got, want)
		}
	}
}

func TestBrokenFilesAreNamedAndLeftOut(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"no tab":          {"Haus\thouse\nTür door\n", "line 2"},
		"no translation":  {"Haus\thouse\n\nTür\t \n", "line 3"},
		"not UTF-8":       {"Haus\thouse\nT\xfcr\tdoor\n", "line 2"},
		"a line too long": {"Haus\t" + strings.Repeat("house, ", 20_000) + "\n", "line 1"},
	} {
		s, log := openFiles(t, map[string]string{"de-en.tsv": c.content, "good-de-en.tsv": "Garten\tgarden\n"})
		d := s.Find(words.German, words.English)
		if got := translate(d, "Garten"); got != "garden" {
			t.Errorf("%s: the other file translates Garten as %q", name, got)
		}
		if got := translate(d, "Haus"); got != "" {
			t.Errorf("%s: half of the file is used: %q", name, got)
		}
		if !strings.Contains(log.String(), "WARN") || !strings.Contains(log.String(), "de-en.tsv, "+c.want) {
			t.Errorf("%s: the log names neither file nor line: %s", name, log)
		}
	}
}

// newDictd returns the two files of a dictionary as dictd has them.
func newDictd(t *testing.T, entries [][2]string) (index, texts string) {
	t.Helper()
	var plain, packed bytes.Buffer
	var lines []string
	for _, e := range entries {
		lines = append(lines, e[0]+"\t"+encodeNumber(plain.Len())+"\t"+encodeNumber(len(e[1])))
		plain.WriteString(e[1])
	}
	slices.Sort(lines)
	w := gzip.NewWriter(&packed)
	w.Extra = []byte("RA\x02\x00\x00\x00") // dictzip's table is in the header
	if _, err := w.Write(plain.Bytes()); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n") + "\n", packed.String()
}

func encodeNumber(n int) (text string) {
	for n > 0 || text == "" {
		text, n = string(base64Digits[n%64])+text, n/64
	}
	return text
}

var dictdEntries = [][2]string{
	{"00databaseinfo", "00-database-info\nA dictionary\n"},
	{"haus", "Haus /hˈaʊs/ <neut, n, sg>\n [adm.] house <n>, home <n> (a place)\n" +
		"      \"ein Haus bauen\"  - build a house\n"},
	{"sich freuen", "sich freuen /fɾˈɔøən/ <v>\n1. be glad\n2. rejoice\n   Synonym: {jubeln}\n see: {Freude}\n"},
}

func TestDictionariesOfDictdAreRead(t *testing.T) {
	index, texts := newDictd(t, dictdEntries)
	s, log := openFiles(t, map[string]string{"freedict-deu-eng.index": index, "freedict-deu-eng.dict.dz": texts})
	d := s.Find(words.German, words.English)
	for word, want := range map[string]string{"Haus": "house home", "freuen": "glad rejoice", "bauen": ""} {
		if got := translate(d, word); got != want {
			t.Errorf("%s: %q, not %q; log: %s", word, got, want, log)
		}
	}
}

func TestBrokenDictionariesOfDictdAreLeftOut(t *testing.T) {
	index, texts := newDictd(t, dictdEntries)
	for name, files := range map[string]map[string]string{
		"no texts":     {"freedict-deu-eng.index": index},
		"no gzip":      {"freedict-deu-eng.index": index, "freedict-deu-eng.dict.dz": "plain"},
		"cut off":      {"freedict-deu-eng.index": index, "freedict-deu-eng.dict.dz": texts[:len(texts)/2]},
		"a bad index":  {"freedict-deu-eng.index": "haus\t!\t?\n", "freedict-deu-eng.dict.dz": texts},
		"beyond texts": {"freedict-deu-eng.index": "haus\tBAAA\tB\n", "freedict-deu-eng.dict.dz": texts},
	} {
		s, log := openFiles(t, files)
		if got := translate(s.Find(words.German, words.English), "freuen"); got != "no dictionary" {
			t.Errorf("%s: translates as %q", name, got)
		}
		if !strings.Contains(log.String(), "freedict-deu-eng") {
			t.Errorf("%s: the log does not name the file: %s", name, log)
		}
	}
}

func TestAFolderThatIsMissingIsRefused(t *testing.T) {
	if _, err := Open([]string{"/nowhere/at/all"}, nil); err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
		t.Errorf("opened with %v", err)
	}
}

func TestFilesOfUnknownLanguagesArePassedOver(t *testing.T) {
	s, _ := openFiles(t, map[string]string{"xx-en.tsv": "a\tb\n", "notes.txt": "", "en-en.tsv": "", "zh-en.tsv": "",
		"shop.de-EN.tsv": "", "freedict-fra-eng.index": ""})
	if got := fmt.Sprint(s.Pairs()); got != "[fr-en]" {
		t.Errorf("found %s", got)
	}
}

func FuzzDictd(f *testing.F) {
	f.Add("haus\tA\tB\n", "Haus\nhouse\n")
	f.Fuzz(func(t *testing.T, index, texts string) {
		dir := writeFiles(t, map[string]string{"a.index": index, "a.dict": texts})
		_ = readDictd(filepath.Join(dir, "a.index"), func(string, string) {})
	})
}

// Where FreeDict's German dictionary is installed it is read as a whole, within the bounds that the manual states.
func TestTheInstalledGermanDictionary(t *testing.T) {
	const folder = "/usr/share/dictd"
	switch _, err := os.Stat(filepath.Join(folder, "freedict-deu-eng.index")); {
	case testing.Short():
		t.Skip("it takes seconds")
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal("dict-freedict-deu-eng is not installed")
	case err != nil:
		t.Skip("dict-freedict-deu-eng is not installed")
	}
	s, err := Open([]string{folder}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Find(words.German, words.English)
	if perWord := d.Bytes() / d.Len(); d.Len() < 100_000 || perWord > 40 {
		t.Errorf("%d headwords of %d bytes each", d.Len(), perWord)
	}
	for word, want := range map[string]string{"Häuser": "houses", "Verwaltungsgericht": "court"} {
		if got := translate(d, word); !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", word, got, want)
		}
	}
}

// A look-up makes few allocations, which the race detector adds to.
func TestWorkOfLookUps(t *testing.T) {
	check.SkipUnderRace(t)
	s, _ := openFiles(t, map[string]string{"de-en.tsv": shopTable})
	d := s.Find(words.German, words.English)
	if n := testing.AllocsPerRun(100, func() { d.find("bestellung") }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
