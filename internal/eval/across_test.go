package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/text/dictionary"
)

// squad returns a file of SQuAD's format with a question about each paragraph.
func squad(paragraphs ...[3]string) string {
	var parts []string
	for i, p := range paragraphs {
		parts = append(parts, fmt.Sprintf(`{"context": %q, "qas": [{"id": "q%d", "question": %q, `+
			`"answers": [{"text": %q}]}]}`, p[0], i, p[1], p[2]))
	}
	return `{"version": "1", "data": [{"paragraphs": [` + strings.Join(parts, ", ") + `]}]}`
}

func translatedSets(t *testing.T) []eval.Set {
	t.Helper()
	sets, err := eval.ReadSets(newFolder(map[string]string{
		"shop.en.json": squad([3]string{"You can return a parcel within thirty days of the delivery.",
			"How long can I return a parcel?", "thirty days"},
			[3]string{"Dogs are welcome in the garden behind the house.", "Where are dogs allowed?", "garden"},
			[3]string{"The invoice is sent to you by mail.", "How is the invoice sent?", "mail"}),
		"shop.de.json": squad([3]string{"Ein Paket kann innerhalb von dreißig Tagen zurückgegeben werden.",
			"Wie lange kann ich ein Paket zurückgeben?", "dreißig Tagen"},
			[3]string{"Hunde sind im Garten willkommen.", "Wo im Garten sind Hunde willkommen?", "Garten"}),
	}), "")
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

func TestQuestionsAreAskedAcrossLanguages(t *testing.T) {
	across, err := eval.AcrossLanguages(translatedSets(t), []string{"de-en"})
	if err != nil || len(across) != 1 || across[0].Name != "shop.de-en" {
		t.Fatalf("%v, %v", across, err)
	}
	if q := across[0].Questions; len(q) != 2 || !strings.HasPrefix(q[0].Text, "Wie lange") ||
		q[0].References[0] != "thirty days" {
		t.Fatalf("%+v", q)
	}
	dir := t.TempDir()
	table := "Paket\tparcel\nzurückgeben\treturn\nHund\tdog\nGarten\tgarden\nwillkommen\twelcome\n"
	if err := os.WriteFile(filepath.Join(dir, "de-en.tsv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	dictionaries, err := dictionary.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName},
		Dictionaries: dictionaries, Now: func() time.Time { return time.UnixMilli(0) }}.RunAll(t.Context(), across)
	if err != nil {
		t.Fatal(err)
	}
	s := report.Sets[0]
	if floatOrNaN(s.R1) != 1 || s.Answered.Refused > 0 || floatOrNaN(s.CitationSupport) != 1 {
		t.Errorf("R@1 %v, %+v", floatOrNaN(s.R1), s.Answered)
	}
	for _, trial := range s.Trials {
		if !strings.HasPrefix(trial.Answer, "Meine Quelle dazu ist in einer anderen Sprache.") {
			t.Errorf("%s: %q", trial.Question, trial.Answer)
		}
	}
}

func TestPairsOfLanguagesThatNoSetsHaveAreRefused(t *testing.T) {
	for _, pair := range []string{"fr-en", "de-fr", "de", "-en"} {
		if across, err := eval.AcrossLanguages(translatedSets(t), []string{pair}); err == nil {
			t.Errorf("%s: %v", pair, across)
		}
	}
}
