package extract

import (
	"context"
	"regexp"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/text/charset"
)

// readMarkdown reads Markdown: what is struck out is left out, notes are within their sentences, and HTML in it is
// text.
func readMarkdown(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	source := charset.Decode(data, "")
	m := markdownCleaner{ctx: ctx, notes: map[string]string{}}
	for _, found := range noteDefinition.FindAllStringSubmatch(source, -1) {
		if note := draft.CollapseSpaces(found[2]); len(note) <= maxInlineNote {
			m.notes[found[1]] = strings.TrimRight(note, ".")
		}
	}
	m.clean(source)
	text := m.out.String()
	return draft.Document{Title: markdownTitle(text), Text: text}, nil
}

// maxInlineNote is how many bytes a note may have to be put into the sentence that refers to it.
const maxInlineNote = 300

type markdownCleaner struct {
	ctx     context.Context
	notes   map[string]string
	repeats draft.RepeatBudget
	out     strings.Builder
}

// clean copies blocks of code, and cleans what is between them.
func (m *markdownCleaner) clean(source string) {
	var plain strings.Builder
	fence := ""
	for line := range strings.Lines(source) {
		body := strings.TrimSpace(line)
		isMark := strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~")
		switch {
		case fence == "" && isMark:
			fence = body[:3]
			m.cleanText(plain.String())
			plain.Reset()
			m.out.WriteString(line)
		case fence != "":
			m.out.WriteString(line)
			if strings.HasPrefix(body, fence) && strings.Trim(body, fence[:1]) == "" {
				fence = ""
			}
		default:
			plain.WriteString(line)
		}
	}
	m.cleanText(plain.String())
}

var (
	noteDefinition = regexp.MustCompile(`(?m)^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]+(.+(?:\n[ \t]+\S.*)*)\n?`)
	noteReference  = regexp.MustCompile(`[.!?]?\[\^([^\]\s]{1,40})\]`)
	tableElement   = regexp.MustCompile(`(?is)<(?:table|dl)\b.*?</(?:table|dl)>`)
	codeSpan       = regexp.MustCompile("`+[^`\n]*`+")
	htmlTag        = regexp.MustCompile(`(?i)</?([a-z][a-z0-9]{0,9})\b[^<>]{0,500}>`)
	struckTexts    = []*regexp.Regexp{
		regexp.MustCompile(`~~[^\s~][^~\n]*(?:\n[^~\n]+)*~~`),
		regexp.MustCompile(`(?is)<del\b[^>]*>.*?</del>`), regexp.MustCompile(`(?is)<s>.*?</s>`),
		regexp.MustCompile(`(?is)<strike\b[^>]*>.*?</strike>`),
	}
	raisedText  = regexp.MustCompile(`(?is)<sup>([^<>\n]{1,40})</sup>`)
	loweredText = regexp.MustCompile(`(?is)<sub>([^<>\n]{1,40})</sub>`)
)

// cleanText cleans a text without blocks of code. Spans of code in it are set aside meanwhile.
func (m *markdownCleaner) cleanText(text string) {
	var spans []string
	text = codeSpan.ReplaceAllStringFunc(strings.ReplaceAll(text, "\x13", ""), func(span string) string {
		spans = append(spans, span)
		return "\x13"
	})
	for _, struck := range struckTexts {
		text = struck.ReplaceAllString(text, "")
	}
	text = raisedText.ReplaceAllStringFunc(text, func(sup string) string { return draft.Raised(sup[5 : len(sup)-6]) })
	text = loweredText.ReplaceAllStringFunc(text, func(sub string) string { return draft.Lowered(sub[5 : len(sub)-6]) })
	text = tableElement.ReplaceAllStringFunc(text, m.renderElement)
	text = htmlTag.ReplaceAllStringFunc(text, replaceTag)
	text = m.placeNotes(text)
	for _, span := range spans {
		before, rest, _ := strings.Cut(text, "\x13")
		m.out.WriteString(before + span)
		text = rest
	}
	m.out.WriteString(text)
}

// renderElement writes an element of HTML as Markdown.
func (m *markdownCleaner) renderElement(source string) string {
	tree := html.Parse(source)
	html.PruneHidden(tree, nil)
	text, err := html.RenderMarkdown(m.ctx, tree)
	if err != nil {
		return source
	}
	return "\n\n" + text + "\n\n"
}

// replaceTag returns what is in the place of a tag: blocks are apart, and tags within a line say nothing.
func replaceTag(tag string) string {
	name := strings.ToLower(htmlTag.FindStringSubmatch(tag)[1])
	opens := tag[1] != '/'
	switch name {
	case "ins", "u", "mark", "span", "b", "strong", "em", "i", "small", "font", "kbd", "sup", "sub":
		return ""
	case "br":
		return " "
	case "p", "div", "center", "section", "article", "figure", "figcaption", "main", "details", "summary", "ul", "ol":
		return "\n\n"
	case "li":
		if opens {
			return "\n- "
		}
		return ""
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if opens {
			return "\n\n" + strings.Repeat("#", int(name[1]-'0')) + " "
		}
		return "\n\n"
	}
	return tag
}

// placeNotes puts short notes into the sentences that refer to them; long ones stay paragraphs with their mark.
func (m *markdownCleaner) placeNotes(text string) string {
	if !strings.Contains(text, "[^") {
		return text
	}
	text = noteDefinition.ReplaceAllStringFunc(text, func(definition string) string {
		found := noteDefinition.FindStringSubmatch(definition)
		if m.notes[found[1]] != "" {
			return ""
		}
		return "[" + found[1] + "] " + draft.CollapseSpaces(found[2]) + "\n"
	})
	return noteReference.ReplaceAllStringFunc(text, func(reference string) string {
		found := noteReference.FindStringSubmatch(reference)
		sign := strings.TrimRight(reference[:1], "[")
		if note := m.repeats.Take(m.notes[found[1]]); note != "" {
			return " (" + note + ")" + sign
		}
		return " [" + found[1] + "]" + sign
	})
}
