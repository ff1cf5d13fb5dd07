package retrieval

import (
	"math"
	"path"
	"slices"
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
		hasQuestion: p.IsQnA || hasQuestion(p.Heading), titleCount: int32(titleCount(*p))}
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
	return start > end && endsSentence(text[end:start]) && !w.isDayBeforeMonth(i, text[end:start])
}

// isDayBeforeMonth reports whether the full stop before word i is that of a day: "4. Januar".
func (w *passageWords) isDayBeforeMonth(i int, gap string) bool {
	day := w.word(i - 1)
	return gap == ". " && len(day) <= 2 && strings.Trim(day, "0123456789") == "" && words.IsMonth(w.word(i))
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
	return strings.TrimSpace(separateQuestions(p) + " " + name)
}

// Headings are a path, one below the other; the questions that an answer has been given are none, and each is one by
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

// A heading, and each question of a Q&A, is compared with the question as a whole, function words and all: "how do I
// turn it on" and "how do I turn it off" differ in nothing else. The likeness is the cosine of the two by words, and by
// their grams, which forgive other forms and slips.

// titleMatcher compares titles with the question of a search.
type titleMatcher struct {
	functionWords []weightedTerm // ids in the vocabulary; of each language that passages have
	grams         []weightedTerm
	gramBits      [16]uint64 // one for some of the grams each: most others are told apart by one look
	wordNorm      float64
	gramNorm      float64

	states  []uint16    // by word: 0 is new, others are 1 more than their place in known
	known   []titleWord // words that have been compared
	touched []uint32
	best    [maxLikeTitles]float64 // of the passage at hand, best first

	dots, norms [2]float64 // of the title so far, by words and by grams
}

// titleWord is what a word adds to the cosines of the title that it stands in.
type titleWord struct{ dots, norms [2]float32 }

// maxLikeTitles is how many of the questions of an answer count: many that are alike tell more than one.
const maxLikeTitles = 6

func (m *titleMatcher) reset() {
	for _, w := range m.touched {
		m.states[w] = 0
	}
	m.touched, m.known, m.functionWords, m.grams = m.touched[:0], m.known[:0], m.functionWords[:0], m.grams[:0]
	m.gramBits, m.wordNorm, m.gramNorm = [16]uint64{}, 0, 0
}

// prepare sets the question. Its content words are the reader's subjects.
func (m *titleMatcher) prepare(x *Index, q *question, subjects []subject) {
	m.states = resize(m.states, len(x.vocabulary.words))
	for i := range subjects {
		m.wordNorm += subjects[i].weight * subjects[i].weight
	}
	for i := range q.words {
		if a := &q.words[i]; a.isStop {
			m.addFunctionWord(x, a)
		}
	}
	for _, g := range q.grams {
		if x.grams.docCount(g.id) == 0 { // of removed passages only
			continue
		}
		weight := g.weight * x.idf(x.grams.docCount(g.id))
		m.grams = append(m.grams, weightedTerm{g.id, weight})
		m.gramNorm += weight * weight
		at := gramBit(g.id)
		m.gramBits[at/64] |= 1 << (at % 64)
	}
	slices.SortFunc(m.grams, func(a, b weightedTerm) int { return int(a.id) - int(b.id) })
}

func gramBit(id uint32) uint32 { return id * 0x9E3779B1 >> 22 }

func (m *titleMatcher) addFunctionWord(x *Index, a *queryWord) {
	hash, weight := words.Hash(a.word), 0.0
	for lang := range x.eachKnownLanguage() {
		id, ok := x.vocabulary.ids.find(hash + uint64(lang))
		if !ok || x.vocabulary.stems[id] != noStem {
			continue
		}
		if idf := x.functionWordIDF(id); idf > 0 {
			weight = a.weight * idf
			m.functionWords = append(m.functionWords, weightedTerm{id, weight})
		}
	}
	m.wordNorm += weight * weight
}

// functionWordIDF returns how rare a function word is, which has no list of its own, by its rarest gram; 0 if no
// passage holds it.
func (x *Index) functionWordIDF(w uint32) float64 {
	docs := math.MaxInt
	for _, g := range x.vocabulary.grams(w) {
		docs = min(docs, x.grams.docCount(g))
	}
	if docs == math.MaxInt || docs == 0 {
		return 0
	}
	return x.idf(docs)
}

// addTitleWord adds a word of the title that is being read.
func (p *passageRead) addTitleWord(w uint32) {
	m := &p.titles
	if m.states[w] == 0 {
		m.known = append(m.known, p.compareTitleWord(w))
		m.states[w] = uint16(min(len(m.known), math.MaxUint16))
		m.touched = append(m.touched, w)
	}
	t := &m.known[m.states[w]-1]
	for i := range t.dots {
		m.dots[i] += float64(t.dots[i])
		m.norms[i] += float64(t.norms[i])
	}
}

func (p *passageRead) compareTitleWord(w uint32) (t titleWord) {
	m, x := &p.titles, p.x
	if stem := x.vocabulary.stems[w]; stem != noStem {
		idf := x.idf(x.stems.docCount(stem))
		t.norms[0] = float32(idf * idf)
		if l := p.match(w); l.strength >= minTitleStrength {
			t.dots[0] = l.strength * float32(idf*p.subjects[l.subject].weight)
		}
	} else {
		idf := x.functionWordIDF(w)
		t.norms[0] = float32(idf * idf)
		if i := slices.IndexFunc(m.functionWords, func(f weightedTerm) bool { return f.id == w }); i >= 0 {
			t.dots[0] = float32(idf * m.functionWords[i].weight)
		}
	}
	for _, g := range x.vocabulary.grams(w) {
		idf := x.idf(x.grams.docCount(g))
		t.norms[1] += float32(idf * idf)
		if at := gramBit(g); m.gramBits[at/64]>>(at%64)&1 == 0 {
			continue
		}
		if i, ok := slices.BinarySearchFunc(m.grams, g, func(f weightedTerm, id uint32) int {
			return int(f.id) - int(id)
		}); ok {
			t.dots[1] += float32(idf * m.grams[i].weight)
		}
	}
	return t
}

// minTitleStrength is how surely a word of a title must stand for one of the question's; the grams tell of those that
// are merely spelled alike.
const minTitleStrength = 0.6

// endTitle ends a title, and keeps its likeness to the question where it is among the best.
func (m *titleMatcher) endTitle() {
	if m.norms[1] > 0 {
		likeness := defaultWeights.titleByWords*cosine(m.dots[0], m.norms[0], m.wordNorm) +
			defaultWeights.titleByGrams*cosine(m.dots[1], m.norms[1], m.gramNorm)
		for i := range m.best {
			if likeness > m.best[i] {
				likeness, m.best[i] = m.best[i], likeness
			}
		}
	}
	m.dots, m.norms = [2]float64{}, [2]float64{}
}

func cosine(dot, a, b float64) float64 {
	if dot == 0 {
		return 0
	}
	return min(1, dot/math.Sqrt(a*b))
}

// bestLikeness returns how far the nearest of the titles is the question, 0 to 1.
func (m *titleMatcher) bestLikeness() float64 {
	return m.best[0] / (defaultWeights.titleByWords + defaultWeights.titleByGrams)
}

// likeness returns what the titles are worth to the passage.
func (m *titleMatcher) likeness() (sum float64) {
	share := 1.0
	for _, l := range m.best {
		sum += share * l
		share *= defaultWeights.nextTitle
	}
	return sum
}
