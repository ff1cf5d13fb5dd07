package retrieval

import (
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
