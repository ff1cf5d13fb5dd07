package office

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strconv"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
)

type wordStyle struct {
	heading int
	list    string
	depth   int
	basedOn string
	run     wordRun // what its text is
}

// readDefinitions reads the styles, the numbering and the notes.
func (w *wordReader) readDefinitions(a *archive, folder string) error {
	body := w.xml
	defer func() { w.xml = body }()
	for _, part := range []struct {
		name string
		read func() error
	}{
		{"styles.xml", w.readStyles},
		{"numbering.xml", w.readNumbering},
		{"footnotes.xml", func() error { return w.readNotes("footnote") }},
		{"endnotes.xml", func() error { return w.readNotes("endnote") }},
	} {
		var err error
		if w.xml, err = a.openXML(folder + "/" + part.name); err == nil {
			err = part.read()
		}
		if err != nil && !errors.Is(err, errNoPart) {
			return err
		}
	}
	return nil
}

func (w *wordReader) readStyles() error {
	err := w.xml.eachInRoot(func(el xml.StartElement) error {
		if el.Name.Local != "style" {
			return nil
		}
		return w.readStyle(attributeValue(el, "styleId"))
	})
	for id, s := range w.styles { // what a style does not say, the one it is based on says
		for base, n := s.basedOn, 0; base != "" && n < 20 && s.heading == 0 && s.list == ""; n++ {
			s.heading, s.list, s.depth = w.styles[base].heading, w.styles[base].list, w.styles[base].depth
			base = w.styles[base].basedOn
		}
		w.styles[id] = s
	}
	return err
}

func (w *wordReader) readStyle(id string) error {
	var s wordStyle
	err := w.xml.eachChild(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "name":
			s.heading = headingLevelByName(attributeValue(el, "val"))
		case "basedOn":
			s.basedOn = attributeValue(el, "val")
		case "pPr":
			var p wordParagraph
			err := w.xml.eachChild(func(el xml.StartElement) error { return w.readProperty(el, &p) })
			s.list, s.depth = p.list, p.depth
			if s.heading == 0 {
				s.heading = p.outline
			}
			return err
		case "rPr":
			return w.xml.eachChild(func(el xml.StartElement) error { s.run.readProperty(el); return nil })
		}
		return nil
	})
	w.styles[id] = s
	return err
}

// headingLevelByName returns the level of a heading style, by the name that is the same in every language of Word.
func headingLevelByName(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	level, ok := strings.CutPrefix(name, "heading ")
	if n, err := strconv.Atoi(level); ok && err == nil && n > 0 && n < 10 {
		return min(n, 6)
	}
	return 0
}

func (w *wordReader) readNotes(kind string) error {
	return w.xml.eachInRoot(func(el xml.StartElement) error {
		text, err := w.readApart(w.readBlock)
		if text != "" && attributeValue(el, "type") == "" {
			w.notes[kind+" "+attributeValue(el, "id")] = text
		}
		return err
	})
}

type wordParagraph struct {
	text     bytes.Buffer
	style    string
	list     string // numId
	depth    int
	outline  int      // level of a heading by the paragraph's own setting
	trailing []string // text boxes and notes

	isDropCap bool // the first letter of the next one
}

// wordRun is how a run of text is written.
type wordRun struct{ isHidden, isStruck, isStruckTwice, isRaised, isLowered bool }

func (r *wordRun) readProperty(el xml.StartElement) {
	value := attributeValue(el, "val")
	holds := value == "" || isOn(value)
	switch el.Name.Local {
	case "vanish":
		r.isHidden = holds
	case "strike":
		r.isStruck = holds
	case "dstrike":
		r.isStruckTwice = holds
	case "vertAlign":
		r.isRaised, r.isLowered = value == "superscript", value == "subscript"
	}
}

// mark marks what b holds from a place on as the run is written.
func (r *wordRun) mark(b *bytes.Buffer, from int) {
	if *r == (wordRun{}) {
		return
	}
	text := string(b.Bytes()[from:])
	b.Truncate(from)
	switch {
	case r.isHidden || r.isStruck || r.isStruckTwice:
	case r.isRaised:
		b.WriteString(draft.Raised(text))
	default:
		b.WriteString(draft.Lowered(text))
	}
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
	case "sym":
		p.text.WriteString(symbolText(attributeValue(el, "font"), attributeValue(el, "char")))
	case "r":
		return w.readRunText(p)
	case "sup", "sub": // of a formula
		from := p.text.Len()
		err := inside()
		run := wordRun{isRaised: el.Name.Local == "sup", isLowered: el.Name.Local == "sub"}
		run.mark(&p.text, from)
		return err
	case "den":
		p.text.WriteByte('/')
		return inside()
	case "pPr":
		return w.xml.eachChild(func(el xml.StartElement) error { return w.readProperty(el, p) })
	case "footnoteReference", "endnoteReference":
		id := strings.TrimSuffix(el.Name.Local, "Reference") + " " + attributeValue(el, "id")
		if note := w.notes[id]; note != "" {
			p.trailing = append(p.trailing, note)
			delete(w.notes, id) // a note is where it is referred to first
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

// readRunText reads a run, without what is hidden or struck out.
func (w *wordReader) readRunText(p *wordParagraph) error {
	from, run := p.text.Len(), w.styles[p.style].run
	err := w.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local != "rPr" {
			return w.readRun(el, p)
		}
		return w.xml.eachChild(func(el xml.StartElement) error {
			if el.Name.Local == "rStyle" {
				run = w.styles[attributeValue(el, "val")].run
			}
			run.readProperty(el)
			return nil
		})
	})
	run.mark(&p.text, from)
	return err
}

func (w *wordReader) readProperty(el xml.StartElement, p *wordParagraph) error {
	switch el.Name.Local {
	case "pStyle":
		p.style = attributeValue(el, "val")
	case "framePr":
		p.isDropCap = attributeValue(el, "dropCap") == "drop" || attributeValue(el, "dropCap") == "margin"
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
	r := w.links[attributeValue(el, "id")]
	if r.isExternal && !bytes.Contains(bytes.TrimSpace(p.text.Bytes()[before:]), []byte("\n")) {
		linkText(&p.text, before, r.target)
	}
	return nil
}

// linkText makes what b holds from a place on the label of a link, unless it is the link's address.
func linkText(b *bytes.Buffer, from int, address string) {
	label, target := strings.TrimSpace(string(b.Bytes()[from:])), html.AbsoluteURL(nil, address)
	if target != "" && label != "" && label != target {
		b.Truncate(from)
		b.WriteString("[" + label + "](" + target + ")")
	}
}

// readTextBox reads a text box; it is behind the paragraph that holds it.
func (w *wordReader) readTextBox(p *wordParagraph) error {
	text, err := w.readApart(w.readBlock)
	if text != "" {
		p.trailing = append(p.trailing, text)
	}
	return err
}
