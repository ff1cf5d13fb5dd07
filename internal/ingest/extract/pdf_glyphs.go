package extract

import (
	"fmt"
	"math"
	"regexp"

	"github.com/ledongthuc/pdf"
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

var identity = transform{1, 0, 0, 1, 0, 0}

// times gives the transform that does m first and then n.
func (m transform) times(n transform) transform {
	return transform{m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5]}
}

type textState struct {
	space, word, leading, rise float64
	stretch                    float64
	size                       float64
	font                       *pdfFont
	bold                       bool
	ctm                        transform
}

// pen follows the operators of a page's content and notes each glyph.
type pen struct {
	fonts     map[string]*pdfFont // of the whole file, by what refers to them
	resources pdf.Value
	state     textState
	saved     []textState
	text      transform
	line      transform
	glyphs    []glyph
	depth     int // of forms in forms
	forms     int
}

const (
	mostForms = 500 // on one page
	deepForms = 10
)

// follow interprets a content stream, or several in an array.
func (p *pen) follow(content pdf.Value) (err error) {
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
		p.do(op, args)
	})
	return nil
}

func (p *pen) do(op string, args []pdf.Value) {
	at := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	s := &p.state
	switch op {
	case "q":
		if len(p.saved) < 100 {
			p.saved = append(p.saved, *s)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			*s, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		s.ctm = transform{at(0), at(1), at(2), at(3), at(4), at(5)}.times(s.ctm)
	case "BT":
		p.text, p.line = identity, identity
	case "Tf":
		if len(args) == 2 {
			s.font, s.bold = p.font(args[0].Name())
			s.size = at(1)
		}
	case "Tc":
		s.space = at(0)
	case "Tw":
		s.word = at(0)
	case "Tz":
		s.stretch = at(0) / 100
	case "TL":
		s.leading = at(0)
	case "Ts":
		s.rise = at(0)
	case "Td":
		p.move(at(0), at(1))
	case "TD":
		s.leading = -at(1)
		p.move(at(0), at(1))
	case "Tm":
		p.line = transform{at(0), at(1), at(2), at(3), at(4), at(5)}
		p.text = p.line
	case "T*":
		p.move(0, -s.leading)
	case "Do":
		if len(args) == 1 {
			p.form(args[0].Name())
		}
	default:
		p.show(op, args)
	}
}

// show takes the operators that show strings.
func (p *pen) show(op string, args []pdf.Value) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	switch op {
	case "\"":
		if len(args) == 3 {
			p.state.word, p.state.space = args[0].Float64(), args[1].Float64()
		}
		fallthrough
	case "'":
		p.move(0, -p.state.leading)
		p.put(last.RawString())
	case "Tj":
		p.put(last.RawString())
	case "TJ":
		for i := range last.Len() {
			x := last.Index(i)
			if x.Kind() == pdf.String {
				p.put(x.RawString())
			} else {
				p.text = transform{1, 0, 0, 1, -x.Float64() / 1000 * p.state.size * p.state.stretch, 0}.times(p.text)
			}
		}
	}
}

func (p *pen) move(x, y float64) {
	p.line = transform{1, 0, 0, 1, x, y}.times(p.line)
	p.text = p.line
}

// put notes the glyphs of a string and moves on behind them.
func (p *pen) put(raw string) {
	s := &p.state
	if s.font == nil {
		return
	}
	for _, g := range s.font.codes(raw) {
		advance := g.width*s.size + s.space
		if g.space {
			advance += s.word
		}
		advance *= s.stretch
		m := transform{s.size * s.stretch, 0, 0, s.size, 0, s.rise}.times(p.text).times(s.ctm)
		p.note(m, g)
		p.text = transform{1, 0, 0, 1, advance, 0}.times(p.text)
	}
}

// note turns the glyph so that its base line is level.
func (p *pen) note(m transform, g glyphCode) {
	if g.text == "" || g.text == "\x00" || len(p.glyphs) >= mostGlyphs {
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

// form draws what stands in a stream of its own, which the resources name.
func (p *pen) form(name string) {
	if x := p.resources.Key("XObject").Key(name); x.Key("Subtype").Name() == "Form" {
		p.draw(x)
	}
}

func (p *pen) draw(x pdf.Value) {
	if p.forms++; p.forms > mostForms || p.depth >= deepForms || x.Kind() != pdf.Stream {
		return
	}
	outer, state, saved := p.resources, p.state, p.saved
	defer func() { p.resources, p.state, p.saved = outer, state, saved }()
	if own := x.Key("Resources"); own.Kind() == pdf.Dict {
		p.resources = own
	}
	if m := x.Key("Matrix"); m.Len() == 6 {
		var t transform
		for i := range t {
			t[i] = m.Index(i).Float64()
		}
		p.state.ctm = t.times(p.state.ctm)
	}
	p.saved = nil
	p.depth++
	defer func() { p.depth-- }()
	_ = p.follow(x) // what came before its damage is kept
}

// annotations draws what was filled into the fields of a form and written on the page.
func (p *pen) annotations(page pdf.Value) {
	defer func() { _ = recover() }() // the page itself is read already
	all := page.Key("Annots")
	for i := range min(all.Len(), mostForms) {
		a := all.Index(i)
		if kind := a.Key("Subtype").Name(); kind != "Widget" && kind != "FreeText" || a.Key("F").Int64()&2 != 0 {
			continue
		}
		look := a.Key("AP").Key("N")
		if look.Kind() == pdf.Dict { // one for each state
			look = look.Key(a.Key("AS").Name())
		}
		p.state = textState{stretch: 1, ctm: identity}
		p.state.ctm[4] = a.Key("Rect").Index(0).Float64() - look.Key("BBox").Index(0).Float64()
		p.state.ctm[5] = a.Key("Rect").Index(1).Float64() - look.Key("BBox").Index(1).Float64()
		p.draw(look)
	}
}

// font finds a font of the resources. Those that an object of the file holds are read once.
func (p *pen) font(name string) (*pdfFont, bool) {
	all := p.resources.Key("Font")
	v := all.Key(name)
	if v.Kind() != pdf.Dict {
		return nil, false
	}
	base := v.Key("BaseFont").Name()
	bold := boldName.MatchString(base)
	key := base + " " + v.String()
	if f := p.fonts[key]; f != nil {
		return f, bold
	}
	f := newPDFFont(v)
	if len(p.fonts) < 2000 {
		p.fonts[key] = f
	}
	return f, bold
}

var boldName = regexp.MustCompile(`(?i)bold|black|heavy|-bd|CMBX|SFBX`)
