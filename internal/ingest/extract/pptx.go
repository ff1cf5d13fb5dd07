package extract

import (
	"context"
	"encoding/xml"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// readPPTX reads slide by slide, in the order they are shown: the title as a heading, texts and tables, and the speaker's notes.
func readPPTX(ctx context.Context, _ string, data []byte) (Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return Document{}, err
	}
	main, err := a.officeDocument("ppt/presentation.xml")
	if err != nil {
		return Document{}, err
	}
	slides, err := a.slides(main)
	if err != nil {
		return Document{}, err
	}
	var d draft
	for i, name := range slides {
		if err := ctx.Err(); err != nil {
			return Document{}, err
		}
		if err := a.slide(&d, name, i+1); err != nil {
			return Document{}, err
		}
		if d.full() {
			return Document{}, errTooMuchText
		}
	}
	title, err := a.coreTitle()
	return Document{Title: title, Text: d.text(), Pages: len(slides)}, err
}

// slides gives the parts of the slides in the order of the presentation.
func (a *archive) slides(main string) (names []string, err error) {
	data, err := a.part(main)
	if err != nil {
		return nil, err
	}
	links, err := a.relations(relationsOf(main))
	if err != nil {
		return nil, err
	}
	e := newElements(data)
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		if el.Name.Local == "sldId" {
			for _, at := range el.Attr {
				if r, known := links[at.Value]; known && at.Name.Local == "id" && at.Name.Space != "" {
					names = append(names, resolve(main, r.target))
				}
			}
		}
		return e.children(look)
	}
	return names, e.children(look)
}

func relationsOf(part string) string { return path.Dir(part) + "/_rels/" + path.Base(part) + ".rels" }

func resolve(from, target string) string {
	if strings.HasPrefix(target, "/") {
		return partName(target)
	}
	return partName(path.Join(path.Dir(from), target))
}

func (a *archive) slide(d *draft, name string, n int) error {
	data, err := a.once(name)
	if err != nil {
		if errors.Is(err, errNoPart) {
			return nil
		}
		return err
	}
	s := slideReader{e: newElements(data), repeats: &a.repeats}
	if err := s.e.children(s.shape); err != nil {
		return err
	}
	if s.title == "" {
		s.title = "Slide " + strconv.Itoa(n)
	}
	d.heading(2, s.title)
	d.block(s.d.text())
	links, err := a.relations(relationsOf(name))
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(links)) {
		if r := links[id]; strings.HasSuffix(r.kind, "/notesSlide") {
			return a.notes(d, resolve(name, r.target))
		}
	}
	return nil
}

func (a *archive) notes(d *draft, name string) error {
	data, err := a.once(name)
	if err != nil {
		return nil //nolint:nilerr // a slide without its notes is a slide
	}
	s := slideReader{e: newElements(data), onlyBody: true, repeats: &a.repeats}
	if err := s.e.children(s.shape); err != nil {
		return err
	}
	d.block(s.d.text())
	return nil
}

type slideReader struct {
	e        *elements
	d        draft
	title    string
	above    []string // the row before, for cells that are merged with it
	onlyBody bool     // of notes: the slide's picture and number are left out
	repeats  *repeats
}

func (s *slideReader) shape(el xml.StartElement) error {
	switch el.Name.Local {
	case "sp":
		return s.box()
	case "tbl":
		s.above = nil
		t := s.d.table()
		if err := s.e.children(func(el xml.StartElement) error { return s.row(el, t) }); err != nil {
			return err
		}
		return t.end()
	case "Fallback", "extLst":
		return nil
	}
	return s.e.children(s.shape)
}

// box reads a shape: what kind of place it takes on the slide, and its paragraphs.
func (s *slideReader) box() error {
	place := ""
	var lines []slideLine
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		switch el.Name.Local {
		case "ph":
			if place = value(el, "type"); place == "" {
				place = "body"
			}
		case "p":
			line, err := s.line()
			lines = append(lines, line)
			return err
		}
		return s.e.children(look)
	}
	if err := s.e.children(look); err != nil {
		return err
	}
	switch {
	case place == "sldNum", place == "dt", place == "ftr", place == "hdr", s.onlyBody && place != "body":
	case (place == "title" || place == "ctrTitle") && s.title == "":
		var texts []string
		for _, l := range lines {
			texts = append(texts, l.text)
		}
		s.title = flat(strings.Join(texts, " "))
	case s.onlyBody:
		for _, l := range lines {
			s.d.paragraph(l.text)
		}
	default:
		for _, l := range lines {
			s.put(l, place)
		}
	}
	return nil
}

type slideLine struct {
	text    string
	depth   int
	bullet  bool
	noSigns bool
}

// put writes a line: an item where it has a bullet, or stands in a place that has bullets by itself beside others.
func (s *slideReader) put(l slideLine, place string) {
	if l.bullet || l.depth > 0 || (place == "body" || place == "obj") && !l.noSigns && len(l.text) < 200 {
		s.d.item(l.depth, "-", l.text)
		return
	}
	s.d.paragraph(l.text)
}

func (s *slideReader) line() (l slideLine, err error) {
	var b strings.Builder
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		switch el.Name.Local {
		case "pPr":
			l.depth = number(value(el, "lvl"), 0, 8)
		case "buChar", "buAutoNum":
			l.bullet = true
		case "buNone":
			l.noSigns = true
		case "br":
			b.WriteByte('\n')
		case "t":
			text, err := s.e.text()
			b.WriteString(text)
			return err
		}
		return s.e.children(look)
	}
	err = s.e.children(look)
	l.text = strings.TrimSpace(strings.ReplaceAll(b.String(), "\v", "\n"))
	return l, err
}

func (s *slideReader) row(el xml.StartElement, t *table) error {
	if el.Name.Local != "tr" {
		return nil
	}
	var cells []string
	err := s.e.children(func(el xml.StartElement) error {
		switch {
		case el.Name.Local != "tc":
			return nil
		case value(el, "hMerge") == "1" && len(cells) > 0:
			cells = append(cells, s.repeats.of(cells[len(cells)-1]))
			return nil
		case value(el, "vMerge") == "1" && len(cells) < len(s.above):
			cells = append(cells, s.repeats.of(s.above[len(cells)]))
			return nil
		}
		var lines []string
		var look func(el xml.StartElement) error
		look = func(el xml.StartElement) error {
			if el.Name.Local == "p" {
				line, err := s.line()
				lines = append(lines, line.text)
				return err
			}
			return s.e.children(look)
		}
		err := s.e.children(look)
		cells = append(cells, strings.Join(lines, " "))
		return err
	})
	s.above = slices.Clone(cells)
	t.row(cells)
	return err
}
