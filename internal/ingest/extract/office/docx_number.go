package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"parley/internal/ingest/extract/draft"
)

// wordList is how the items of a list are numbered.
type wordList struct {
	abstract string // what it is an instance of, and counts on with
	levels   [9]wordLevel
	restarts [9]int // where an instance begins again; 0 if it goes on
}

type wordLevel struct {
	format   string // of numbers: decimal, lowerLetter, bullet
	text     string // with %1 for the number of the first level
	start    int
	style    string // paragraphs of which are on this level
	isLegal  bool   // numbers of the levels above are decimal
	isGoing  bool   // it never begins again
	hasLevel bool
}

func (l wordList) depthOfStyle(style string) (depth int, known bool) {
	for i, level := range l.levels {
		if style != "" && level.style == style {
			return i, true
		}
	}
	return 0, false
}

func (w *wordReader) readNumbering() error {
	abstract := map[string]wordList{}
	return w.xml.eachInRoot(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "abstractNum":
			l := wordList{abstract: attributeValue(el, "abstractNumId")}
			err := w.xml.eachChild(func(el xml.StartElement) error { return w.readLevel(el, &l) })
			abstract[l.abstract] = l
			return err
		case "num":
			id := attributeValue(el, "numId")
			var l wordList
			err := w.xml.eachChild(func(el xml.StartElement) error {
				switch el.Name.Local {
				case "abstractNumId":
					l = abstract[attributeValue(el, "val")]
				case "lvlOverride":
					return w.readOverride(el, &l)
				}
				return nil
			})
			w.lists[id] = l
			return err
		}
		return nil
	})
}

func (w *wordReader) readOverride(el xml.StartElement, l *wordList) error {
	depth := draft.ParseSmallInt(attributeValue(el, "ilvl"), 0, 8)
	return w.xml.eachChild(func(el xml.StartElement) error {
		if el.Name.Local == "startOverride" {
			l.restarts[depth] = draft.ParseSmallInt(attributeValue(el, "val"), 1, 9999)
		}
		return w.readLevel(el, l)
	})
}

func (w *wordReader) readLevel(el xml.StartElement, l *wordList) error {
	if el.Name.Local != "lvl" {
		return nil
	}
	level := wordLevel{start: 1, format: "decimal", text: "%" + strconv.Itoa(numberOf(el, "ilvl")+1) + ".", hasLevel: true}
	err := w.xml.eachChild(func(el xml.StartElement) error {
		value := attributeValue(el, "val")
		switch el.Name.Local {
		case "numFmt":
			level.format = value
		case "start":
			level.start = draft.ParseSmallInt(value, 0, 9999)
		case "lvlText":
			level.text = value
		case "pStyle":
			level.style = value
		case "isLgl":
			level.isLegal = value == "" || isOn(value)
		case "lvlRestart":
			level.isGoing = value == "0"
		}
		return nil
	})
	l.levels[draft.ParseSmallInt(attributeValue(el, "ilvl"), 0, 8)] = level
	return err
}

const maxMarkerBytes = 60

// nextMarker counts an item, and returns what is printed before it: "-" for a bullet, nothing where the list prints
// none. A new item begins the lists within it again.
func (w *wordReader) nextMarker(list string, depth int) string {
	depth = min(max(depth, 0), 8)
	l, known := w.lists[list]
	if level := l.levels[depth]; known && level.hasLevel {
		if level.format == "bullet" {
			return "-"
		}
	} else {
		l.levels[depth] = wordLevel{start: 1, format: "decimal", text: "%" + strconv.Itoa(depth+1) + "."}
	}
	if l.abstract == "" {
		l.abstract = "list " + list
	}
	counts := w.itemCounts[l.abstract]
	if l.restarts[depth] > 0 && !w.restarted[list] {
		w.restarted[list] = true
		counts[depth] = 0
		l.levels[depth].start = l.restarts[depth]
	}
	if counts[depth] == 0 {
		counts[depth] = l.levels[depth].start
	} else {
		counts[depth]++
	}
	for i := depth + 1; i < len(counts); i++ {
		if !l.levels[i].isGoing {
			counts[i] = 0
		}
	}
	w.itemCounts[l.abstract] = counts
	return l.marker(depth, counts)
}

func (l wordList) marker(depth int, counts [9]int) string {
	level := l.levels[depth]
	if counts[depth] > 9999 {
		return "-"
	}
	text := level.text
	for i := range depth + 1 {
		format := l.levels[i].format
		if level.isLegal {
			format = "decimal"
		}
		number := counts[i]
		if number == 0 {
			number = l.levels[i].start
		}
		text = strings.ReplaceAll(text, "%"+strconv.Itoa(i+1), formatCount(number, format))
	}
	if len(text) > maxMarkerBytes {
		return "-"
	}
	return strings.TrimSpace(draft.CollapseSpaces(text))
}

// formatCount writes the number of an item.
func formatCount(n int, format string) string {
	switch format {
	case "none":
		return ""
	case "lowerLetter":
		return strings.ToLower(letters(n))
	case "upperLetter":
		return letters(n)
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "ordinal":
		return strconv.Itoa(n) + ordinalEnding(n)
	}
	return strconv.Itoa(n)
}

// letters counts A to Z, then AA, BB.
func letters(n int) string {
	if n < 1 {
		return ""
	}
	return strings.Repeat(string(rune('A'+(n-1)%26)), min((n-1)/26+1, 20))
}

func roman(n int) string {
	var b strings.Builder
	for _, sign := range []struct {
		value int
		text  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"},
		{9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= sign.value; n -= sign.value {
			b.WriteString(sign.text)
		}
	}
	return b.String()
}

func ordinalEnding(n int) string {
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// symbols are the signs of the fonts that have their own: by the font and the last byte of the character.
var symbols = map[string]map[byte]string{
	"symbol": {0xb0: "°", 0xb1: "±", 0xb4: "×", 0xb8: "÷", 0xa3: "≤", 0xb3: "≥", 0xb9: "≠", 0xbb: "≈", 0xa5: "∞",
		0xd6: "√", 0xae: "→", 0xac: "←", 0xd2: "®", 0xe2: "®", 0xd3: "©", 0xe3: "©", 0xd4: "™", 0xe4: "™", 0x6d: "µ",
		0x57: "Ω", 0x44: "Δ", 0x61: "α", 0x62: "β", 0x67: "γ", 0x70: "π", 0x53: "Σ", 0x2d: "−", 0xb7: "•", 0xa2: "′",
		0xb2: "″", 0xd7: "·", 0x66: "φ", 0x6c: "λ", 0x25: "%", 0xa0: "€"},
	"wingdings": {0xfc: "✓", 0xfe: "☑", 0xfb: "✗", 0xa8: "☐", 0xe0: "→", 0x28: "☎", 0x2a: "✉", 0xf0: "→"},
}

// symbolText returns a sign of a font, which is named by four hexadecimal digits.
func symbolText(font, char string) string {
	code, err := strconv.ParseUint(char, 16, 32)
	if err != nil || code == 0 {
		return ""
	}
	if code>>8 == 0xf0 || code < 0x100 {
		if sign := symbols[strings.ToLower(font)][byte(code)]; sign != "" {
			return sign
		}
	}
	return string(rune(code))
}
