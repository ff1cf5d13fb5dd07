package extract_test

import (
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/testkit/documents"
)

func TestRST(t *testing.T) {
	const source = "=======\nKettles\n=======\n\n.. _prices:\n\nPrices\n------\n\nThe kettle costs 28 euros," +
		" see `the list <https://x.example/list>`_ and\n:ref:`returns <r>`.\n\n.. note::\n\n   Sh" +
		"ipping is free.\n\n.. image:: a.png\n   :alt: x\n\n.. code-block:: sh\n\n   boil --now\n" +
		"\n.. a comment\n   of two lines\n\nReturns\n-------\n\nUse ``boil``. See [1]_.\n\n.. [1]" +
		" Within 30 days.\n"
	const want = "# Kettles\n\n## Prices\n\nThe kettle costs 28 euros, see [the list](https://x.example/li" +
		"st) and\nreturns.\n\nShipping is free.\n\n```\nboil --now\n```\n\n## Returns\n\nUse `boi" +
		"l`. See [1].\n\n[1] Within 30 days."
	doc, err := extract.ReadFile(t.Context(), extract.RST, "a.rst", []byte(source))
	if err != nil || doc.Text != want || doc.Title != "Kettles" {
		t.Errorf("%v %q\n%s", err, doc.Title, doc.Text)
	}
}

func TestTEX(t *testing.T) {
	const source = "\\documentclass{article}\n% nobody reads this\n\\begin{document}\n\\section{Prices}\\lab" +
		"el{p}\nThe \\textbf{kettle \\emph{Aster}} costs \\$28, 5\\% off\\footnote{without VAT}.\n" +
		"\\begin{itemize}\n\\item red % old\n\\item K\\\"uche and caf\\'e\n\\end{itemize}\n\\subs" +
		"ection{Size}\nIt holds $10^{5}$ drops --- or more.\n\\end{document}\nx"
	const want = "## Prices\n\nThe kettle Aster costs $28, 5% off (without VAT).\n\n- red\n\n- Küche and c" +
		"afé\n\n### Size\n\nIt holds 10^5 drops — or more."
	doc, err := extract.ReadFile(t.Context(), extract.TEX, "a.tex", []byte(source))
	if err != nil || doc.Text != want {
		t.Errorf("%v\n%s", err, doc.Text)
	}
	for name, kind := range map[string]extract.Kind{"a.rst": extract.RST, "a.tex": extract.TEX, "a.yaml": extract.TXT} {
		if got, err := extract.Sniff(name, []byte("Some words: here\n")); err != nil || got != kind {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

func FuzzMarkup(f *testing.F) {
	f.Add([]byte("A\n===\n\n.. note:: x\n   y\n"))
	f.Add([]byte("\\section{A} \\textbf{\\emph{x}} $1$ \\item[a] b \\\\ c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		documents.ReadBounded(t, readerOf(extract.RST), data)
		documents.ReadBounded(t, readerOf(extract.TEX), data)
	})
}
