package retrieval

import (
	"path"
	"strings"

	"parley"
)

// passageTitle returns what a passage is called: the headings above it and the name of its source, which often says
// what a page is about. Of a path the last part does.
func passageTitle(p parley.Passage) string {
	name := p.SourceName
	if ext := path.Ext(name); ext != "" &&
		strings.Contains(" .md .markdown .txt .html .htm .pdf .docx .csv ", " "+strings.ToLower(ext)+" ") {
		name = strings.TrimSuffix(name, ext)
	}
	name = path.Base(strings.TrimSuffix(name, "/index"))
	if name == "." || name == "/" || strings.Contains(strings.ToLower(p.Heading), strings.ToLower(name)) {
		name = ""
	}
	return strings.TrimSpace(separateQuestions(p) + " " + name)
}

// headings stand above each other in a path; the questions that an answer has been given do not, and each is one by
// itself.
const (
	headingSeparator = " › "
	maxPathParts     = 4
)

// separateQuestions sets questions in lines of their own.
func separateQuestions(p parley.Passage) string {
	if titleCount(p) > 1 {
		return strings.ReplaceAll(p.Heading, headingSeparator, "\n")
	}
	return p.Heading
}

// titleCount returns how many titles a heading is: one path, or several questions.
func titleCount(p parley.Passage) int {
	n := strings.Count(p.Heading, headingSeparator) + 1
	if n > maxPathParts || n > 1 && (p.IsQnA || hasQuestion(p.Heading)) {
		return n
	}
	return 1
}

// hasQuestion reports whether a heading holds a question.
func hasQuestion(heading string) bool {
	return strings.IndexByte(heading, '?') >= 0 || strings.Contains(heading, "？") || strings.Contains(heading, "؟")
}

func hasSteps(text string) bool {
	return strings.HasPrefix(text, "1. ") || strings.Contains(text, "\n1. ")
}

// linkShare returns which share of the text is Markdown links: lists of them ask more questions than they answer.
func linkShare(text string) float32 {
	inside, open := 0, -1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[':
			open = i
		case ')':
			if open >= 0 && strings.Contains(text[open:i], "](") {
				inside += i + 1 - open
			}
			open = -1
		case '\n':
			open = -1
		}
	}
	return float32(inside) / float32(max(len(text), 1))
}
