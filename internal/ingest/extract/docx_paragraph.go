package extract

import (
	"bytes"
	"encoding/xml"
	"strings"
)

type wordParagraph struct {
	text    bytes.Buffer
	style   string
	list    string // numId
	depth   int
	outline int      // level of a heading by the paragraph's own setting
	after   []string // text boxes and notes
}

// paragraph reads the paragraph that was entered last.
func (w *wordReader) paragraph() (p wordParagraph, err error) {
	err = w.e.children(func(el xml.StartElement) error { return w.run(el, &p) })
	return p, err
}

// run takes what stands in a paragraph.
func (w *wordReader) run(el xml.StartElement, p *wordParagraph) error {
	inside := func() error { return w.e.children(func(el xml.StartElement) error { return w.run(el, p) }) }
	switch el.Name.Local {
	case "t": // also of a formula
		text, err := w.e.text()
		p.text.WriteString(text)
		return err
	case "tab", "ptab":
		p.text.WriteByte('\t')
	case "br", "cr":
		p.text.WriteByte('\n')
	case "noBreakHyphen":
		p.text.WriteByte('-')
	case "pPr":
		return w.e.children(func(el xml.StartElement) error { return w.property(el, p) })
	case "footnoteReference", "endnoteReference":
		id := strings.TrimSuffix(el.Name.Local, "Reference") + " " + value(el, "id")
		if note := w.notes[id]; note != "" {
			p.after = append(p.after, note)
			delete(w.notes, id) // a note stands where it is referred to first
		}
	case "hyperlink":
		return w.hyperlink(el, p, inside)
	case "txbxContent":
		return w.box(p)
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

func (w *wordReader) property(el xml.StartElement, p *wordParagraph) error {
	switch el.Name.Local {
	case "pStyle":
		p.style = value(el, "val")
	case "outlineLvl":
		if level := value(el, "val"); len(level) == 1 && '0' <= level[0] && level[0] <= '8' { // 9 is no heading
			p.outline = min(int(level[0]-'0')+1, 6)
		}
	case "numPr":
		return w.e.children(func(el xml.StartElement) error {
			switch el.Name.Local {
			case "numId":
				p.list = value(el, "val")
			case "ilvl":
				p.depth = number(value(el, "val"), 0, 8)
			}
			return nil
		})
	}
	return nil
}

// hyperlink keeps the address of a link that leads outside.
func (w *wordReader) hyperlink(el xml.StartElement, p *wordParagraph, inside func() error) error {
	before := p.text.Len()
	if err := inside(); err != nil {
		return err
	}
	r, known := w.links[value(el, "id")]
	label := strings.TrimSpace(string(p.text.Bytes()[before:]))
	target := absolute(nil, r.target)
	if !known || !r.outside || target == "" || label == "" || label == target || strings.Contains(label, "\n") {
		return nil
	}
	p.text.Truncate(before)
	p.text.WriteString("[" + label + "](" + target + ")")
	return nil
}

// box reads a text box; it stands behind the paragraph that holds it.
func (w *wordReader) box(p *wordParagraph) error {
	outer := w.d
	w.d = &draft{}
	err := w.e.children(w.blocks)
	if text := w.d.text(); text != "" {
		p.after = append(p.after, text)
	}
	w.d = outer
	return err
}
