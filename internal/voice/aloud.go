package voice

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"parley/internal/prose"
)

// aloud gives a piece of an answer as it is to be read out: without marks of Markdown, code blocks, markup and pictures; links by
// their words, addresses of pages by their host. It is empty where nothing is left.
func aloud(text string) string {
	var lines []string
	for _, b := range prose.Blocks(text) {
		words := text[b.Inner:b.End]
		switch b.Kind {
		case prose.Code, prose.Markup:
			continue
		case prose.Table:
			words = rows(words)
		case prose.Item, prose.Heading, prose.Paragraph:
		}
		if words = plain(words); words != "" {
			lines = append(lines, ended(words))
		}
	}
	return strings.Join(lines, " ")
}

// rows reads the rows of a table out, a sentence each.
func rows(table string) string {
	var all []string
	for line := range strings.Lines(table) {
		if strings.Trim(line, "|-: \t\r\n") == "" {
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
		all = append(all, strings.Join(cells, ", ")+".")
	}
	return strings.Join(all, " ")
}

var (
	picture  = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	link     = regexp.MustCompile(`\[([^\]]+)\]\((?:[^()]|\([^()]*\))*\)`)
	address  = regexp.MustCompile(`<?https?://[^\s<>"“”]+>?`)
	tag      = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	emphasis = regexp.MustCompile("(\\*{1,3}|~~|`+)")
	under    = regexp.MustCompile(`(^|[\s("'“„])_{1,3}([^_\n]+)_{1,3}($|[\s)"'”“.,;:!?])`)
	quoted   = regexp.MustCompile(`(?m)^[ \t]*>+[ \t]?`)
	blanks   = regexp.MustCompile(`\s+`)
)

// plain takes the marks inside a line away.
func plain(s string) string {
	s = picture.ReplaceAllString(s, "$1")
	s = link.ReplaceAllString(s, "$1")
	s = address.ReplaceAllStringFunc(s, hostOf)
	s = tag.ReplaceAllString(s, "")
	s = quoted.ReplaceAllString(s, "")
	s = emphasis.ReplaceAllString(s, "")
	s = under.ReplaceAllString(s, "$1$2$3")
	s = strings.Map(sayable, s)
	return strings.TrimSpace(blanks.ReplaceAllString(s, " "))
}

// hostOf is what of an address can be said: people do not listen to paths. What ends the sentence stays.
func hostOf(s string) string {
	bare := strings.TrimRight(strings.Trim(s, "<>"), ".,;:!?)'")
	rest := strings.TrimPrefix(strings.Trim(s, "<>"), bare)
	u, err := url.Parse(bare)
	if err != nil || u.Hostname() == "" {
		return rest
	}
	return strings.TrimPrefix(u.Hostname(), "www.") + rest
}

// sayable drops what engines stumble over: emoji, arrows, boxes, and what is not seen either.
func sayable(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '°' || r == '©':
		return r
	case r == '|':
		return ','
	case unicode.Is(unicode.So, r), unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d', unicode.Is(unicode.Cc, r), unicode.Is(unicode.Co, r),
		r >= 0xfe00 && r <= 0xfe0f, r >= 0x1f3fb && r <= 0x1f3ff, r == '\u200d', r == utf8Bad:
		return -1
	}
	return r
}

const utf8Bad = '\ufffd'

// ended makes sure that a line ends like a sentence, so that the voice drops and pauses.
func ended(s string) string {
	last := []rune(s)[len([]rune(s))-1]
	if unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' || last == '"' || last == '”' || last == '%' || unicode.Is(unicode.Sc, last) {
		return s + "."
	}
	return s
}
