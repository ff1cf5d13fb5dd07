package extract_test

import (
	"testing"

	"parley/internal/ingest/extract"
)

func TestMarkdown(t *testing.T) {
	for source, want := range map[string]string{
		"It costs ~~30~~ 28 euros.":                                     "It costs  28 euros.",
		"~~All of it\nis gone.~~\n\nIt costs 28 euros.":                 "It costs 28 euros.",
		"It costs <del>30</del> <s>29</s> 28 euros.":                    "It costs   28 euros.",
		"Type `~~x~~` and\n\n```\n~~y~~\n```":                           "Type `~~x~~` and\n\n```\n~~y~~\n```",
		"Costs 49<sup>1</sup> euros or 10<sup>5</sup> pascal":           "Costs 49 euros or 10⁵ pascal [1]",
		"<details><summary>Shoes?</summary>\nWe lend them.\n</details>": "Shoes?\n\nWe lend them.",
		"<p align=center>It costs <b>28</b> euros.</p>":                 "It costs 28 euros.",
		"<h2>Prices</h2><ul><li>red<li>blue</ul>":                       "## Prices\n\n- red\n- blue",
		"<table><tr><th>A<th>B<tr><td>1<td>2</table>":                   "| A | B |\n| --- | --- |\n| 1 | 2 |",
		"The fee is 30 euros[^1].\n\n[^1]: without VAT.":                "The fee is 30 euros (without VAT).",
		"The fee is 30 euros.[^a] More.\n\n[^a]: without\n   VAT":       "The fee is 30 euros (without VAT). More.",
		"See[^2].": "See [2].",
		"A <kettle@example.com> and List<String> < 3 > 2": "A <kettle@example.com> and List<String> < 3 > 2",
	} {
		doc, err := extract.ReadFile(t.Context(), extract.MD, "a.md", []byte(source))
		if err != nil || doc.Text != want {
			t.Errorf("%q: %q %v", source, doc.Text, err)
		}
	}
}
