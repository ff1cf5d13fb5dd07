package extract

import (
	"encoding/xml"
	"errors"
	"strconv"
	"strings"
)

type wordStyle struct {
	heading int
	list    string
	depth   int
	based   string
}

type wordList struct {
	bullet [9]bool
	start  [9]int
}

// prepare reads the styles, the numbering and the notes.
func (w *wordReader) prepare(a *archive, folder string) error {
	body := w.e
	defer func() { w.e = body }()
	for _, part := range []struct {
		name string
		read func() error
	}{{"styles.xml", w.readStyles}, {"numbering.xml", w.readNumbering}, {"footnotes.xml", func() error { return w.readNotes("footnote") }},
		{"endnotes.xml", func() error { return w.readNotes("endnote") }}} {
		data, err := a.part(folder + "/" + part.name)
		if err != nil {
			if !errors.Is(err, errNoPart) {
				return err
			}
			continue
		}
		w.e = newElements(data)
		if err := part.read(); err != nil {
			return err
		}
	}
	return nil
}

func (w *wordReader) readStyles() error {
	err := w.e.children(func(xml.StartElement) error {
		return w.e.children(func(el xml.StartElement) error {
			if el.Name.Local != "style" {
				return nil
			}
			return w.readStyle(value(el, "styleId"))
		})
	})
	for id, s := range w.styles { // what a style does not say, the one it is based on says
		for base, n := s.based, 0; base != "" && n < 20 && s.heading == 0 && s.list == ""; n++ {
			s.heading, s.list, s.depth = w.styles[base].heading, w.styles[base].list, w.styles[base].depth
			base = w.styles[base].based
		}
		w.styles[id] = s
	}
	return err
}

func (w *wordReader) readStyle(id string) error {
	var s wordStyle
	err := w.e.children(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "name":
			s.heading = headingNamed(value(el, "val"))
		case "basedOn":
			s.based = value(el, "val")
		case "pPr":
			var p wordParagraph
			err := w.e.children(func(el xml.StartElement) error { return w.property(el, &p) })
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

// headingNamed gives the level of a heading style, by the name that is the same in every language of Word.
func headingNamed(name string) int {
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
	return w.e.children(func(xml.StartElement) error {
		return w.e.children(func(el xml.StartElement) error {
			switch el.Name.Local {
			case "abstractNum":
				var l wordList
				err := w.e.children(func(el xml.StartElement) error { return w.readLevel(el, &l) })
				abstract[value(el, "abstractNumId")] = l
				return err
			case "num":
				id := value(el, "numId")
				return w.e.children(func(el xml.StartElement) error {
					if el.Name.Local == "abstractNumId" {
						w.lists[id] = abstract[value(el, "val")]
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
	depth := number(value(el, "ilvl"), 0, 8)
	return w.e.children(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "numFmt":
			l.bullet[depth] = value(el, "val") == "bullet" || value(el, "val") == "none"
		case "start":
			l.start[depth] = number(value(el, "val"), 1, 9999)
		}
		return nil
	})
}

func (w *wordReader) readNotes(kind string) error {
	if w.notes == nil {
		w.notes = map[string]string{}
	}
	return w.e.children(func(xml.StartElement) error {
		return w.e.children(func(el xml.StartElement) error {
			outer := w.d
			w.d = &draft{}
			err := w.e.children(w.blocks)
			if text := w.d.text(); text != "" && value(el, "type") == "" {
				w.notes[kind+" "+value(el, "id")] = text
			}
			w.d = outer
			return err
		})
	})
}
