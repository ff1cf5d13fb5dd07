package office

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"slices"
	"strconv"
	"strings"

	"parley/internal/ingest/extract/draft"
)

// ReadPPTX reads the slides that are shown, in their order: the title as a heading, texts and tables, and the
// speaker's notes.
func ReadPPTX(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return draft.Document{}, err
	}
	main, err := a.mainPartName("ppt/presentation.xml")
	if err != nil {
		return draft.Document{}, err
	}
	var slides []string
	err = a.eachReference(main, "sldId", func(_ xml.StartElement, slide string) { slides = append(slides, slide) })
	if err != nil {
		return draft.Document{}, err
	}
	var d draft.Builder
	for i, name := range slides {
		if err := ctx.Err(); err != nil {
			return draft.Document{}, err
		}
		if err := a.readSlide(&d, name, i+1); err != nil {
			return draft.Document{}, err
		}
		if d.IsFull() {
			return draft.Document{}, draft.ErrTooMuchText
		}
	}
	title, err := a.readTitle("docProps/core.xml")
	return draft.Document{Title: title, Text: d.Text(), Pages: len(slides)}, err
}

func (a *archive) readSlide(d *draft.Builder, name string, n int) error {
	data, err := a.once(name)
	switch {
	case errors.Is(err, errNoPart):
		return nil
	case err != nil:
		return err
	}
	s := slideReader{xml: newXMLReader(data), out: &draft.Builder{}, repeats: &a.repeats}
	if err := s.xml.eachChild(s.readShape); err != nil {
		return err
	}
	if s.isHidden {
		return nil
	}
	if s.title == "" {
		s.title = "Slide " + strconv.Itoa(n)
	}
	d.AddHeading(2, s.title)
	d.AddBlock(s.out.Text())
	notes, err := a.relatedParts(name, "notesSlide")
	if err != nil || len(notes) == 0 {
		return err
	}
	if data, err = a.once(notes[0]); err != nil {
		return nil //nolint:nilerr // a slide without its notes is a slide
	}
	s = slideReader{xml: newXMLReader(data), out: &draft.Builder{}, onlyBody: true, repeats: &a.repeats}
	if err := s.xml.eachChild(s.readShape); err != nil {
		return err
	}
	d.AddBlock(s.out.Text())
	return nil
}

type slideReader struct {
	xml      *xmlReader
	out      *draft.Builder
	groups   int         // how deep in groups
	place    placedShape // of the shape that is being read
	title    string
	rowAbove []string // the row before, for cells that are merged with it
	isHidden bool     // the slide is not shown
	onlyBody bool     // of notes: the slide's picture and number are left out
	repeats  *draft.RepeatBudget
}

// placedShape is the text of a shape, and where on the slide its upper left corner is.
type placedShape struct {
	text    string
	x, y    int // in EMU: 914,400 are an inch
	isKnown bool
}

const (
	sameRow         = 914_400 / 4 // between the upper edges of shapes that are side by side: a quarter of an inch
	maxPlacedGroups = 8           // within one another, of which the shapes are ordered
)

// readShapes reads the shapes of a slide or a group by their places: from above, and side by side from the left. Those
// that are where their layout has them come first.
func (s *slideReader) readShapes() error {
	var shapes []placedShape
	err := s.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local == "grpSpPr" || el.Name.Local == "nvGrpSpPr" { // of the group itself
			return s.readShape(el)
		}
		outer, group := s.out, s.place
		s.out, s.place = &draft.Builder{}, placedShape{}
		err := s.readShape(el)
		s.place.text = s.out.Text()
		shapes = append(shapes, s.place)
		s.out, s.place = outer, group
		return err
	})
	slices.SortStableFunc(shapes, func(a, b placedShape) int {
		switch {
		case a.isKnown == b.isKnown:
			return cmp.Compare(a.y, b.y)
		case b.isKnown:
			return -1
		}
		return 1
	})
	for _, shape := range orderRows(shapes) {
		s.out.AddBlock(shape.text)
	}
	return err
}

// orderRows orders shapes that are side by side, in a list of shapes from above.
func orderRows(shapes []placedShape) []placedShape {
	for from := 0; from < len(shapes); {
		to := from + 1
		for to < len(shapes) && shapes[to].isKnown && shapes[from].isKnown && shapes[to].y-shapes[from].y < sameRow {
			to++
		}
		slices.SortStableFunc(shapes[from:to], func(a, b placedShape) int { return cmp.Compare(a.x, b.x) })
		from = to
	}
	return shapes
}

// readPlace notes the place of a shape: the first one that it names.
func (s *slideReader) readPlace(el xml.StartElement) {
	x, errX := strconv.Atoi(attributeValue(el, "x"))
	y, errY := strconv.Atoi(attributeValue(el, "y"))
	if !s.place.isKnown && errX == nil && errY == nil {
		s.place = placedShape{x: x, y: y, isKnown: true}
	}
}

func (s *slideReader) readShape(el xml.StartElement) error {
	switch el.Name.Local {
	case "spTree", "grpSp":
		if s.groups == maxPlacedGroups {
			break
		}
		s.groups++
		defer func() { s.groups-- }()
		return s.readShapes()
	case "off":
		s.readPlace(el)
		return nil
	case "sld":
		if s.isHidden = attributeValue(el, "show") == "0" || attributeValue(el, "show") == "false"; s.isHidden {
			return nil
		}
	case "sp":
		return s.readTextShape()
	case "tbl":
		s.rowAbove = nil
		t := s.out.NewTable()
		if err := s.xml.eachChild(func(el xml.StartElement) error { return s.readRow(el, t) }); err != nil {
			return err
		}
		return t.Finish()
	case "Fallback", "extLst":
		return nil
	}
	return s.xml.eachChild(s.readShape)
}

// readTextShape reads a shape: what kind of place it takes on the slide, and its paragraphs.
func (s *slideReader) readTextShape() error {
	place, isHidden := "", false
	var lines []slideLine
	err := s.xml.eachDescendant(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "off":
			s.readPlace(el)
		case "cNvPr":
			isHidden = isHidden || isOn(attributeValue(el, "hidden"))
		case "ph":
			place = cmp.Or(attributeValue(el, "type"), "body")
		case "p":
			line, err := s.readLine()
			lines = append(lines, line)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case isHidden:
	case place == "sldNum", place == "dt", place == "ftr", place == "hdr", s.onlyBody && place != "body":
	case (place == "title" || place == "ctrTitle") && s.title == "":
		var texts []string
		for _, l := range lines {
			texts = append(texts, l.text)
		}
		s.title = draft.CollapseSpaces(strings.Join(texts, " "))
	default:
		for _, l := range lines {
			s.writeLine(l, place)
		}
	}
	return nil
}

type slideLine struct {
	text        string
	depth       int
	bullet      bool
	hasNoBullet bool
}

// writeLine writes a line: an item where it has a bullet, or is in a place that has bullets by itself beside
// others.
func (s *slideReader) writeLine(l slideLine, place string) {
	isItem := l.bullet || l.depth > 0 || (place == "body" || place == "obj") && !l.hasNoBullet && len(l.text) < 200
	if isItem && !s.onlyBody {
		s.out.AddItem(l.depth, "-", l.text)
		return
	}
	s.out.AddParagraph(l.text)
}

func (s *slideReader) readLine() (l slideLine, err error) {
	var b bytes.Buffer
	var run wordRun
	err = s.xml.eachDescendant(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "pPr":
			l.depth = draft.ParseSmallInt(attributeValue(el, "lvl"), 0, 8)
		case "buChar", "buAutoNum":
			l.bullet = true
		case "buNone":
			l.hasNoBullet = true
		case "br":
			b.WriteByte('\n')
		case "rPr":
			strike := attributeValue(el, "strike")
			run = wordRun{isStruck: strike != "" && strike != "noStrike",
				isRaised:  attributeValue(el, "baseline") != "" && numberOf(el, "baseline") > 0,
				isLowered: strings.HasPrefix(attributeValue(el, "baseline"), "-")}
		case "r", "fld":
			run = wordRun{}
		case "t":
			text, err := s.xml.readText()
			from := b.Len()
			b.WriteString(text)
			run.mark(&b, from)
			return err
		}
		return nil
	})
	l.text = strings.TrimSpace(strings.ReplaceAll(b.String(), "\v", "\n"))
	return l, err
}

func (s *slideReader) readRow(el xml.StartElement, t *draft.Table) error {
	if el.Name.Local != "tr" {
		return nil
	}
	var cells []string
	err := s.xml.eachChild(func(el xml.StartElement) error {
		switch {
		case el.Name.Local != "tc":
			return nil
		case attributeValue(el, "hMerge") == "1" && len(cells) > 0:
			cells = append(cells, s.repeats.Take(cells[len(cells)-1]))
			return nil
		case attributeValue(el, "vMerge") == "1" && len(cells) < len(s.rowAbove):
			cells = append(cells, s.repeats.Take(s.rowAbove[len(cells)]))
			return nil
		}
		var lines []string
		err := s.xml.eachDescendant(func(el xml.StartElement) error {
			if el.Name.Local != "p" {
				return nil
			}
			line, err := s.readLine()
			lines = append(lines, line.text)
			return err
		})
		cells = append(cells, strings.Join(lines, " "))
		return err
	})
	s.rowAbove = slices.Clone(cells)
	t.AddRow(cells)
	return err
}
