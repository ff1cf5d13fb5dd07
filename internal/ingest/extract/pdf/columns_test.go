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
	} {
		doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", drawPages(c.pages...))
		if err != nil || doc.Text != c.want {
			t.Errorf("%s: %v\n%s", name, err, doc.Text)
		}
	}
}
