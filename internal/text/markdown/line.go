package markdown

import "strings"

func isFence(s string) bool { return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") }

func headingLevel(s string) int {
	level := len(s) - len(strings.TrimLeft(s, "#"))
	if level == 0 || level > 6 || level == len(s) || s[level] != ' ' && s[level] != '\t' || strings.Trim(s, "# \t") == "" {
		return 0
	}
	return level
}

// isMarkup reports whether a line is not for readers: rules, containers (":::"), callouts ("[!NOTE]"), lone tags and
// link targets ("[1]: https://…").
func isMarkup(s string) bool {
	s = strings.TrimSpace(s)
	switch s[0] {
	case ':':
		return strings.HasPrefix(s, ":::")
	case '<':
		return s[len(s)-1] == '>' && len(s) > 2 && !isAutolink(s)
	case '[':
		return strings.HasPrefix(s, "[!") && s[len(s)-1] == ']' || strings.Contains(s, "]: ") &&
			strings.Index(s, "]: ") == strings.IndexByte(s, ']')
	case '-', '*', '_', '=':
		compact := strings.ReplaceAll(s, " ", "")
		return len(compact) >= 3 && strings.Trim(compact, compact[:1]) == ""
	}
	return false
}

func isAutolink(s string) bool { return strings.HasPrefix(s, "<http") || strings.Contains(s, "@") }

// ItemMarker returns how long the marker is with which a line begins a list item, with the space behind it; 0 for none.
// The line must not be empty.
func ItemMarker(s string) (length int, ordered bool) {
	digits := 0
	for digits < len(s) && digits < 4 && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	switch {
	case digits > 0:
		if digits+1 >= len(s) || s[digits] != '.' && s[digits] != ')' {
			return 0, false
		}
		length, ordered = digits+1, true
	case s[0] == '-' || s[0] == '*' || s[0] == '+':
		length = 1
	case strings.HasPrefix(s, "•") || strings.HasPrefix(s, "–"):
		length = len("•")
	default:
		return 0, false
	}
	rest := s[length:]
	words := strings.TrimLeft(rest, " \t")
	if len(words) == len(rest) || words == "" {
		return 0, false
	}
	return length + len(rest) - len(words), ordered
}
