package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/pdf"
)

// Digits that are smaller than their line and above it are powers, or marks of notes.
func TestRaisedDigits(t *testing.T) {
	var content strings.Builder
	for i, line := range []string{"It costs 49^1 euros.",
		"The load is 10^12 pascal, the area 20 m^2 and more.", "^1 without VAT"} {
		fmt.Fprintf(&content, "BT 40 %d Td /F1 10 Tf ", 700-i*40)
		for j, part := range strings.Split(line, "^") {
			digits := part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]
			if j > 0 {
				fmt.Fprintf(&content, "/F1 6 Tf 4 Ts (%s) Tj 0 Ts /F1 10 Tf ", digits)
				part = part[len(digits):]
			}
			fmt.Fprintf(&content, "(%s) Tj ", part)
		}
		content.WriteString("ET\n")
	}
	file := newPDF("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
		"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>>>>",
		pdfStream(content.String()), "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica "+
			" /FirstChar 32 /LastChar 126 /Widths ["+
			strings.Repeat("500 ", 95)+"]>>")
	doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", file)
	const want = "It costs 49 euros [1].\n\nThe load is 10¹² pascal, the area 20 m² and more.\n\n[1] without VAT"
	if err != nil || doc.Text != want {
		t.Errorf("%v\n%q", err, doc.Text)
	}
}
