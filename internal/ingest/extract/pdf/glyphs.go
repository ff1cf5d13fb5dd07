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
func (t transform) multiply(n transform) transform {
	return transform{t[0]*n[0] + t[1]*n[2], t[0]*n[1] + t[1]*n[3], t[2]*n[0] + t[3]*n[2], t[2]*n[1] + t[3]*n[3],
		t[4]*n[0] + t[5]*n[2] + n[4], t[4]*n[1] + t[5]*n[3] + n[5]}
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
func (r *contentReader) readContent(content pdf.Value) (err error) {
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
		r.applyOperator(op, args)
	})
	return nil
}

func (r *contentReader) applyOperator(op string, args []pdf.Value) {
	at := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	s := &r.state
	switch op {
	case "q":
		if len(r.stateStack) < 100 {
			r.stateStack = append(r.stateStack, *s)
		}
	case "Q":
		if n := len(r.stateStack); n > 0 {
			*s, r.stateStack = r.stateStack[n-1], r.stateStack[:n-1]
		}
	case "cm":
		s.ctm = transform{at(0), at(1), at(2), at(3), at(4), at(5)}.multiply(s.ctm)
	case "BT":
		r.textMatrix, r.lineMatrix = identityTransform, identityTransform
	case "Tf":
		if len(args) == 2 {
			s.font, s.bold = r.findFont(args[0].Name())
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
		r.moveLine(at(0), at(1))
	case "TD":
		s.leading = -at(1)
		r.moveLine(at(0), at(1))
	case "Tm":
		r.lineMatrix = transform{at(0), at(1), at(2), at(3), at(4), at(5)}
		r.textMatrix = r.lineMatrix
	case "T*":
		r.moveLine(0, -s.leading)
	case "Do":
		if len(args) == 1 {
			r.drawForm(args[0].Name())
		}
	default:
		r.showText(op, args)
	}
}

// showText applies the operators that show strings.
func (r *contentReader) showText(op string, args []pdf.Value) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	switch op {
	case "\"":
		if len(args) == 3 {
			r.state.wordSpacing, r.state.charSpacing = args[0].Float64(), args[1].Float64()
		}
		fallthrough
	case "'":
		r.moveLine(0, -r.state.leading)
		r.addGlyphs(last.RawString())
	case "Tj":
		r.addGlyphs(last.RawString())
	case "TJ":
		for i := range last.Len() {
			x := last.Index(i)
			if x.Kind() == pdf.String {
				r.addGlyphs(x.RawString())
			} else {
				r.textMatrix = translate(-x.Float64()/1000*r.state.size*r.state.horizontalScale, 0).multiply(r.textMatrix)
			}
		}
	}
}

func (r *contentReader) moveLine(x, y float64) {
	r.lineMatrix = translate(x, y).multiply(r.lineMatrix)
	r.textMatrix = r.lineMatrix
}

// addGlyphs notes the glyphs of a string and moves on behind them.
func (r *contentReader) addGlyphs(raw string) {
	s := &r.state
	if s.font == nil {
		return
	}
	for _, g := range s.font.decodeCodes(raw) {
		advance := g.width*s.size + s.charSpacing
		if g.isSpace {
			advance += s.wordSpacing
		}
		advance *= s.horizontalScale
		m := transform{s.size * s.horizontalScale, 0, 0, s.size, 0, s.rise}.multiply(r.textMatrix).multiply(s.ctm)
		r.addGlyph(m, g)
		r.textMatrix = translate(advance, 0).multiply(r.textMatrix)
	}
}

// addGlyph turns the glyph so that its base line is level.
func (r *contentReader) addGlyph(m transform, g glyphCode) {
	if g.text == "" || g.text == "\x00" || len(r.glyphs) >= draft.MaxGlyphs {
		return
	}
	length := math.Hypot(m[0], m[1])
	height := math.Abs(m[0]*m[3]-m[1]*m[2]) / max(length, 1e-9)
	if !(length > 1e-6 && height > 1e-6 && length < 1e6) || math.IsNaN(m[4]+m[5]) {
		return
	}
	cos, sin := m[0]/length, m[1]/length
	x, y := m[4]*cos+m[5]*sin, m[5]*cos-m[4]*sin
	r.glyphs = append(r.glyphs, glyph{x: x, end: x + g.width*length, y: y, size: height, text: g.text, bold: r.state.bold})
}

// drawForm draws what is in a stream of its own, which the resources name.
func (r *contentReader) drawForm(name string) {
	if x := r.resources.Key("XObject").Key(name); x.Key("Subtype").Name() == "Form" {
		r.drawStream(x)
	}
}

func (r *contentReader) drawStream(x pdf.Value) {
	if r.formCount++; r.formCount > maxForms || r.formDepth >= maxFormDepth || x.Kind() != pdf.Stream {
		return
	}
	outer, state, saved := r.resources, r.state, r.stateStack
	r.formDepth++
	defer func() { r.resources, r.state, r.stateStack, r.formDepth = outer, state, saved, r.formDepth-1 }()
	if own := x.Key("Resources"); own.Kind() == pdf.Dict {
		r.resources = own
	}
	if m := x.Key("Matrix"); m.Len() == 6 {
		var t transform
		for i := range t {
			t[i] = m.Index(i).Float64()
		}
		r.state.ctm = t.multiply(r.state.ctm)
	}
	r.stateStack = nil
	_ = r.readContent(x) // what came before its damage is kept
}

// drawAnnotations draws what was filled into the fields of a form and written on the page.
func (r *contentReader) drawAnnotations(v pdf.Value) {
	defer func() { _ = recover() }() // the page itself is read already
	all := v.Key("Annots")
	for i := range min(all.Len(), maxForms) {
		a := all.Index(i)
		if kind := a.Key("Subtype").Name(); kind != "Widget" && kind != "FreeText" || a.Key("F").Int64()&2 != 0 {
			continue
		}
		appearance := a.Key("AP").Key("N")
		if appearance.Kind() == pdf.Dict { // one for each state
			appearance = appearance.Key(a.Key("AS").Name())
		}
		r.state = textState{horizontalScale: 1, ctm: identityTransform}
		r.state.ctm[4] = a.Key("Rect").Index(0).Float64() - appearance.Key("BBox").Index(0).Float64()
		r.state.ctm[5] = a.Key("Rect").Index(1).Float64() - appearance.Key("BBox").Index(1).Float64()
		r.drawStream(appearance)
	}
}

// findFont finds a font of the resources. Those that an object of the file holds are read once.
func (r *contentReader) findFont(name string) (*font, bool) {
	all := r.resources.Key("Font")
	v := all.Key(name)
	if v.Kind() != pdf.Dict {
		return nil, false
	}
	base := v.Key("BaseFont").Name()
	bold := boldNamePattern.MatchString(base)
	key := base + " " + v.String()
	if f := r.fonts[key]; f != nil {
		return f, bold
	}
	f := newFont(v)
	if len(r.fonts) < 2000 {
		r.fonts[key] = f
	}
	return f, bold
}

var boldNamePattern = regexp.MustCompile(`(?i)bold|black|heavy|-bd|CMBX|SFBX`)
