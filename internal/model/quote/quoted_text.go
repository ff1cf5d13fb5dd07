package quote

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/language"
	"parley/internal/text/words"
)

// What stands in a text and is not for its readers is left out of quotes: marks of footnotes, remarks of editors, tags
// of line breaks, the lines above an e-mail. Each part that is left is cited by itself.

// quotedPart is a part of a quote, with what is put between it and the part before.
type quotedPart struct {
	start, end int
	separator  string
}

var (
	footnotePattern   = regexp.MustCompile(`[.!?,;:)»”"。](( ?\[\^?\d{1,3}\])+)(?:[^(\d]|$)`)
	doubledPattern    = regexp.MustCompile(`\B(")"[^"\s][^"\n]{0,200}(")"(?:\W|$)`) // as in a file of separated values
	struckPattern     = regexp.MustCompile(`~~[^\s~][^~\n]*~~[ \t]?|<(?:del|s)>[^<\n]*</(?:del|s)>[ \t]?|</?ins>`)
	lineBreakPattern  = regexp.MustCompile(`(?i)[ \t]*(?:<br[ \t]*/?>\s*)+`)
	emptyLinesPattern = regexp.MustCompile(`[ \t\r]*(?:\n[ \t\r]*){3,}`)
	wideSpacePattern  = regexp.MustCompile(`[ \t]{2,}`)
	// "( 45 ° 36 ′ 14 ″ N 68 ° 31 ′ 52 ″ W )" is for maps
	coordinatesPattern = regexp.MustCompile(
		`\s*\(\s*\d{1,3}(?:\.\d+)?\s*°\s*[\dNSEW][^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)`)
	listMarkPattern = regexp.MustCompile(`^[ \t]*(?:[-*+#>]+|\d+[.)])?$`)

	indexLinePattern = regexp.MustCompile(`\b[A-Z][A-Za-z]?(\n)\d{1,2}\b`) // "O", and "2" on the next line

	editorialNotePattern = formatPattern(`(?i)(\s*\[(?:%s)\])(?:[^(]|$)`, func(l languageFile) []string {
		return quotePatterns(slices.Collect(l.Sources.EditorialNotes.All()))
	})
	mailHeaderPattern = formatPattern(
		`((?:^|\s+)(?:%s): ?[^\s:][^\n]{0,160}?\s(?:%s): ?[^\s:][^\n]{0,160}?(?:\s\s|\n|$))`,
		func(l languageFile) []string { return fieldPatterns(l.Sources.MailSenders) },
		func(l languageFile) []string { return fieldPatterns(l.Sources.MailSubjects) })
)

func quotePatterns(texts []string) (patterns []string) {
	for _, t := range texts {
		patterns = append(patterns, regexp.QuoteMeta(t))
	}
	return patterns
}

// fieldPatterns returns the names of lines above an e-mail as they are written there.
func fieldPatterns(names language.Words) (patterns []string) {
	for w := range names.All() {
		r, n := utf8.DecodeRuneInString(w)
		patterns = append(patterns, string(unicode.ToUpper(r))+w[n:])
	}
	return patterns
}

// readableParts returns what of a quote is for readers. Code and tables stay as they are.
func readableParts(text string) []quotedPart {
	hasMarks := strings.ContainsAny(text, "[<:\n\"°~") || strings.Contains(text, "  ")
	if !hasMarks || strings.Contains(text, "```") {
		return []quotedPart{{0, len(text), ""}}
	}
	var cuts []quotedPart // what is left out, and what takes its place
	add := func(separator string, at []int, group int) {
		if start, end := at[2*group], at[2*group+1]; !isInCode(text, start) {
			cuts = append(cuts, quotedPart{start, end, separator})
		}
	}
	for _, at := range struckPattern.FindAllStringIndex(text, -1) {
		add("", at, 0)
	}
	for _, at := range editorialNotePattern().FindAllStringSubmatchIndex(text, -1) {
		add("", at, 1)
	}
	for _, at := range footnotePattern.FindAllStringSubmatchIndex(text, -1) {
		add("", at, 1)
	}
	for _, at := range doubledPattern.FindAllStringSubmatchIndex(text, -1) {
		add("", at, 1)
		add("", at, 2)
	}
	for _, at := range mailHeaderPattern().FindAllStringSubmatchIndex(text, -1) {
		add("\n\n", at, 1)
	}
	for _, at := range lineBreakPattern.FindAllStringIndex(text, -1) {
		if strings.Count(text[at[0]:at[1]], "<") > 1 {
			add("\n\n", at, 0)
		} else {
			add("\n", at, 0)
		}
	}
	for _, at := range coordinatesPattern.FindAllStringIndex(text, -1) {
		add("", at, 0)
	}
	for _, at := range emptyLinesPattern.FindAllStringIndex(text, -1) {
		add("\n\n", at, 0)
	}
	for _, at := range wideSpacePattern.FindAllStringIndex(text, -1) {
		if isLostLineBreak(text, at[0], at[1]) {
			add("\n\n", at, 0)
		}
	}
	if lines := indexLinePattern.FindAllStringSubmatchIndex(text, -1); len(lines) > 1 {
		for _, at := range lines {
			add("", at, 1)
		}
	}
	return partsBetween(text, cuts)
}

// isLostLineBreak reports whether the spaces are what became of the end of a paragraph or an item: three or more, or
// two where no sentence ends, with a new beginning behind them. Lines that were only wrapped go on.
func isLostLineBreak(text string, start, end int) bool {
	line := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
	if end == len(text) || text[end] == '\n' || listMarkPattern.MatchString(line) || strings.HasPrefix(line, "    ") {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[end:])
	switch {
	case endsAsSentence(line):
		return end-start > 2
	case endsWithColon(line):
		return true
	}
	last := line[strings.LastIndexByte(line, ' ')+1:]
	return unicode.IsUpper(next) && !isStopWordOfAny(words.Fold(last)) && !strings.HasSuffix(line, ",")
}

// partsBetween returns the parts of the text that are left.
func partsBetween(text string, cuts []quotedPart) (parts []quotedPart) {
	slices.SortFunc(cuts, func(a, b quotedPart) int { return a.start - b.start })
	at, separator := 0, ""
	for _, c := range append(cuts, quotedPart{len(text), len(text), ""}) {
		if c.start < at {
			continue
		}
		if strings.TrimSpace(text[at:c.start]) != "" {
			parts = append(parts, quotedPart{at, c.start, separator})
			separator = ""
		}
		if len(c.separator) > len(separator) && len(parts) > 0 {
			separator = c.separator
		}
		at = c.end
	}
	return parts
}

// isInCode reports whether the place is in a table, or between backticks.
func isInCode(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return strings.HasPrefix(strings.TrimLeft(line, " \t"), "|") || strings.Count(line, "`")%2 == 1
}
