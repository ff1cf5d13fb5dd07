package voice

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"parley/internal/text/prose"
)

// speakableText returns a piece of an answer as it is to be read out: without marks of Markdown, code blocks, markup and pictures; links by
// their words, addresses of pages by their host. It is empty where nothing is left.
func speakableText(text string) string {
	var lines []string
	for _, b := range prose.Blocks(text) {
		words := text[b.ContentStart:b.End]
		switch b.Kind {
		case prose.Code, prose.Markup:
			continue
		case prose.Table:
			words = readableRows(words)
		case prose.Item, prose.Heading, prose.Paragraph:
		}
		if words = stripInlineMarkup(words); words != "" {
			lines = append(lines, endSentence(words))
		}
	}
	return strings.Join(lines, " ")
}

// readableRows reads the rows of a table out, a sentence each.
func readableRows(table string) string {
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
	imagePattern      = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	linkPattern       = regexp.MustCompile(`\[([^\]]+)\]\((?:[^()]|\([^()]*\))*\)`)
	urlPattern        = regexp.MustCompile(`<?https?://[^\s<>"“”]+>?`)
	tagPattern        = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	emphasisPattern   = regexp.MustCompile("(\\*{1,3}|~~|`+)")
	underscorePattern = regexp.MustCompile(`(^|[\s("'“„])_{1,3}([^_\n]+)_{1,3}($|[\s)"'”“.,;:!?])`)
	quotePattern      = regexp.MustCompile(`(?m)^[ \t]*>+[ \t]?`)
	blankPattern      = regexp.MustCompile(`\s+`)
)

// stripInlineMarkup takes the marks inside a line away.
func stripInlineMarkup(s string) string {
	s = imagePattern.ReplaceAllString(s, "$1")
	s = linkPattern.ReplaceAllString(s, "$1")
	s = urlPattern.ReplaceAllStringFunc(s, spokenHost)
	s = tagPattern.ReplaceAllString(s, "")
	s = quotePattern.ReplaceAllString(s, "")
	s = emphasisPattern.ReplaceAllString(s, "")
	s = underscorePattern.ReplaceAllString(s, "$1$2$3")
	s = strings.Map(mapSpeakable, s)
	return strings.TrimSpace(blankPattern.ReplaceAllString(s, " "))
}

// spokenHost is what of an address can be said: people do not listen to paths. What ends the sentence stays.
func spokenHost(s string) string {
	bare := strings.TrimRight(strings.Trim(s, "<>"), ".,;:!?)'")
	rest := strings.TrimPrefix(strings.Trim(s, "<>"), bare)
	u, err := url.Parse(bare)
	if err != nil || u.Hostname() == "" {
		return rest
	}
	return strings.TrimPrefix(u.Hostname(), "www.") + rest
}

// mapSpeakable drops what engines stumble over: emoji, arrows, boxes, and what is not seen either.
func mapSpeakable(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '°' || r == '©':
		return r
	case r == '|':
		return ','
	case unicode.Is(unicode.So, r), unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d', unicode.Is(unicode.Cc, r), unicode.Is(unicode.Co, r),
		r >= 0xfe00 && r <= 0xfe0f, r >= 0x1f3fb && r <= 0x1f3ff, r == '\u200d', r == invalidRune:
		return -1
	}
	return r
}

const invalidRune = '\ufffd'

// endSentence makes sure that a line ends like a sentence, so that the voice drops and pauses.
func endSentence(s string) string {
	last := []rune(s)[len([]rune(s))-1]
	if unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' || last == '"' || last == '”' || last == '%' || unicode.Is(unicode.Sc, last) {
		return s + "."
	}
	return s
}
