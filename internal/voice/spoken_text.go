package voice

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/markdown"
)

// speakableText returns a piece of an answer as it is to be read out: without the marks of Markdown, code blocks,
// markup and images; of links their text, of URLs their host. It is empty if nothing is left.
func speakableText(text string) string {
	var lines []string
	for _, b := range markdown.Blocks(text) {
		words := text[b.ContentStart:b.End]
		switch b.Kind {
		case markdown.Code, markdown.Markup:
			continue
		case markdown.Table:
			words = readableRows(words)
		case markdown.Item, markdown.Heading, markdown.Paragraph:
		}
		if words = stripInlineMarkup(words); words != "" {
			lines = append(lines, endSentence(words))
		}
	}
	return strings.Join(lines, " ")
}

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

// spokenHost returns the host of a URL: nobody listens to paths. Punctuation that ends the sentence stays.
func spokenHost(s string) string {
	trimmed := strings.TrimRight(strings.Trim(s, "<>"), ".,;:!?)'")
	rest := strings.TrimPrefix(strings.Trim(s, "<>"), trimmed)
	u, err := url.Parse(trimmed)
	if err != nil || u.Hostname() == "" {
		return rest
	}
	return strings.TrimPrefix(u.Hostname(), "www.") + rest
}

// mapSpeakable drops what engines stumble over: emoji, arrows, box drawing, and invisible characters.
func mapSpeakable(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '°' || r == '©':
		return r
	case r == '|':
		return ','
	case unicode.Is(unicode.So, r), unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d',
		unicode.Is(unicode.Cc, r), unicode.Is(unicode.Co, r),
		r >= 0xfe00 && r <= 0xfe0f, r >= 0x1f3fb && r <= 0x1f3ff, r == '\u200d', r == invalidRune:
		return -1
	}
	return r
}

const invalidRune = '\ufffd'

// endSentence makes sure that a line ends like a sentence, so that the voice falls and pauses.
func endSentence(s string) string {
	last := []rune(s)[len([]rune(s))-1]
	if unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' || last == '"' || last == '”' || last == '%' ||
		unicode.Is(unicode.Sc, last) {
		return s + "."
	}
	return s
}

// How long it takes to speak characters, in letters.
const (
	digitUnits       = 4 // "7" is "seven"
	signUnits        = 5 // "%" is "percent"
	clausePauseUnits = 4 // the pause at a comma
	stopPauseUnits   = 8 // the pause at the end of a sentence
	denseUnits       = 3 // a character that is a syllable or a word
)

// unspokenPattern matches what is not read out: the targets of links, tags, and what precedes the host in a URL.
var unspokenPattern = regexp.MustCompile(`!?\[|\]\((?:[^()]|\([^()]*\))*\)|https?://(?:www\.)?|</?[a-zA-Z][^<>]*>`)

// urlPathPattern matches a URL; its second group is what follows the host.
var urlPathPattern = regexp.MustCompile(`(https?://[^\s<>"“”/)]+)(/[^\s<>"“”)]*[^\s<>"“”).,;:!?'])`)

// heardBytes returns where the last word ends that was heard when a share of the speech of a text had been played.
// Letters, digits, signs and pauses take their time; what is not read out takes none.
func heardBytes(text string, share float64) int {
	if share >= 1 {
		return len(text)
	}
	silent := unspokenBytes(text)
	total := 0
	for i, r := range text {
		total += runeUnits(text, i, r, silent)
	}
	end, passed := 0, 0
	for i, r := range text {
		if unicode.IsSpace(r) && !silent[i] && float64(passed) <= share*float64(total) {
			end = i
		}
		passed += runeUnits(text, i, r, silent)
	}
	return end
}

// unspokenBytes returns for each byte of a text whether it is not read out.
func unspokenBytes(text string) []bool {
	silent := make([]bool, len(text))
	mark := func(span []int) {
		for i := span[0]; i < span[1]; i++ {
			silent[i] = true
		}
	}
	for _, span := range unspokenPattern.FindAllStringIndex(text, -1) {
		mark(span)
	}
	for _, span := range urlPathPattern.FindAllStringSubmatchIndex(text, -1) {
		mark(span[4:6])
	}
	return silent
}

// runeUnits returns how long the character at a position takes.
func runeUnits(text string, at int, r rune, silent []bool) int {
	switch {
	case silent[at]:
		return 0
	case '0' <= r && r <= '9':
		return digitUnits
	case r == '\n':
		return clausePauseUnits
	case strings.ContainsRune(",;:–—", r):
		return pauseUnits(text, at, r, clausePauseUnits)
	case strings.ContainsRune(".!?…", r):
		return pauseUnits(text, at, r, stopPauseUnits)
	case strings.ContainsRune("。！？", r):
		return stopPauseUnits
	case r == '%' || unicode.Is(unicode.Sc, r):
		return signUnits
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return denseUnits
	case unicode.IsLetter(r), unicode.IsSpace(r):
		return 1
	}
	return 0
}

// pauseUnits returns the pause at a punctuation mark; within a number or a name there is none.
func pauseUnits(text string, at int, r rune, pause int) int {
	next, size := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	if size > 0 && !unicode.IsSpace(next) {
		return 1
	}
	return pause
}
