package retrieval

import (
	"path"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/text/words"
)

// passageWords is a passage cut into words, and what else of it can be read before it has a place in an index.
type passageWords struct {
	words.Scanner
	title, text string
	titleWords  int // how many of the tokens are the title's
	language    words.Language
	doc         doc
}

// read cuts the passage into words. Without function words to recognize the language by it is taken for English.
func (w *passageWords) read(p *parley.Passage) {
	w.Reset()
	w.title, w.text = passageTitle(*p), p.Text
	w.Scan(w.title)
	w.titleWords = len(w.Tokens)
	w.Scan(w.text)
	w.language = words.English
	if lang, isSure := w.Language(); isSure {
		w.language = lang
	}
	w.doc = doc{lang: w.language, hasTitle: w.title != "", hasSteps: hasSteps(p.Text), linkShare: linkShare(p.Text),
		hasQuestion: hasQuestion(p.Heading), titleCount: int32(titleCount(p.Heading))}
}

// word returns word i.
func (w *passageWords) word(i int) string {
	if i < w.titleWords {
		return w.Tokens[i].Word(w.title)
	}
	return w.Tokens[i].Word(w.text)
}

// beginsSentence reports whether a sentence begins with word i.
func (w *passageWords) beginsSentence(i int) bool {
	switch {
	case i == 0:
		return false
	case i == w.titleWords:
		return true
	}
	text := w.text
	if i < w.titleWords {
		text = w.title
	}
	end, start := w.Tokens[i-1].End, w.Tokens[i].Start
	return start > end && endsSentence(text[end:start])
}

// endsSentence reports whether the gap between two words ends a sentence.
func endsSentence(gap string) bool {
	if len(gap) == 1 {
		return gap[0] == '\n' || gap[0] == '|' // a full stop between two words parts no sentences
	}
	for i := range len(gap) {
		switch c := gap[i]; {
		case c == '.', c == '!', c == '?', c == '\n', c == '|':
			return true
		case c >= utf8.RuneSelf:
			return strings.ContainsAny(gap[i:], ".!?\n|。！？؟")
		}
	}
	return false
}

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
	return strings.TrimSpace(separateQuestions(p.Heading) + " " + name)
}

// Headings are a path, one below the other; the questions that an answer has been given are none, and each is one by
// itself.
const (
	headingSeparator = " › "
	maxPathParts     = 4
)

// separateQuestions sets questions in lines of their own.
func separateQuestions(heading string) string {
	if titleCount(heading) > 1 {
		return strings.ReplaceAll(heading, headingSeparator, "\n")
	}
	return heading
}

// titleCount returns how many titles a heading is: one path, or several questions.
func titleCount(heading string) int {
	n := strings.Count(heading, headingSeparator) + 1
	if n > maxPathParts || n > 1 && hasQuestion(heading) {
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
	if !strings.Contains(text, "](") {
		return 0
	}
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
