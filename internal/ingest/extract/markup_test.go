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
		"l`. See (Within 30 days)."
	doc, err := extract.ReadFile(t.Context(), extract.RST, "a.rst", []byte(source))
	if err != nil || doc.Text != want || doc.Title != "Kettles" {
		t.Errorf("%v %q\n%s", err, doc.Title, doc.Text)
	}
}

// Names between bars, notes and tables of a text are read as what they say.
func TestRSTNamesAndTables(t *testing.T) {
	const table = "| Item | Price |\n| --- | --- |\n| Pump | 64 euros |\n| Hose | 9 euros |"
	for source, want := range map[string]string{
		"A pump costs |price|. [#f1]_\n\n.. |price| replace:: 64 euros\n\n.. [#f1] Until March.\n\n.. a note\n": "A pump " +
			"costs 64 euros (Until March).",
		".. |shop| replace:: the shop\n   in York\n\nGo to |shop|, or |none|.": "Go to the shop in York, or |none|.",
		"It uses *diesel*, **not** petrol; 2 * 3 * 4.":                         "It uses diesel, **not** petrol; 2 * 3 * 4.",
		"====  ========\nItem  Price\n====  ========\nPump  64 euros\nHose  9 euros\n====  ========\n\nCome in.": table +
			"\n\nCome in.",
		"+------+----------+\n| Item | Price    |\n+======+==========+\n| Pump | 64 euros |\n+------+----------+\n" +
			"| Hose | 9        |\n|      | euros    |\n+------+----------+\n": table,
		".. list-table:: Parts\n   :header-rows: 1\n\n   * - Item\n     - Price\n   * - Pump\n     - |p|\n   * - Hose\n" +
			"     - 9 euros\n\n.. |p| replace:: 64 euros\n": "Parts\n\n" + table,
		".. csv-table:: Parts\n   :header: Item, Price\n\n   Pump, 64 euros\n   Hose, 9 euros\n": "Parts\n\n" + table,
		"+------+\n| open":   "open",
		"====  ====\nno end": "====  ====\nno end",
	} {
		doc, err := extract.ReadFile(t.Context(), extract.RST, "a.rst", []byte(source))
		if err != nil || doc.Text != want {
			t.Errorf("%q: %v\n%s", source, err, doc.Text)
		}
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
	f.Add([]byte("+--+--+\n|a |b |\n+--+--+\n\n==  ==\na   b\n==  ==\n\n" +
		".. |x| replace:: y\n\n.. list-table::\n\n   * - |x|\n"))
	f.Add([]byte("\\section{A} \\textbf{\\emph{x}} $1$ \\item[a] b \\\\ c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		documents.ReadBounded(t, readerOf(extract.RST), data)
		documents.ReadBounded(t, readerOf(extract.TEX), data)
	})
}
