package office

import (
	"encoding/xml"
	"errors"
	"strconv"
	"strings"

	"parley/internal/ingest/extract/draft"
)

type wordStyle struct {
	heading int
	list    string
	depth   int
	basedOn string
}

type wordList struct {
	bullet [9]bool
	start  [9]int
}

// readDefinitions reads the styles, the numbering and the notes.
func (w *wordReader) readDefinitions(a *archive, folder string) error {
	body := w.xml
	defer func() { w.xml = body }()
	for _, part := range []struct {
		name string
		read func() error
	}{{"styles.xml", w.readStyles}, {"numbering.xml", w.readNumbering}, {"footnotes.xml", func() error {
		return w.readNotes("footnote")
	}},
		{"endnotes.xml", func() error { return w.readNotes("endnote") }}} {
		data, err := a.unpackPart(folder + "/" + part.name)
		if err != nil {
			if !errors.Is(err, errNoPart) {
				return err
			}
			continue
		}
		w.xml = newXMLReader(data)
		if err := part.read(); err != nil {
			return err
		}
	}
	return nil
}

func (w *wordReader) readStyles() error {
	err := w.xml.eachChild(func(xml.StartElement) error {
		return w.xml.eachChild(func(el xml.StartElement) error {
			if el.Name.Local != "style" {
				return nil
			}
			return w.readStyle(attributeValue(el, "styleId"))
		})
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

func (w *wordReader) readNumbering() error {
	abstract := map[string]wordList{}
	return w.xml.eachChild(func(xml.StartElement) error {
		return w.xml.eachChild(func(el xml.StartElement) error {
			switch el.Name.Local {
			case "abstractNum":
				var l wordList
				err := w.xml.eachChild(func(el xml.StartElement) error { return w.readLevel(el, &l) })
				abstract[attributeValue(el, "abstractNumId")] = l
				return err
			case "num":
				id := attributeValue(el, "numId")
				return w.xml.eachChild(func(el xml.StartElement) error {
					if el.Name.Local == "abstractNumId" {
						w.lists[id] = abstract[attributeValue(el, "val")]
					}
					return nil
				})
			}
			return nil
		})
	})
}

func (w *wordReader) readLevel(el xml.StartElement, l *wordList) error {
	if el.Name.Local != "lvl" {
		return nil
	}
	depth := draft.ParseSmallInt(attributeValue(el, "ilvl"), 0, 8)
	return w.xml.eachChild(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "numFmt":
			l.bullet[depth] = attributeValue(el, "val") == "bullet" || attributeValue(el, "val") == "none"
		case "start":
			l.start[depth] = draft.ParseSmallInt(attributeValue(el, "val"), 1, 9999)
		}
		return nil
	})
}

func (w *wordReader) readNotes(kind string) error {
	if w.notes == nil {
		w.notes = map[string]string{}
	}
	return w.xml.eachChild(func(xml.StartElement) error {
		return w.xml.eachChild(func(el xml.StartElement) error {
			outer := w.out
			w.out = &draft.Builder{}
			err := w.xml.eachChild(w.readBlock)
			if text := w.out.Text(); text != "" && attributeValue(el, "type") == "" {
				w.notes[kind+" "+attributeValue(el, "id")] = text
			}
			w.out = outer
			return err
		})
	})
}
