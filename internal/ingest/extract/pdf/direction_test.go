package pdf_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/pdf"
)

// drawPDF returns a PDF of one font whose table names a character for each code. Each line is what a reader sees, from
// left to right, with one glyph for each character; order says in which sequence the glyphs are written into the file.
func drawPDF(lines []string, order func(line []rune) []int) []byte {
	codes := map[rune]int{}
	var table, content strings.Builder
	y := 780
	for _, line := range lines {
		glyphs := []rune(line)
		for _, at := range order(glyphs) {
			r := glyphs[at]
			if codes[r] == 0 {
				codes[r] = len(codes) + 1
				fmt.Fprintf(&table, "<%04x> <%04x>\n", codes[r], r)
			}
			fmt.Fprintf(&content, "BT /F1 10 Tf 1 0 0 1 %d %d Tm <%04x> Tj ET\n", 40+5*at, y, codes[r])
		}
		y -= 30
	}
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def\n1 " +
		"begincodespacerange <0000> <ffff> " +
		"endcodespacerange\n" + fmt.Sprintf("%d beginbfchar\n%sendbfchar\n", len(codes), table.String()) + "endcmap end end"
	return newPDF("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
		"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>>>>",
		pdfStream(content.String()),
		"<</Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R>>",
		"<</Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo <</Registry (Adobe) /Ordering "+
			"(Identity) /Supplement 0>> /DW 500 /FontDescriptor 8 0 R>>",
		pdfStream(cmap),
		"<</Type /FontDescriptor /FontName /A /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 "+
			"/Descent 0 /CapHeight 700 /StemV 80>>")
}

func pdfStream(text string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text)
}

func newPDF(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var table strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, at)
	return b.Bytes()
}

// The orders in which programs write the glyphs of a line.
var glyphOrders = map[string]func(line []rune) []int{
	"from left to right": func(line []rune) (order []int) {
		for i := range line {
			order = append(order, i)
		}
		return order
	},
	"from right to left": func(line []rune) (order []int) {
		for i := range slices.Backward(line) {
			order = append(order, i)
		}
		return order
	},
	// By words, the rightmost first, each from left to right.
	"word by word": func(line []rune) (order []int) {
		end := len(line)
		for i := len(line) - 1; i >= 0; i-- {
			if line[i] == ' ' || i == 0 {
				for j := i; j < end; j++ {
					order = append(order, j)
				}
				end = i
			}
		}
		return order
	},
}

// Lines as they are shown, from left to right, and as they are read. Brackets are drawn mirrored, and Arabic letters in
// their joined forms.
var visualLines = []struct{ shown, want string }{
	{"ﻞﻤﻌﻟا تﺎﻋﺎﺳ", "ساعات العمل"},
	{".ﺔﻌﻤﺠﻟا اﺪﻋ ﺎﻣ ،مﻮﻳ ﻞﻛ 17:30 ﻰﺘﺣ 9:00 ﻦﻣ ﺢﺘﻔﻧ", "نفتح من 9:00 حتى 17:30 كل يوم، ما عدا الجمعة."},
	{"(ﺔﺒﻳﺮﻀﻟا ﻞﻣﺎﺷ) لﺎﻳر 1,250.50 ﺮﻌﺴﻟا", "السعر 1,250.50 ريال (شامل الضريبة)"},
	{".help@example.com ﻰﻠﻋ ﺎﻨﻠﺳار", "راسلنا على help@example.com."},
	{".+966 11 234 5678 ﻰﻠﻋ ﻞﺼﺗا", "اتصل على +966 11 234 5678."},
	{"١٢٣ ﻢﻗﺮﻟاو ،حﺎﺘﻣ WH-1000XM5 زاﺮﻄﻟا", "الطراز WH-1000XM5 متاح، والرقم ١٢٣"},
	{"ﻊﺿﻮﻟا ﻲﻓ iPhone 15 Pro زﺎﻬﺟ", "جهاز iPhone 15 Pro في الوضع"},
	{".f(n) ﺔﻟاد", "دالة f(n)."},
	{"تاﻮﻄﺨﻟا ﻊﺒﺗا ،ﺔﻠﺌﺳﻷا عﺎﺟرﻹ", "لإرجاع الأسئلة، اتبع الخطوات"},
	{".('ה-'א םימי) 17:30 דע 9:00-מ םיחותפ ונחנא", "אנחנו פתוחים מ-9:00 עד 17:30 (ימים א'-ה')."},
	{".15% ךות ₪250.50 ריחמה", "המחיר ₪250.50 תוך 15%."},
	{".ﬦלעה ﬢﬠ", "עד העלם."},
}

func TestRightToLeftLinesAreReadInOrder(t *testing.T) {
	var lines []string
	for _, l := range visualLines {
		lines = append(lines, l.shown)
	}
	for name, order := range glyphOrders {
		t.Run(name, func(t *testing.T) {
			doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", drawPDF(lines, order))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(doc.Text, "\n\n")
			if len(got) != len(visualLines) {
				t.Fatalf("%d paragraphs: %q", len(got), got)
			}
			for i, l := range visualLines {
				if got[i] != l.want {
					t.Errorf("%s\n got %s\nwant %s", l.shown, got[i], l.want)
				}
			}
		})
	}
}

// Presentation forms are read as the letters they stand for; signs that mean more than their letters are kept.
func TestPresentationFormsAreNormalized(t *testing.T) {
	for shown, want := range map[string]string{
		"The oﬃce ﬁles aﬀord ﬂuﬀy aﬄuence.": "The office files afford fluffy affluence.",
		"ＰＡＲＬＥＹ　１２：３０ ＥＲＲ－４０１２":             "PARLEY 12:30 ERR-4012",
		"営業時間は９：００〜１７：３０です。":                "営業時間は9:00〜17:30です。",
		"⽤⼿加⼊":                                 "用手加入",
		"10² m² ½ cup ① ™ x₂":                  "10² m² ½ cup ① ™ x₂",
		"English ﻲﺑﺮﻋ inside.":                 "English عربي inside.",
		"The word םולש means peace, 12 times.": "The word שלום means peace, 12 times.",
	} {
		doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf",
			drawPDF([]string{shown}, glyphOrders["from left to right"]))
		if got := strings.TrimPrefix(doc.Text, "# "); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", shown, got, err, want)
		}
	}
}

// Long lines are read in linear time: quadratic time would not end.
func TestLongLinesTakeLinearTime(t *testing.T) {
	for _, unit := range []string{"1 ", "a)", "(a", ")", "א)", "1-", "+1 ", "א 1 a ", "\u05b8", "א\u05b8", ",", "א,",
		"1,", "a "} {
		line := strings.Repeat(unit, 200_000/len(unit))
		for _, left := range []bool{true, false} {
			if got := pdf.ReadVisualLine("א"+line+"א", left); len(got) != len(line)+4 {
				t.Errorf("%q: %d bytes", unit, len(got))
			}
		}
	}
}
