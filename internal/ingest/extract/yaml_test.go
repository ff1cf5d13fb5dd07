package extract_test

import (
	"testing"

	"parley/internal/ingest/extract"
)

// Each value of a YAML file is told with the keys that lead to it.
func TestYAML(t *testing.T) {
	for source, want := range map[string]string{
		"# Fees of the library\nopening:\n  monday: \"14:00-18:00\"\n  saturday: 10:00-13:00\nfees:\n" +
			"  card_adult: 24 euros\n  reminder: 1.50 euros # each\nnotes: >\n  A lost card\n  is 5 euros.\n": "# Fees of " +
			"the library\n\nopening, monday: 14:00-18:00\nopening, saturday: 10:00-13:00\n\n" +
			"fees, card adult: 24 euros\nfees, reminder: 1.50 euros (each)\n\nnotes: A lost card is 5 euros.",
		"menu:\n  - name: Soup\n    price: 4.20 euros\n  - name: Tea\n    price: 2 euros\n": "menu: name: Soup; " +
			"price: 4.20 euros\nmenu: name: Tea; price: 2 euros",
		"days: [Monday, Friday]\nclosed: ~\nfree: yes\n": "days: Monday, Friday\n\nfree: yes",
		"base: &b 12 euros\nchild: *b\n":                 "base: 12 euros\n\nchild: 12 euros",
		"a: 1\n---\nb: 2\n":                              "a: 1\n\nb: 2",
		"rooms:\n  blue:\n    seats: 12\n    # with a screen\n    price: 40 euros\n": "rooms, blue, seats: 12\n\n" +
			"with a screen\n\nrooms, blue, price: 40 euros",
		"no yaml: at: all: [": "no yaml: at: all: [",
		"Just a text.":        "Just a text.",
	} {
		doc, err := extract.ReadFile(t.Context(), extract.TXT, "fees.yaml", []byte(source))
		if err != nil || doc.Text != want {
			t.Errorf("%q: %v\n%s", source, err, doc.Text)
		}
	}
}
