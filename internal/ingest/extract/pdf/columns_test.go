package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/pdf"
)

// drawPages draws pages of lines 14 points apart. Cells of a line are parted by "|" and are 200 points apart; a line
// that begins with "*" is bold. Each character is 5 points wide.
func drawPages(pages ...string) []byte {
	widths := " /FirstChar 32 /LastChar 126 /Widths [" + strings.Repeat("500 ", 95) + "]>>"
	objects := []string{"<</Type /Catalog /Pages 2 0 R>>", "",
		"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica" + widths,
		"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold" + widths}
	var kids strings.Builder
	for _, page := range pages {
		var content strings.Builder
		for row, line := range strings.Split(page, "\n") {
			line, isBold := strings.CutPrefix(line, "*")
			font := map[bool]string{true: "F2", false: "F1"}[isBold]
			for column, text := range strings.Split(line, "|") {
				if text != "" {
					fmt.Fprintf(&content, "BT /%s 10 Tf 1 0 0 1 %d %d Tm (%s) Tj ET\n", font, 40+200*column, 700-14*row, text)
				}
			}
		}
		n := len(objects)
		fmt.Fprintf(&kids, "%d 0 R ", n+1)
		objects = append(objects, fmt.Sprintf("<</Type /Page /Parent 2 0 R /MediaBox [0 0 900 800] /Contents %d 0 R "+
			"/Resources <</Font <</F1 3 0 R /F2 4 0 R>>>>>>", n+2), pdfStream(content.String()))
	}
	objects[1] = fmt.Sprintf("<</Type /Pages /Kids [%s] /Count %d>>", kids.String(), len(pages))
	return newPDF(objects...)
}

// Columns that are drawn line by line are read one after the other, and tables keep their header.
func TestColumns(t *testing.T) {
	for name, c := range map[string]struct{ page, want string }{
		"two columns": {"The rental period begins when|Season tickets are sold in the\nskates leave the counter. The de-|" +
			"office on the first floor. The\nposit is 40 euros and paid in|ticket costs 89 euros for adults\ncash at the desk " +
			"in the hall.|and 45 euros for students.",
			"The rental period begins when skates leave the counter. The deposit is 40 euros and paid in cash at the desk " +
				"in the hall.\n\nSeason tickets are sold in the office on the first floor. The ticket costs 89 euros for adults " +
				"and 45 euros for students."},
		"columns of different length": {"The rental period begins when|Season tickets are sold in the\nskates leave the " +
			"counter. Each|office on the first floor. The\npair costs 40 euros and paid in|ticket costs 89 euros for adults\n" +
			"cash at the desk in the hall.",
			"The rental period begins when skates leave the counter. Each pair costs 40 euros and paid in cash at the desk " +
				"in the hall.\n\nSeason tickets are sold in the office on the first floor. The ticket costs 89 euros for adults"},
		"a sentence across columns": {"The rental period begins when|that opens at ten. Skates are\nskates leave the " +
			"counter. Pay|lent to children for nothing\nwith a card or in cash at desk|and to adults for four euros.",
			"The rental period begins when skates leave the counter. Pay with a card or in cash at desk that opens at ten. " +
				"Skates are lent to children for nothing and to adults for four euros."},
		"table": {"Weight|Inland|Abroad\n1 kg|4.90|11.50\n5 kg|6.90|19.80\nAll prices with tax.",
			"| Weight | Inland | Abroad |\n| --- | --- | --- |\n| 1 kg | 4.90 | 11.50 |\n| 5 kg | 6.90 | 19.80 |\n\n" +
				"All prices with tax."},
		"table of a bold header": {"*Lamp|Colour\nSola|green\nLuna|red",
			"| Lamp | Colour |\n| --- | --- |\n| Sola | green |\n| Luna | red |"},
		"a cell of two lines": {"*Lamp|Colour\nSola|green or\n|blue\nLuna|red", "| Lamp | Colour |\n| --- | --- |\n" +
			"| Sola | green or blue |\n| Luna | red |"},
		"years as names, with empty cells": {"Item|2024|2025|2026\nSalt|1.10|1.25|1.40\nSugar||2.05|2.15\nFlour|0.95||1.05",
			"| Item | 2024 | 2025 | 2026 |\n| --- | --- | --- | --- |\n| Salt | 1.10 | 1.25 | 1.40 |\n" +
				"| Sugar | | 2.05 | 2.15 |\n| Flour | 0.95 | | 1.05 |"},
		"amounts as names": {"Zone|1 kg|5 kg\nInland|4.90|6.90\nAbroad|11.50|19.80",
			"| Zone | 1 kg | 5 kg |\n| --- | --- | --- |\n| Inland | 4.90 | 6.90 |\n| Abroad | 11.50 | 19.80 |"},
		"rows of numbers only": {"Size|Weight|Price\n36|410|79\n38|430|82\n40|455|85",
			"| Size | Weight | Price |\n| --- | --- | --- |\n| 36 | 410 | 79 |\n| 38 | 430 | 82 |\n| 40 | 455 | 85 |"},
		"rows without a header": {"Salt|1.10|1.25\nSugar|1.95|2.05\nFlour|0.95|1.00",
			"Salt 1.10 1.25\nSugar 1.95 2.05\nFlour 0.95 1.00"},
		"rows of amounts": {"Salt|1 kg|5 kg\nSugar|2 kg|4 kg\nFlour|3 kg|6 kg", "Salt 1 kg 5 kg\nSugar 2 kg 4 kg\nFlour " +
			"3 kg 6 kg"},
		"names and values": {"Name|Desk\nPhone|030 1234\nRoom|12", "Name Desk\nPhone 030 1234\nRoom 12"},
	} {
		doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", drawPages(c.page))
		if err != nil || doc.Text != c.want {
			t.Errorf("%s: %v\n%s", name, err, doc.Text)
		}
	}
}

// A word or a sentence goes on across the end of a page; what follows otherwise is apart.
func TestPageEnds(t *testing.T) {
	for name, c := range map[string]struct {
		pages []string
		want  string
	}{
		"word":     {[]string{"The guarantee does not cov-", "er the brushes."}, "The guarantee does not cover the brushes."},
		"sentence": {[]string{"The guarantee covers all", "parts."}, "The guarantee covers all parts."},
		"end":      {[]string{"It covers all parts.", "Send it back."}, "It covers all parts.\n\nSend it back."},
		"title":    {[]string{"It covers all parts", "The bill"}, "It covers all parts\n\nThe bill"},
		"word above a page number": {[]string{"It does not cover the fil-\n\n1", "ters of the pump.\n\n2"},
			"It does not cover the filters of the pump."},
		"word above a counted page": {[]string{"It does not cover the fil-\n\nPage 1 of 2", "ters.\n\nPage 2 of 2"},
			"It does not cover the filters."},
		"word below a page number": {[]string{"Seite 4\n\nSie deckt die Fil-", "Seite 5\n\nter nicht ab."},
			"Sie deckt die Filter nicht ab."},
		"sentence above a page number": {[]string{"The guarantee covers\n\n- 7 -", "all parts.\n\n- 8 -"},
			"The guarantee covers all parts."},
		"numbers that count no pages": {[]string{"It holds\n\n30", "Cups\n\n12"}, "It holds\n\n30\n\nCups\n\n12"},
	} {
		doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", drawPages(c.pages...))
		if err != nil || doc.Text != c.want {
			t.Errorf("%s: %v\n%s", name, err, doc.Text)
		}
	}
}

// Rows of a table that goes on on the next page have its header, and their place in its columns.
func TestTablesAcrossPages(t *testing.T) {
	const head, rule = "| Tariff | Data | Fee |\n", "| --- | --- | --- |\n"
	const first, body = "Tariff|Data|Fee\nPico|1 GB|4\nNano|3 GB|7", head + rule +
		"| Pico | 1 GB | 4 |\n| Nano | 3 GB | 7 |"
	for name, c := range map[string]struct {
		pages []string
		want  string
	}{
		"two rows": {[]string{first, "Milli|20 GB|18\nCenti|45 GB|26\n\n\nA second card costs 5 euros."},
			body + "\n\n" + head + rule + "| Milli | 20 GB | 18 |\n| Centi | 45 GB | 26 |\n\nA second card costs 5 euros."},
		"one row above a page number": {[]string{first + "\n\n1", "Milli|20 GB|18\n\n2"},
			body + "\n\n" + head + rule + "| Milli | 20 GB | 18 |"},
		"an empty cell": {[]string{first, "Milli||18\nCenti|45 GB|26"},
			body + "\n\n" + head + rule + "| Milli | | 18 |\n| Centi | 45 GB | 26 |"},
		"the header again": {[]string{first, "Tariff|Data|Fee\nMilli|20 GB|18"},
			body + "\n\n" + head + rule + "| Milli | 20 GB | 18 |"},
		"three pages": {[]string{first, "Milli|20 GB|18", "Centi|45 GB|26"}, body + "\n\n" + head + rule +
			"| Milli | 20 GB | 18 |\n\n" + head + rule + "| Centi | 45 GB | 26 |"},
		"the header on three pages": {[]string{first, "Tariff|Data|Fee\nMilli|20 GB|18\nDeci|30 GB|20",
			"Tariff|Data|Fee\nCenti|45 GB|26\nDeka|50 GB|29"}, body + "\n\n" + head + rule +
			"| Milli | 20 GB | 18 |\n| Deci | 30 GB | 20 |\n\n" + head + rule +
			"| Centi | 45 GB | 26 |\n| Deka | 50 GB | 29 |"},
		"another table": {[]string{first, "Lamp|Colour|Price\nSola|green|18\nLuna|red|26"}, body +
			"\n\n| Lamp | Colour | Price |\n| --- | --- | --- |\n| Sola | green | 18 |\n| Luna | red | 26 |"},
		"a text": {[]string{first, "The fee is due in May."}, body + "\n\nThe fee is due in May."},
	} {
		doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", drawPages(c.pages...))
		if err != nil || doc.Text != c.want {
			t.Errorf("%s: %v\n%s", name, err, doc.Text)
		}
	}
}
