package pdf

import (
	"fmt"
	"math"
	"regexp"

	"github.com/ledongthuc/pdf"

	"parley/internal/ingest/extract/draft"
)

// glyph is what one code shows, turned so that it runs from left to right: positions are in points, y grows upwards.
type glyph struct {
	x, end, y float64
	size      float64
	text      string
	bold      bool
}

// transform is a matrix as PDF writes it: a b c d e f.
type transform [6]float64

var identityTransform = translate(0, 0)

func translate(x, y float64) transform { return transform{1, 0, 0, 1, x, y} }

// multiply returns the transform that does m first and then n.
func (m transform) multiply(n transform) transform {
	return transform{m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5]}
}

type textState struct {
	charSpacing, wordSpacing, leading, rise float64
	horizontalScale                         float64
	size                                    float64
	font                                    *font
	bold                                    bool
	ctm                                     transform
}

// contentReader follows the operators of a page's content and notes each glyph.
type contentReader struct {
	fonts      map[string]*font // of the whole file, by what refers to them
	resources  pdf.Value
	state      textState
	stateStack []textState
	textMatrix transform
	lineMatrix transform
	glyphs     []glyph
	formDepth  int // of forms in forms
	formCount  int
}

const (
	maxForms     = 500 // on one page
	maxFormDepth = 10
)

// readContent interprets a content stream, or several in an array.
func (p *contentReader) readContent(content pdf.Value) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("content: %v", v)
		}
	}()
	pdf.Interpret(content, func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		p.applyOperator(op, args)
	})
	return nil
}

func (p *contentReader) applyOperator(op string, args []pdf.Value) {
	at := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	s := &p.state
	switch op {
	case "q":
		if len(p.stateStack) < 100 {
			p.stateStack = append(p.stateStack, *s)
		}
	case "Q":
		if n := len(p.stateStack); n > 0 {
			*s, p.stateStack = p.stateStack[n-1], p.stateStack[:n-1]
		}
	case "cm":
		s.ctm = transform{at(0), at(1), at(2), at(3), at(4), at(5)}.multiply(s.ctm)
	case "BT":
		p.textMatrix, p.lineMatrix = identityTransform, identityTransform
	case "Tf":
		if len(args) == 2 {
			s.font, s.bold = p.findFont(args[0].Name())
			s.size = at(1)
		}
	case "Tc":
		s.charSpacing = at(0)
	case "Tw":
		s.wordSpacing = at(0)
	case "Tz":
		s.horizontalScale = at(0) / 100
	case "TL":
		s.leading = at(0)
	case "Ts":
		s.rise = at(0)
	case "Td":
		p.moveLine(at(0), at(1))
	case "TD":
		s.leading = -at(1)
		p.moveLine(at(0), at(1))
	case "Tm":
		p.lineMatrix = transform{at(0), at(1), at(2), at(3), at(4), at(5)}
		p.textMatrix = p.lineMatrix
	case "T*":
		p.moveLine(0, -s.leading)
	case "Do":
		if len(args) == 1 {
			p.drawForm(args[0].Name())
		}
	default:
		p.showText(op, args)
	}
}

// showText applies the operators that show strings.
func (p *contentReader) showText(op string, args []pdf.Value) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	switch op {
	case "\"":
		if len(args) == 3 {
			p.state.wordSpacing, p.state.charSpacing = args[0].Float64(), args[1].Float64()
		}
		fallthrough
	case "'":
		p.moveLine(0, -p.state.leading)
		p.addGlyphs(last.RawString())
	case "Tj":
		p.addGlyphs(last.RawString())
	case "TJ":
		for i := range last.Len() {
			x := last.Index(i)
			if x.Kind() == pdf.String {
				p.addGlyphs(x.RawString())
			} else {
				p.textMatrix = translate(-x.Float64()/1000*p.state.size*p.state.horizontalScale, 0).multiply(p.textMatrix)
			}
		}
	}
}

func (p *contentReader) moveLine(x, y float64) {
	p.lineMatrix = translate(x, y).multiply(p.lineMatrix)
	p.textMatrix = p.lineMatrix
}

// addGlyphs notes the glyphs of a string and moves on behind them.
func (p *contentReader) addGlyphs(raw string) {
	s := &p.state
	if s.font == nil {
		return
	}
	for _, g := range s.font.decodeCodes(raw) {
		advance := g.width*s.size + s.charSpacing
		if g.isSpace {
			advance += s.wordSpacing
		}
		advance *= s.horizontalScale
		m := transform{s.size * s.horizontalScale, 0, 0, s.size, 0, s.rise}.multiply(p.textMatrix).multiply(s.ctm)
		p.addGlyph(m, g)
		p.textMatrix = translate(advance, 0).multiply(p.textMatrix)
	}
}

// addGlyph turns the glyph so that its base line is level.
func (p *contentReader) addGlyph(m transform, g glyphCode) {
	if g.text == "" || g.text == "\x00" || len(p.glyphs) >= draft.MaxGlyphs {
		return
	}
	length := math.Hypot(m[0], m[1])
	height := math.Abs(m[0]*m[3]-m[1]*m[2]) / max(length, 1e-9)
	if !(length > 1e-6 && height > 1e-6 && length < 1e6) || math.IsNaN(m[4]+m[5]) {
		return
	}
	cos, sin := m[0]/length, m[1]/length
	x, y := m[4]*cos+m[5]*sin, m[5]*cos-m[4]*sin
	p.glyphs = append(p.glyphs, glyph{x: x, end: x + g.width*length, y: y, size: height, text: g.text, bold: p.state.bold})
}

// drawForm draws what stands in a stream of its own, which the resources name.
func (p *contentReader) drawForm(name string) {
	if x := p.resources.Key("XObject").Key(name); x.Key("Subtype").Name() == "Form" {
		p.drawStream(x)
	}
}

func (p *contentReader) drawStream(x pdf.Value) {
	if p.formCount++; p.formCount > maxForms || p.formDepth >= maxFormDepth || x.Kind() != pdf.Stream {
		return
	}
	outer, state, saved := p.resources, p.state, p.stateStack
	defer func() { p.resources, p.state, p.stateStack = outer, state, saved }()
	if own := x.Key("Resources"); own.Kind() == pdf.Dict {
		p.resources = own
	}
	if m := x.Key("Matrix"); m.Len() == 6 {
		var t transform
		for i := range t {
			t[i] = m.Index(i).Float64()
		}
		p.state.ctm = t.multiply(p.state.ctm)
	}
	p.stateStack = nil
	p.formDepth++
	defer func() { p.formDepth-- }()
	_ = p.readContent(x) // what came before its damage is kept
}

// drawAnnotations draws what was filled into the fields of a form and written on the page.
func (p *contentReader) drawAnnotations(v pdf.Value) {
	defer func() { _ = recover() }() // the page itself is read already
	all := v.Key("Annots")
	for i := range min(all.Len(), maxForms) {
		a := all.Index(i)
		if kind := a.Key("Subtype").Name(); kind != "Widget" && kind != "FreeText" || a.Key("F").Int64()&2 != 0 {
			continue
		}
		look := a.Key("AP").Key("N")
		if look.Kind() == pdf.Dict { // one for each state
			look = look.Key(a.Key("AS").Name())
		}
		p.state = textState{horizontalScale: 1, ctm: identityTransform}
		p.state.ctm[4] = a.Key("Rect").Index(0).Float64() - look.Key("BBox").Index(0).Float64()
		p.state.ctm[5] = a.Key("Rect").Index(1).Float64() - look.Key("BBox").Index(1).Float64()
		p.drawStream(look)
	}
}

// findFont finds a font of the resources. Those that an object of the file holds are read once.
func (p *contentReader) findFont(name string) (*font, bool) {
	all := p.resources.Key("Font")
	v := all.Key(name)
	if v.Kind() != pdf.Dict {
		return nil, false
	}
	base := v.Key("BaseFont").Name()
	bold := boldNamePattern.MatchString(base)
	key := base + " " + v.String()
	if f := p.fonts[key]; f != nil {
		return f, bold
	}
	f := newFont(v)
	if len(p.fonts) < 2000 {
		p.fonts[key] = f
	}
	return f, bold
}

var boldNamePattern = regexp.MustCompile(`(?i)bold|black|heavy|-bd|CMBX|SFBX`)
