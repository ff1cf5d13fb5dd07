package extract

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

// readRST reads reStructuredText as Markdown: its headings, notes, code, tables and links, with what stands for names
// between bars. What says nothing to readers is left out, such as comments, labels and pictures.
func readRST(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	r := rstReader{lines: strings.Split(draft.NormalizeText(charset.Decode(data, "")), "\n"), levels: map[string]int{}}
	r.findNames()
	for r.at < len(r.lines) && ctx.Err() == nil {
		r.readLine()
	}
	text := r.out.String()
	return draft.Document{Title: markdownTitle(text), Text: text}, nil
}

type rstReader struct {
	lines  []string
	at     int
	levels map[string]int // of headings by what is below them, in the order in which they come
	out    strings.Builder
	rstNames
}

var (
	rstDirective = regexp.MustCompile(`^\.\. ([A-Za-z][\w:-]*):: ?(.*)$`)
	rstFootnote  = regexp.MustCompile(`^\.\. (\[[^\]]{1,40}\]) (.*)$`)
	rstField     = regexp.MustCompile(`^:([A-Za-z][\w -]{0,40}): +(.+)$`)
	rstRole      = regexp.MustCompile("(?::[A-Za-z][\\w+.-]*){1,3}:`([^`<]+?)(?: ?<[^`>]*>)?`")
	rstLink      = regexp.MustCompile("`([^`<]+?) ?<([^`>]+)>`__?")
	rstReference = regexp.MustCompile("`([^`]+)`__?")
	rstLiteral   = regexp.MustCompile("``([^`]+)``")
	rstEmphasis  = regexp.MustCompile(`(^|[\s(\["'])\*([^*\s]|[^*\s][^*\n]*[^*\s])\*($|[\s)\]"'.,;:!?])`)
	rstMark      = regexp.MustCompile(`(\[[^\]\s]{1,40}\])_`)
)

// rstSilent are directives whose content is for programs.
var rstSilent = map[string]bool{"image": true, "figure": true, "toctree": true, "raw": true, "include": true,
	"contents": true, "index": true, "meta": true, "role": true, "highlight": true, "default-role": true,
	"sectnum": true, "literalinclude": true, "currentmodule": true, "module": true}

// rstCode are directives whose content is code.
var rstCode = map[string]bool{"code": true, "code-block": true, "sourcecode": true, "highlight-block": true,
	"parsed-literal": true, "math": true}

func (r *rstReader) readLine() {
	line := r.lines[r.at]
	switch directive, note := rstDirective.FindStringSubmatch(line), rstFootnote.FindStringSubmatch(line); {
	case r.readHeading(), r.readTable():
	case directive != nil:
		r.at++
		r.readDirective(directive[1], directive[2])
	case note != nil:
		r.readNote(note[1], note[2])
	case line == "..", strings.HasPrefix(line, ".. "): // a comment, a label
		r.at++
		r.takeIndented()
	default:
		r.at++
		r.writeText(line)
	}
}

// readHeading reads a heading: a line with another of one sign below it, perhaps the same above it too.
func (r *rstReader) readHeading() bool {
	line := r.lines[r.at]
	if isAdornment(line) && r.at+2 < len(r.lines) && r.lines[r.at+2] == line && strings.TrimSpace(r.lines[r.at+1]) != "" {
		r.writeHeading(r.lines[r.at+1], line[:1]+line[:1])
		r.at += 3
		return true
	}
	if r.at+1 >= len(r.lines) || strings.TrimSpace(line) == "" || line[0] == ' ' || isAdornment(line) {
		return false
	}
	below := r.lines[r.at+1]
	if !isAdornment(below) || utf8.RuneCountInString(below) < utf8.RuneCountInString(line) {
		return false
	}
	r.writeHeading(line, below[:1])
	r.at += 2
	return true
}

// isAdornment reports whether a line is one sign again and again.
func isAdornment(line string) bool {
	return len(line) >= 3 && strings.IndexByte("=-~^\"'`:.#*+_<>", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

func (r *rstReader) writeHeading(title, signs string) {
	if r.levels[signs] == 0 {
		r.levels[signs] = len(r.levels) + 1
	}
	r.out.WriteString("\n\n" + strings.Repeat("#", min(r.levels[signs], 6)) + " ")
	r.writeText(strings.TrimSpace(title))
	r.out.WriteString("\n")
}

func (r *rstReader) readDirective(name, argument string) {
	body := r.takeIndented()
	switch {
	case rstSilent[name]:
	case name == "list-table", name == "csv-table":
		r.writeTable(name, argument, body)
	case rstCode[name]:
		r.out.WriteString("\n```\n" + strings.Join(body, "\n") + "\n```\n\n")
	default:
		for _, line := range append([]string{argument}, body...) {
			if !strings.HasPrefix(line, ":") { // an option
				r.writeText(line)
			}
		}
		r.out.WriteString("\n")
	}
}

// takeIndented returns the lines that follow and are indented, without their indent.
func (r *rstReader) takeIndented() (body []string) {
	for r.at < len(r.lines) && (r.lines[r.at] == "" || r.lines[r.at][0] == ' ') {
		line := strings.TrimPrefix(strings.TrimPrefix(r.lines[r.at], "   "), " ")
		body = append(body, line)
		r.at++
	}
	for len(body) > 0 && body[len(body)-1] == "" {
		body = body[:len(body)-1]
	}
	for len(body) > 0 && body[0] == "" {
		body = body[1:]
	}
	return body
}

func (r *rstReader) writeText(line string) {
	line = r.inline(line)
	if strings.HasSuffix(line, "::") { // code follows
		line = strings.TrimSuffix(line, ":")
	}
	r.out.WriteString(strings.TrimPrefix(line, "| ") + "\n")
}

// inline returns a line of text as Markdown.
func (r *rstReader) inline(line string) string {
	line = r.replaceNames(line)
	line = rstField.ReplaceAllString(line, "$1: $2")
	line = rstRole.ReplaceAllString(line, "$1")
	line = rstLink.ReplaceAllString(line, "[$1]($2)")
	line = rstReference.ReplaceAllString(line, "$1")
	line = rstLiteral.ReplaceAllString(line, "`$1`")
	line = rstEmphasis.ReplaceAllString(line, "$1$2$3")
	return rstMark.ReplaceAllString(line, "$1")
}

// texSteps turn LaTeX into Markdown, one after the other.
var texSteps = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`(?s)^.*?\\begin\{document\}`), ""}, {regexp.MustCompile(`(?s)\\end\{document\}.*$`), ""},
	{regexp.MustCompile(`\\\$`), "\x11"}, {regexp.MustCompile(`\\%`), "\x12"}, {regexp.MustCompile(`\\&`), "\x13"},
	{regexp.MustCompile(`\\_`), "\x14"}, {regexp.MustCompile(`\\#`), "\x15"},
	{regexp.MustCompile(`(?m)%.*$`), ""},
	{regexp.MustCompile(`\\(?:part|chapter)\*?\{([^{}]*)\}`), "\n\n# $1\n\n"},
	{regexp.MustCompile(`\\section\*?\{([^{}]*)\}`), "\n\n## $1\n\n"},
	{regexp.MustCompile(`\\subsection\*?\{([^{}]*)\}`), "\n\n### $1\n\n"},
	{regexp.MustCompile(`\\subsubsection\*?\{([^{}]*)\}`), "\n\n#### $1\n\n"},
	{regexp.MustCompile(`\\item\[([^\]]*)\] ?`), "\n- $1 "}, {regexp.MustCompile(`\\item\b ?`), "\n- "},
	{regexp.MustCompile(`\\footnote\{([^{}]*)\}`), " ($1)"},
	{regexp.MustCompile(`\\href\{([^{}]*)\}\{([^{}]*)\}`), "[$2]($1)"},
	{regexp.MustCompile(`\\(?:label|pageref|ref|cite[a-z]*|index|bibliography[a-z]*|usepackage|documentclass|` +
		`includegraphics|vspace|hspace|input|include)\*?(?:\[[^\]]*\])?\{[^{}]*\}`), ""},
	{regexp.MustCompile(`\\begin\{[^{}]*\}(?:\[[^\]]*\])?(?:\{[^{}]*\})?`), "\n\n"},
	{regexp.MustCompile(`\\end\{[^{}]*\}`), "\n\n"},
	{regexp.MustCompile(`\\ss\b(?:\{\})?`), "ß"}, {regexp.MustCompile(`\\(?:text)?euro\b(?:\{\})?`), "€"},
	{regexp.MustCompile(`\\ldots\b(?:\{\})?`), "…"}, {regexp.MustCompile(`\\degree\b(?:\{\})?`), "°"},
	{regexp.MustCompile(`\\"\{?([A-Za-z])\}?`), "$1\u0308"}, {regexp.MustCompile(`\\'\{?([A-Za-z])\}?`), "$1\u0301"},
	{regexp.MustCompile("\\\\`\\{?([A-Za-z])\\}?"), "$1\u0300"},
	{regexp.MustCompile(`\\\^\{?([A-Za-z])\}?`), "$1\u0302"}, {regexp.MustCompile(`\\~\{?([A-Za-z])\}?`), "$1\u0303"},
	{regexp.MustCompile(`\\c\{([A-Za-z])\}`), "$1\u0327"},
	{texCommand, "$1"}, {texCommand, "$1"}, {texCommand, "$1"}, // within one another
	{regexp.MustCompile(`\\\\(?:\[[^\]]*\])?`), "\n"}, {regexp.MustCompile(`\\[,;: ]|~`), " "},
	{regexp.MustCompile(`\\[A-Za-z]+\*?`), ""}, {regexp.MustCompile(`[{}$]`), ""},
	{regexp.MustCompile(`---`), "—"}, {regexp.MustCompile(`--`), "–"}, {regexp.MustCompile("``|''"), `"`},
	{regexp.MustCompile(` & `), " | "},
	{regexp.MustCompile("\x11"), "$$"}, {regexp.MustCompile("\x12"), "%"}, {regexp.MustCompile("\x13"), "&"},
	{regexp.MustCompile("\x14"), "_"}, {regexp.MustCompile("\x15"), "#"},
}

// texCommand is a command around a text.
var texCommand = regexp.MustCompile(`\\[A-Za-z]+\*?(?:\[[^\]]*\])?\{([^{}]*)\}`)

// readTEX reads LaTeX as Markdown: its headings, lists and text, without commands and comments. Rows of tables are
// lines with bars between their cells.
func readTEX(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	text := strings.Map(func(r rune) rune {
		if 0x11 <= r && r <= 0x15 {
			return -1
		}
		return r
	}, charset.Decode(data, ""))
	for _, s := range texSteps {
		if ctx.Err() != nil {
			return draft.Document{}, ctx.Err()
		}
		text = s.pattern.ReplaceAllString(text, s.text)
	}
	return draft.Document{Title: markdownTitle(text), Text: text}, nil
}
