package office

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxSerial is the last day a workbook knows, in the year 9999.
const maxSerial = 2_958_466

// formatDate writes a day and a time of day. Days in digits are written as 2026-03-05, whatever their order in the
// format, and so are days in words of another language than English.
func (s *formatSection) formatDate(x float64, is1904 bool) (text string, ok bool) {
	if x < 0 && !s.isElapsed() || x >= maxSerial {
		return "", false
	}
	decimals := s.secondDecimals()
	unit := math.Pow(10, float64(decimals))
	ticks := math.Round(x * 86400 * unit)
	seconds := roundDown(ticks / unit)
	day, second := int(roundDown(seconds/86400)), int(math.Mod(seconds, 86400))
	w := dateWriter{section: s, at: serialDay(day, is1904).Add(time.Duration(second) * time.Second), seconds: seconds,
		fraction: fmt.Sprintf("%0*d", decimals, int(math.Mod(ticks, unit))), isLeapOf1900: day == 60 && !is1904}
	for i := 0; i < len(s.tokens); {
		i = w.write(i)
	}
	return w.out.String(), true
}

// serialDay returns the day of a number. The first calendar of workbooks has a 29 February 1900.
func serialDay(day int, is1904 bool) time.Time {
	switch {
	case is1904:
		return time.Date(1904, 1, 1+day, 0, 0, 0, 0, time.UTC)
	case day < 60:
		return time.Date(1899, 12, 31+day, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(1899, 12, 30+day, 0, 0, 0, 0, time.UTC)
}

func (s *formatSection) isElapsed() bool {
	for _, t := range s.tokens {
		if t.kind == elapsedToken {
			return true
		}
	}
	return false
}

func (s *formatSection) secondDecimals() (n int) {
	for _, t := range s.tokens {
		if t.kind == digitToken {
			n++
		}
	}
	return min(n, 3)
}

type dateWriter struct {
	section      *formatSection
	at           time.Time
	seconds      float64 // in all, for elapsed time
	fraction     string
	isLeapOf1900 bool
	out          strings.Builder
}

// write writes the token at i, or the day that begins there, and returns the token behind it.
func (w *dateWriter) write(i int) int {
	t := w.section.tokens[i]
	switch t.kind {
	case literalToken:
		w.out.WriteString(t.text)
	case meridiemToken:
		w.out.WriteString(w.at.Format("PM"))
	case elapsedToken:
		w.writeElapsed(t.text)
	case pointToken:
		w.out.WriteString("." + w.fraction)
	case dateToken:
		return w.writeDateToken(i, t.text)
	default:
	}
	return i + 1
}

func (w *dateWriter) writeElapsed(text string) {
	unit := map[byte]float64{'h': 3600, 'm': 60, 's': 1}[text[0]]
	count := math.Trunc(w.seconds / unit)
	fmt.Fprintf(&w.out, "%0*d", len(text), int(count))
}

func (w *dateWriter) writeDateToken(i int, text string) int {
	switch {
	case text[0] == 'h':
		hour := w.at.Hour()
		if w.section.hasMeridiem {
			hour = (hour+11)%12 + 1
		}
		fmt.Fprintf(&w.out, "%0*d", min(len(text), 2), hour)
	case text[0] == 's':
		fmt.Fprintf(&w.out, "%0*d", min(len(text), 2), w.at.Second())
	case w.section.isMinute(i):
		fmt.Fprintf(&w.out, "%0*d", min(len(text), 2), w.at.Minute())
	case text[0] == 'd' && len(text) > 2:
		w.out.WriteString(weekday(w.at, len(text)))
	default:
		return w.writeDay(i)
	}
	return i + 1
}

func weekday(at time.Time, width int) string {
	if width == 3 {
		return at.Format("Mon")
	}
	return at.Format("Monday")
}

// isMinute reports whether m is a minute: hours are before it, or seconds behind it.
func (s *formatSection) isMinute(i int) bool {
	if s.tokens[i].text[0] != 'm' || len(s.tokens[i].text) > 2 {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if t := s.tokens[j]; t.kind == dateToken || t.kind == elapsedToken {
			if t.text[0] == 'h' {
				return true
			}
			break
		}
	}
	for _, t := range s.tokens[i+1:] {
		if t.kind == dateToken || t.kind == elapsedToken {
			return t.text[0] == 's'
		}
	}
	return false
}

// writeDay writes the day whose first part is at i, up to its last part.
func (w *dateWriter) writeDay(i int) int {
	tokens := w.section.tokens
	end, parts, inWords := i+1, "", false
	for j := i; j < len(tokens); j++ {
		t := tokens[j]
		switch {
		case t.kind == literalToken:
			continue
		case t.kind != dateToken, strings.ContainsAny(t.text, "hs"), w.section.isMinute(j):
			j = len(tokens)
		case t.text[0] == 'd' && len(t.text) > 2: // its name may be among the parts
			continue
		default:
			end, parts = j+1, parts+t.text[:1]
			inWords = inWords || t.text[0] == 'm' && len(t.text) > 2
		}
	}
	if inWords && w.section.inEnglish {
		for _, t := range tokens[i:end] {
			w.writeDayPart(t)
		}
		return end
	}
	w.out.WriteString(w.isoDay(parts))
	return end
}

func (w *dateWriter) writeDayPart(t formatToken) {
	switch {
	case t.kind == literalToken:
		w.out.WriteString(t.text)
	case t.text[0] == 'y':
		w.out.WriteString(strconv.Itoa(w.at.Year()))
	case t.text[0] == 'd' && len(t.text) > 2:
		w.out.WriteString(weekday(w.at, len(t.text)))
	case t.text[0] == 'd':
		fmt.Fprintf(&w.out, "%0*d", len(t.text), w.at.Day())
	case len(t.text) == 3:
		w.out.WriteString(w.at.Format("Jan"))
	case len(t.text) > 3:
		w.out.WriteString(w.at.Format("January"))
	default:
		fmt.Fprintf(&w.out, "%0*d", len(t.text), int(w.at.Month()))
	}
}

// isoDay writes the parts of a day in digits; a day and a month have their year.
func (w *dateWriter) isoDay(parts string) string {
	year, month, day := strings.Contains(parts, "y"), strings.Contains(parts, "m"), strings.Contains(parts, "d")
	switch {
	case w.isLeapOf1900:
		return "1900-02-29"
	case month && day:
		return w.at.Format("2006-01-02")
	case month && year:
		return w.at.Format("2006-01")
	case month:
		return strconv.Itoa(int(w.at.Month()))
	case day && year:
		return w.at.Format("2006-01-02")
	case day:
		return strconv.Itoa(w.at.Day())
	}
	return strconv.Itoa(w.at.Year())
}

// builtinFormats are the formats that a workbook names by number only (18.8.30).
var builtinFormats = map[int]string{1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: `"$"#,##0_);("$"#,##0)`,
	6: `"$"#,##0_);("$"#,##0)`, 7: `"$"#,##0.00_);("$"#,##0.00)`, 8: `"$"#,##0.00_);("$"#,##0.00)`, 9: "0%", 10: "0.00%",
	11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
	18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm", 37: "#,##0_);(#,##0)",
	38: "#,##0_);(#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);(#,##0.00)",
	41: `_(* #,##0_);_(* (#,##0);_(* "-"_)`,
	42: `_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_)`, 43: `_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_)`,
	44: `_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_)`, 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
	48: "##0.0E+0", 49: "@"}

// builtinFormat returns the format of a number. What differs by language is a day, or a time.
func builtinFormat(id int) string {
	switch {
	case builtinFormats[id] != "":
		return builtinFormats[id]
	case id >= 32 && id <= 35, id == 55 || id == 56:
		return "h:mm:ss"
	case id >= 27 && id <= 36, id >= 50 && id <= 58:
		return "yyyy-mm-dd"
	}
	return "General"
}

// roundDown returns the largest whole number that is not above x.
func roundDown(x float64) float64 { return -math.Ceil(-x) }
