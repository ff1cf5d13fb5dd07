//go:build unix

package office_test

import (
	"strconv"
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/office"
	"parley/internal/testkit/documents"
	costly "parley/internal/testkit/hostile"
)

const (
	wordMain = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	openMain = `xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:xlink="x"`
	outside  = `<Relationships xmlns="r"><Relationship Id="a" Type="hyperlink" Target="https://a.example/" ` +
		`TargetMode="External"/></Relationships>`
)

// parts returns a file of a kind with a text in its main part.
var parts = map[string]func(t testing.TB, body string) []byte{
	"DOCX": func(t testing.TB, body string) []byte {
		return documents.NewZip(t, "word/document.xml",
			`<w:document `+wordMain+`><w:body>`+body+`</w:body></w:document>`, "word/_rels/document.xml.rels", outside,
			"word/footnotes.xml", `<w:footnotes `+wordMain+`><w:footnote w:id="1"><w:p><w:r><w:t>`+
				strings.Repeat("a note ", len(body)/14)+`</w:t></w:r></w:p></w:footnote></w:footnotes>`)
	},
	"ODT": func(t testing.TB, body string) []byte {
		return documents.NewZip(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
			`<office:document-content `+openMain+`><office:body>`+body+`</office:body></office:document-content>`)
	},
	"PPTX": func(t testing.TB, body string) []byte {
		return documents.NewZip(t, "ppt/presentation.xml",
			`<p:presentation xmlns:p="p" xmlns:r="r"><p:sldId r:id="a"/></p:presentation>`,
			"ppt/_rels/presentation.xml.rels",
			`<Relationships><Relationship Id="a" Type="slide" Target="slides/slide1.xml"/></Relationships>`,
			"ppt/slides/slide1.xml", `<p:sld xmlns:p="p" xmlns:a="a">`+body+`</p:sld>`)
	},
	"EPUB": func(t testing.TB, body string) []byte {
		items, chapter, _ := strings.Cut(body, "\x00")
		return documents.NewZip(t, "META-INF/container.xml", `<container><rootfile full-path="a.opf"/></container>`,
			"a.opf", `<package><manifest><item id="a" href="a.xhtml"/></manifest><spine>`+items+`</spine></package>`,
			"a.xhtml", `<html><body>`+chapter)
	},
	"XLSX": func(t testing.TB, body string) []byte {
		rows, rest, _ := strings.Cut(body, "\x00")
		return newRawWorkbook(t, rows, rest, `<si><t>Kettle</t></si>`)
	},
}

// The time to read a file is linear in its uncompressed size, however often it repeats an element.
func TestWorkOfOfficeFiles(t *testing.T) {
	const run = `<w:r><w:t>a b</w:t></w:r>`
	for kind, list := range map[string][]costly.Kind{
		"DOCX": {
			costly.Made("paragraphs", "", `<w:p>`+run+`</w:p>`, ""),
			costly.Made("runs", "<w:p>", run, "</w:p>"),
			costly.Made("links", "<w:p>", `<w:hyperlink r:id="a">`+run+`</w:hyperlink>`, "</w:p>"),
			costly.Made("notes", "<w:p>"+run, `<w:footnoteReference w:id="1"/>`, "</w:p>"),
			costly.Made("text boxes", "<w:p>", `<w:txbxContent><w:p>`+run+`</w:p></w:txbxContent>`, "</w:p>"),
			costly.Made("rows", "<w:tbl>", `<w:tr><w:tc><w:p>`+run+`</w:p></w:tc><w:tc/></w:tr>`, "</w:tbl>"),
			costly.Made("cells", "<w:tbl><w:tr>", `<w:tc><w:p>`+run+`</w:p></w:tc>`, "</w:tr></w:tbl>"),
			costly.Made("wide cells", "<w:tbl>", `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="100"/></w:tcPr><w:p>`+run+
				`</w:p></w:tc><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr>`, "</w:tbl>"),
			costly.Halves("cells that are merged with a long one", "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>",
				"so it goes on ", "</w:t></w:r></w:p></w:tc><w:tc/></w:tr>",
				`<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr></w:tc></w:tr>`, "</w:tbl>"),
			costly.Made("declarations", "", `<?xml version="1.0" encoding="koi8-r"?>`, "<w:p>"+run+"</w:p>"),
			costly.Made("attributes", "<w:p", ` a="b"`, ">"+run+"</w:p>"),
			costly.Made("namespaces", "", `<w:p xmlns:w="b">`+run+"</w:p>", ""),
		},
		"ODT": {
			costly.Made("paragraphs", "", `<text:p>a b</text:p>`, ""),
			costly.Made("links", "<text:p>", `<text:a xlink:href="https://a.example/">a</text:a> `, "</text:p>"),
			costly.Made("notes", "<text:p>a", `<text:note><text:note-body>b</text:note-body></text:note>`, "</text:p>"),
			costly.Made("spaces", "<text:p>a", `<text:s/>`, "</text:p>"),
			costly.Made("items", "", `<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>`, ""),
			costly.Made("repeated cells", "<table:table>",
				`<table:table-row><table:table-cell table:number-columns-repeated="100"><text:p>a `+
					`b</text:p></table:table-cell><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row>`,
				"</table:table>"),
		},
		"PPTX": {
			costly.Made("lines of a title", `<p:sp><p:ph type="title"/>`, `<a:p><a:t>a b</a:t></a:p>`, `</p:sp>`),
			costly.Made("lines", `<p:sp>`, `<a:p><a:t>a b</a:t></a:p>`, `</p:sp>`),
			costly.Made("shapes", ``, `<p:sp><a:p><a:t>a b</a:t></a:p></p:sp>`, ``),
			costly.Halves("cells that are merged with a long one", "<a:tbl><a:tr><a:tc><a:p><a:t>", "so it goes on ",
				"</a:t></a:p></a:tc><a:tc/></a:tr>",
				`<a:tr><a:tc vMerge="1"/></a:tr>`, "</a:tbl>"),
		},
		"EPUB": {
			costly.Halves("one chapter, again and again", "", `<itemref idref="a"/>`, "\x00", "<p>so it goes on</p>", ""),
			costly.Made("items", "", `<item id="b" href="b"/>`, "<itemref idref=\"a\"/>\x00<p>a"),
		},
		"XLSX": {
			costly.Made("rows", "", `<row><c t="s"><v>0</v></c></row>`, ""),
			costly.Made("cells", "<row>", `<c t="s"><v>0</v></c>`, "</row>"),
		},
	} {
		t.Run(kind, func(t *testing.T) {
			for _, k := range list {
				costly.RequireLinear(t, costly.Size(16<<10), k, func(body string) {
					documents.ReadBounded(t, readers[kind], parts[kind](t, body))
				})
			}
		})
	}
}

// Nested tables, each in a cell that spans a hundred columns, do not multiply the text.
func TestNestedSpansDoNotMultiply(t *testing.T) {
	body := strings.Repeat(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="100"/></w:tcPr>`, 20) +
		`<w:p><w:r><w:t>Kettle</w:t></w:r></w:p>` + strings.Repeat(`</w:tc></w:tr></w:tbl>`, 20)
	documents.ReadBounded(t, office.ReadDOCX, parts["DOCX"](t, body))
	doc, err := draft.ReadDocument(t.Context(), office.ReadDOCX, "a.docx", parts["DOCX"](t, body))
	if err != nil || !strings.Contains(doc.Text, "Kettle") {
		t.Errorf("%d bytes, %v", len(doc.Text), err)
	}
}

// Merged cells beyond a bound are ignored.
func TestWorkOfMergedCells(t *testing.T) {
	readMerged := func(n int) func() {
		var merges strings.Builder
		for i := range n {
			merges.WriteString("<mergeCell ref=\"A" + strconv.Itoa(2*i+1) + ":A" + strconv.Itoa(2*i+2) + "\"/>")
		}
		data := newRawWorkbook(t, `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>1</v></c></row>`,
			`<mergeCells>`+merges.String()+`</mergeCells>`, `<si><t>Kettle</t></si>`)
		return func() { documents.ReadBounded(t, office.ReadXLSX, data) }
	}
	readMerged(1000)()
	costly.RequireGrowth(t, readMerged(10_000), readMerged(80_000))
}

var readers = map[string]draft.Reader{
	"DOCX": office.ReadDOCX, "ODT": office.ReadODT, "PPTX": office.ReadPPTX, "EPUB": office.ReadEPUB,
	"XLSX": office.ReadXLSX,
}
