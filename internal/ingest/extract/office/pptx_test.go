package office_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/office"
	"parley/internal/testkit/documents"
)

const slideNames = ` xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ` +
	`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// readSlides reads a presentation of the XML of its slides.
func readSlides(t *testing.T, slides ...string) string {
	t.Helper()
	parts := []string{"ppt/presentation.xml", "", "ppt/_rels/presentation.xml.rels", ""}
	var list, links strings.Builder
	for i, slide := range slides {
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="r%d"/>`, 256+i, i)
		fmt.Fprintf(&links, `<Relationship Id="r%d" Type="x/slide" Target="slides/slide%d.xml"/>`, i, i)
		parts = append(parts, fmt.Sprintf("ppt/slides/slide%d.xml", i), slide)
	}
	parts[1] = `<p:presentation` + slideNames + `><p:sldIdLst>` + list.String() + `</p:sldIdLst></p:presentation>`
	parts[3] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + links.String() +
		`</Relationships>`
	doc, err := draft.ReadDocument(t.Context(), office.ReadPPTX, "a.pptx", documents.NewZip(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Text
}

func slide(attributes string, shapes ...string) string {
	return `<p:sld` + slideNames + attributes + `><p:cSld><p:spTree>` + strings.Join(shapes, "") +
		`</p:spTree></p:cSld></p:sld>`
}

func place(x, y int) string {
	return fmt.Sprintf(`<a:xfrm><a:off x="%d" y="%d"/><a:ext cx="1" cy="1"/></a:xfrm>`, x*914_400, y*914_400)
}

func shape(where, properties, text string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/></p:nvSpPr><p:spPr>` + where + `</p:spPr><p:txBody><a:p><a:r>` +
		`<a:rPr` + properties + `/><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
}

// Shapes are read from above and from the left, whatever their order in the file.
func TestShapesAreReadByPlace(t *testing.T) {
	table := `<p:graphicFrame><p:xfrm><a:off x="0" y="2743200"/></p:xfrm><a:tbl><a:tr><a:tc><a:p><a:r><a:t>A</a:t></a:r>` +
		`</a:p></a:tc><a:tc><a:p><a:r><a:t>B</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>`
	group := `<p:grpSp><p:grpSpPr>` + place(0, 2) + `</p:grpSpPr>` + shape(place(5, 9), "", "Four") +
		shape(place(1, 9), "", "Three") + `</p:grpSp>`
	got := readSlides(t, slide("", table, shape(place(5, 1), "", "Two"), group, shape(place(0, 1), "", "One"),
		shape("", "", "Zero")))
	const want = "## Slide 1\n\nZero\n\nOne\n\nTwo\n\nThree\n\nFour\n\n| A | B |\n| --- | --- |"
	if got != want {
		t.Errorf("%s", got)
	}
}

// What is hidden or struck out on a slide is left out.
func TestHiddenSlideTexts(t *testing.T) {
	got := readSlides(t, slide("", shape("", ` strike="sngStrike"`, "30 euros"),
		shape("", ` strike="noStrike"`, "28 euros"),
		strings.Replace(shape("", "", "secret"), `name="x"`, `name="x" hidden="1"`, 1)),
		slide(` show="0"`, shape("", "", "secret")))
	if got != "## Slide 1\n\n28 euros" {
		t.Errorf("%s", got)
	}
}
