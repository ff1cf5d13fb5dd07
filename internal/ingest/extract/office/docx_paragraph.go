package office

import (
	"bytes"
	"encoding/xml"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
)

type wordParagraph struct {
	text     bytes.Buffer
	style    string
	list     string // numId
	depth    int
	outline  int      // level of a heading by the paragraph's own setting
	trailing []string // text boxes and notes
}

// readParagraph reads the paragraph that was entered last.
func (w *wordReader) readParagraph() (p wordParagraph, err error) {
	err = w.xml.eachChild(func(el xml.StartElement) error { return w.readRun(el, &p) })
	return p, err
}

// readRun reads an element of a paragraph.
func (w *wordReader) readRun(el xml.StartElement, p *wordParagraph) error {
	inside := func() error { return w.xml.eachChild(func(el xml.StartElement) error { return w.readRun(el, p) }) }
	switch el.Name.Local {
	case "t": // also of a formula
		text, err := w.xml.readText()
		p.text.WriteString(text)
		return err
	case "tab", "ptab":
		p.text.WriteByte('\t')
	case "br", "cr":
		p.text.WriteByte('\n')
	case "noBreakHyphen":
		p.text.WriteByte('-')
	case "pPr":
		return w.xml.eachChild(func(el xml.StartElement) error { return w.readProperty(el, p) })
	case "footnoteReference", "endnoteReference":
		id := strings.TrimSuffix(el.Name.Local, "Reference") + " " + attributeValue(el, "id")
		if note := w.notes[id]; note != "" {
			p.trailing = append(p.trailing, note)
			delete(w.notes, id) // a note stands where it is referred to first
		}
	case "hyperlink":
		return w.readHyperlink(el, p, inside)
	case "txbxContent":
		return w.readTextBox(p)
	case "oMath":
		p.text.WriteByte(' ')
		err := inside()
		p.text.WriteByte(' ')
		return err
	case "rPr", "del", "moveFrom", "delText", "instrText", "Fallback", "rt", "sdtPr", "ctrlPr", "annotation":
	default:
		return inside()
	}
	return nil
}

func (w *wordReader) readProperty(el xml.StartElement, p *wordParagraph) error {
	switch el.Name.Local {
	case "pStyle":
		p.style = attributeValue(el, "val")
	case "outlineLvl":
		if level := attributeValue(el, "val"); len(level) == 1 && '0' <= level[0] && level[0] <= '8' { // 9 is no heading
			p.outline = min(int(level[0]-'0')+1, 6)
		}
	case "numPr":
		return w.xml.eachChild(func(el xml.StartElement) error {
			switch el.Name.Local {
			case "numId":
				p.list = attributeValue(el, "val")
			case "ilvl":
				p.depth = draft.ParseSmallInt(attributeValue(el, "val"), 0, 8)
			}
			return nil
		})
	}
	return nil
}

// readHyperlink keeps the address of a link that leads outside.
func (w *wordReader) readHyperlink(el xml.StartElement, p *wordParagraph, inside func() error) error {
	before := p.text.Len()
	if err := inside(); err != nil {
		return err
	}
	r, known := w.links[attributeValue(el, "id")]
	label := strings.TrimSpace(string(p.text.Bytes()[before:]))
	target := html.AbsoluteURL(nil, r.target)
	if !known || !r.isExternal || target == "" || label == "" || label == target || strings.Contains(label, "\n") {
		return nil
	}
	p.text.Truncate(before)
	p.text.WriteString("[" + label + "](" + target + ")")
	return nil
}

// readTextBox reads a text box; it stands behind the paragraph that holds it.
func (w *wordReader) readTextBox(p *wordParagraph) error {
	outer := w.out
	w.out = &draft.Builder{}
	err := w.xml.eachChild(w.readBlock)
	if text := w.out.Text(); text != "" {
		p.trailing = append(p.trailing, text)
	}
	w.out = outer
	return err
}
