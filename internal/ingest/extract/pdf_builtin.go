package extract

import (
	"regexp"
	"strconv"

	"github.com/ledongthuc/pdf"
)

// readBuiltinEncoding reads the encoding that a Type 1 font brings along, as fonts made by TeX do. Only the glyphs whose codes differ from
// what they would be in ASCII matter.
func (f *pdfFont) readBuiltinEncoding(descriptor pdf.Value) {
	file := descriptor.Key("FontFile")
	if file.Kind() != pdf.Stream {
		return
	}
	text := streamText(file)
	for _, m := range encodingEntryPattern.FindAllStringSubmatch(text[:min(len(text), 32<<10)], 512) {
		code, err := strconv.Atoi(m[1])
		if name := glyphNames[m[2]]; err == nil && code < 256 && name != "" {
			f.byteTexts[code] = name
		}
	}
}

var encodingEntryPattern = regexp.MustCompile(`dup\s+(\d{1,3})\s*/(\w+)\s+put`)

// glyphNames are the names of glyphs that stand elsewhere than in ASCII.
var glyphNames = map[string]string{"ff": "ff", "fi": "fi", "fl": "fl", "ffi": "ffi", "ffl": "ffl", "endash": "–", "emdash": "—", "hyphen": "-", "quotedblleft": "“",
	"quotedblright": "”", "quoteleft": "‘", "quoteright": "’", "quotesingle": "'", "exclamdown": "¡", "questiondown": "¿", "germandbls": "ß", "ae": "æ", "oe": "œ",
	"oslash": "ø", "AE": "Æ", "OE": "Œ", "Oslash": "Ø", "dotlessi": "ı", "bullet": "•", "periodcentered": "·", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
	"Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε",
	"lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "minus": "−", "multiply": "×", "lessequal": "≤", "greaterequal": "≥", "arrowright": "→", "space": " "}
