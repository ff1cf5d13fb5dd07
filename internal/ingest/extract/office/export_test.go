package office

import "strconv"

// FormatNumber and FormatText let tests format the value of a cell.
func FormatNumber(code string, x float64, is1904 bool) string {
	format := cellFormat{number: parseNumberFormat(code), isPlain: code == "General"}
	text, _ := format.showNumber(strconv.FormatFloat(x, 'g', -1, 64), is1904)
	return text
}

func FormatText(code, text string) string {
	format := cellFormat{number: parseNumberFormat(code)}
	return format.showText(text)
}
