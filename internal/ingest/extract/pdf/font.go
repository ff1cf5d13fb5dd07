package pdf

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// font says what the codes of a font mean and how far each one moves the pen, in thousandths of the font's size.
type font struct {
	isComposite  bool // codes of two bytes
	encoding     encoding.Encoding
	isUTF16      bool // codes are UTF-16
	byteTexts    [256]string
	toUnicode    cmap
	widths       map[uint32]float64
	defaultWidth float64
	scale        float64 // to the font's size: 1/1000 but for Type 3
}

// glyphCode is one code of a string, with what it stands for.
type glyphCode struct {
	text    string
	width   float64 // of the font's size
	isSpace bool    // the one code that word spacing adds to
}

func newFont(v pdf.Value) *font {
	f := &font{widths: map[uint32]float64{}, scale: 0.001, defaultWidth: -1}
	if to := v.Key("ToUnicode"); to.Kind() == pdf.Stream {
		ignorePanic(func() { f.toUnicode = readCMap(readStream(to)) })
	}
	ignorePanic(func() {
		if v.Key("Subtype").Name() == "Type0" {
			f.readComposite(v)
		} else {
			f.readSimple(v)
		}
	})
	return f
}

const maxCMapBytes = 8 << 20

func readStream(v pdf.Value) []byte {
	r := v.Reader()
	defer func() { _ = r.Close() }()
	b, _ := io.ReadAll(io.LimitReader(r, maxCMapBytes)) // of a stream that breaks off, what came before
	return b
}

// mixedEncodings are the character sets of composite fonts that are not Unicode, by a part of their names.
var mixedEncodings = []struct {
	mark string
	enc  encoding.Encoding
}{{"RKSJ", japanese.ShiftJIS}, {"GBK", simplifiedchinese.GBK}, {"GB-EUC", simplifiedchinese.GBK},
	{"GBpc", simplifiedchinese.GBK}, {"B5", traditionalchinese.Big5},
	{"KSC", korean.EUCKR}, {"EUC-H", japanese.EUCJP}, {"EUC-V", japanese.EUCJP}}

func (f *font) readComposite(v pdf.Value) {
	f.isComposite, f.defaultWidth = true, 1000
	name := v.Key("Encoding").Name()
	f.isUTF16 = strings.Contains(name, "UCS2") || strings.Contains(name, "UTF16")
	for _, m := range mixedEncodings {
		if f.encoding == nil && strings.Contains(name, m.mark) {
			f.encoding = m.enc
		}
	}
	below := v.Key("DescendantFonts").Index(0)
	if dw := below.Key("DW"); dw.Kind() != pdf.Null {
		f.defaultWidth = dw.Float64()
	}
	w := below.Key("W")
	for i := 0; i < w.Len() && len(f.widths) < 70_000; {
		first := uint32(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for j := range list.Len() {
				f.widths[first+uint32(j)] = list.Index(j).Float64()
			}
			i += 2
			continue
		}
		width := w.Index(i + 2).Float64()
		for code, last := first, uint32(w.Index(i+1).Int64()); code <= last && code < 65536; code++ {
			f.widths[code] = width
		}
		i += 3
	}
}

var unicodeNamePattern = regexp.MustCompile(`^u(?:ni)?([0-9A-F]{4,6})`)

func (f *font) readSimple(v pdf.Value) {
	source := pdf.Font{V: v}
	enc := source.Encoder()
	for c := range f.byteTexts {
		f.byteTexts[c] = enc.Decode(string([]byte{byte(c)}))
		if r := []rune(f.byteTexts[c]); c >= 0x80 &&
			(len(r) == 0 || len(r) == 1 && (r[0] == rune(c) && c < 0xa0 || r[0] == unicode.ReplacementChar)) {
			f.byteTexts[c] = string(charmap.Windows1252.DecodeByte(byte(c)))
		}
	}
	if file := v.Key("FontDescriptor").Key("FontFile"); v.Key("Encoding").Kind() == pdf.Null && f.toUnicode == nil &&
		file.Kind() == pdf.Stream {
		f.readBuiltinEncoding(file)
	}
	code := 0
	for i, d := 0, v.Key("Encoding").Key("Differences"); i < d.Len(); i++ {
		x := d.Index(i)
		if x.Kind() == pdf.Integer {
			code = int(x.Int64())
			continue
		}
		if m := unicodeNamePattern.FindStringSubmatch(x.Name()); m != nil && 0 <= code && code < 256 {
			if r, err := strconv.ParseUint(m[1], 16, 32); err == nil {
				f.byteTexts[code] = string(rune(r))
			}
		}
		code++
	}
	first, widths := uint32(v.Key("FirstChar").Int64()), v.Key("Widths")
	for i := range min(widths.Len(), 256) {
		f.widths[first+uint32(i)] = widths.Index(i).Float64()
	}
	if missing := v.Key("FontDescriptor").Key("MissingWidth"); missing.Kind() != pdf.Null && len(f.widths) > 0 {
		f.defaultWidth = missing.Float64()
	}
	if v.Key("Subtype").Name() == "Type3" {
		f.scale = v.Key("FontMatrix").Index(0).Float64()
	}
	if strings.Contains(v.Key("BaseFont").Name(), "Courier") && len(f.widths) == 0 {
		f.defaultWidth = 600
	}
}

// decodeCodes cuts a string into its codes.
func (f *font) decodeCodes(raw string) []glyphCode {
	out := make([]glyphCode, 0, len(raw))
	for len(raw) > 0 {
		n := 1
		if f.isComposite && len(raw) > 1 && (f.encoding == nil || raw[0] >= 0x81) {
			n = 2
		}
		code := uint32(raw[0])
		if n == 2 {
			code = code<<8 | uint32(raw[1])
		}
		g := glyphCode{text: f.textOf(raw[:n], code), isSpace: n == 1 && code == ' '}
		g.width = f.widthOf(code, g.text) * f.scale
		out = append(out, g)
		raw = raw[n:]
	}
	return out
}

func (f *font) textOf(raw string, code uint32) string {
	if text, ok := f.toUnicode[codeKey{len(raw), code}]; ok {
		return text
	}
	if text, ok := f.toUnicode[codeKey{3 - len(raw), code}]; ok { // tables that are written for the other length
		return text
	}
	switch {
	case !f.isComposite:
		return f.byteTexts[code&0xff]
	case f.isUTF16:
		return utf16BE([]byte(raw))
	case f.encoding != nil:
		text, err := f.encoding.NewDecoder().String(raw)
		if err != nil {
			return ""
		}
		return text
	}
	return "" // a glyph's number says nothing
}

func (f *font) widthOf(code uint32, text string) float64 {
	if w, ok := f.widths[code]; ok {
		return w
	}
	if f.defaultWidth >= 0 {
		return f.defaultWidth
	}
	switch { // of the fonts that every viewer has, about
	case strings.ContainsAny(text, "iljtfrI.,:;'!|()[]/ "):
		return 290
	case strings.ContainsAny(text, "mwMW@%"):
		return 830
	case text != "" && unicode.IsUpper([]rune(text)[0]):
		return 680
	}
	return 540
}

// readBuiltinEncoding reads the encoding that a Type 1 font brings along, as fonts made by TeX do. Only the glyphs
// whose codes differ from what they would be in ASCII matter.
func (f *font) readBuiltinEncoding(file pdf.Value) {
	text := string(readStream(file))
	for _, m := range encodingEntryPattern.FindAllStringSubmatch(text[:min(len(text), 32<<10)], 512) {
		code, err := strconv.Atoi(m[1])
		if name := glyphNames[m[2]]; err == nil && code < 256 && name != "" {
			f.byteTexts[code] = name
		}
	}
}

var encodingEntryPattern = regexp.MustCompile(`dup\s+(\d{1,3})\s*/(\w+)\s+put`)

// glyphNames are the names of glyphs that are elsewhere than in ASCII.
var glyphNames = map[string]string{"ff": "ff", "fi": "fi", "fl": "fl", "ffi": "ffi", "ffl": "ffl", "endash": "–",
	"emdash": "—", "hyphen": "-", "quotedblleft": "“", "quotedblright": "”", "quoteleft": "‘", "quoteright": "’",
	"quotesingle": "'", "exclamdown": "¡", "questiondown": "¿", "germandbls": "ß", "ae": "æ", "oe": "œ", "oslash": "ø",
	"AE": "Æ", "OE": "Œ", "Oslash": "Ø", "dotlessi": "ı", "bullet": "•", "periodcentered": "·", "Gamma": "Γ",
	"Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ",
	"Psi": "Ψ", "Omega": "Ω", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ",
	"mu": "μ", "pi": "π", "sigma": "σ", "minus": "−", "multiply": "×", "lessequal": "≤", "greaterequal": "≥",
	"arrowright": "→", "space": " "}

// cmap says which text a code of a font stands for: codes are keyed by their length and value.
type cmap map[codeKey]string

type codeKey struct {
	length int
	code   uint32
}

// maxMappedCodes bounds the codes of one font.
const maxMappedCodes = 200_000

// readCMap reads the ToUnicode table of a font. What is not understood is left out.
func readCMap(data []byte) cmap {
	m := cmap{}
	for at := 0; ; {
		t := tokenAt(data, at)
		at = t.end
		switch {
		case t.kind == tokenEnd:
			return m
		case t.kind == tokenWord && string(t.text) == "beginbfchar":
			at = m.readRows(data, at, 2)
		case t.kind == tokenWord && string(t.text) == "beginbfrange":
			at = m.readRows(data, at, 3)
		}
	}
}

// readRows reads rows of so many values, and returns where they end.
func (c cmap) readRows(data []byte, at, width int) int {
	var row []any
	for {
		t := tokenAt(data, at)
		if t.kind == tokenEnd || t.kind == tokenWord && strings.HasPrefix(string(t.text), "end") {
			return t.end
		}
		var v any
		v, at = valueAt(data, at, 0)
		if row = append(row, v); len(row) == width {
			c.addRow(row)
			row = row[:0]
		}
	}
}

// addRow maps a code, or those from the first to the last, to the text that ends the row. A text for several codes is
// that of the first one, and its last character counts on; a list has a text for each.
func (c cmap) addRow(row []any) {
	first, isFirst := codeOf(row[0])
	last, isLast := codeOf(row[len(row)-2])
	if !isFirst || !isLast {
		return
	}
	to := row[len(row)-1]
	if list, ok := to.([]any); ok {
		for i, one := range list {
			c.set(codeKey{first.length, first.code + uint32(i)}, unicodeText(one))
		}
		return
	}
	text := []rune(unicodeText(to))
	if len(text) == 0 {
		if len(row) == 2 {
			c.set(first, "")
		}
		return
	}
	for code := uint64(first.code); code <= uint64(last.code) && len(c) < maxMappedCodes; code++ {
		c.set(codeKey{first.length, uint32(code)}, string(text))
		text[len(text)-1]++
	}
}

func (c cmap) set(key codeKey, text string) {
	if len(c) < maxMappedCodes {
		c[key] = text
	}
}

func codeOf(v any) (codeKey, bool) {
	raw, _ := v.([]byte)
	key := codeKey{length: len(raw)}
	for _, b := range raw {
		key.code = key.code<<8 | uint32(b)
	}
	return key, 1 <= len(raw) && len(raw) <= 4
}

func unicodeText(v any) string {
	raw, _ := v.([]byte)
	if len(raw) == 1 {
		return string(rune(raw[0]))
	}
	return utf16BE(raw)
}

func utf16BE(raw []byte) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}
