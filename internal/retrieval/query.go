package retrieval

import (
	"slices"

	"parley/internal/text/contact"
	"parley/internal/text/dictionary"
	"parley/internal/text/words"
)

// Query is what to search for.
type Query struct {
	Text    string
	Earlier []string // earlier messages of the user, newest last: they tell what a follow-up is about
	Answer  string   // what the last of them was answered with
	Limit   int      // at most so many hits; 0 is 12

	Contact contact.Kind // that it asks for: passages that hold one are found without its words

	Synonyms [][]string // groups of words or phrases that the operator says mean the same

	// translate questions in another language than that of the passages; nil for none
	Dictionaries *dictionary.Set

	Vector []float32 // of the question, by the model that has made those of the passages; nil for none
	// of the vectors beside the words, up to 1, where the words do not count; 0 goes by how many of them the passages
	// know
	VectorWeight float64
}

// question is a query in the index's terms.
type question struct {
	words      []queryWord
	grams      []weightedTerm
	stems      []weightedTerm
	pairs      []pair
	phrases    []phrase
	nameWorths []float64  // what the codes and quotations are worth
	asksHow    bool       // it asks how to do something
	wantedKind words.Kind // what it asks for, where that shows

	direction *direction // where its vector points; nil without one

	translator   *translator                         // nil if it is in the language of the passages
	reading      string                              // the message in the words of the passages
	groups       []termGroup                         // of its words that have been translated
	translations map[string][]dictionary.Equivalents // of these; nil for none
	// of the scores by stems beside those by grams, and of what is read beside both
	stemsWeight, readingWeight float64

	// space for what is needed only while it is read
	tokens    []words.Token
	wordGrams []uint32
	content   []uint32
}

// queryWord is a word of the question.
type queryWord struct {
	word            string
	stem            uint32
	isIndexed       bool          // the stem has been in some passage
	grams           []uint32      // known ones
	gramCount       int           // how many grams it has, known or not
	alternatives    []alternative // words that may stand for it
	group           int           // of its translations, from 1; 0 for none
	isStop, isDense bool
	weight          float64 // 1 in the message itself, less in earlier ones
	rarity          float64 // of the stem among the passages
}

// weightedTerm is a term with its weight.
type weightedTerm struct {
	id     uint32
	weight float64
}

// pair is two content words that are close together in the question.
type pair struct {
	a, b   uint32
	weight float64
}

// maxKeptTokens is how many tokens of a question there is space for in the next one.
const maxKeptTokens = 2 * maxQueryWords

// maxQueryWords bounds how many words of a message are looked for.
const maxQueryWords = 200

// fillQuestion fills in a question that is empty.
func (x *Index) fillQuestion(out *question, q Query) {
	asking := askingPart(q.Text)
	out.reading = x.addMessage(out, asking, 1, q.Synonyms)
	out.asksHow, out.wantedKind = words.AsksHow(asking), words.AsksFor(asking)
	out.setDirection(q)
	weight := x.earlierWeight(out, q)
	for i := len(q.Earlier) - 1; i >= 0 && weight > 0.02; i-- {
		x.addMessage(out, q.Earlier[i], weight, q.Synonyms)
		weight *= defaultWeights.fade
	}
	out.setTranslationWeights()
}

// reset empties the question, but for the space it takes.
func (q *question) reset() {
	clear(q.words)
	clear(q.phrases)
	if cap(q.tokens) > maxKeptTokens {
		q.tokens = nil
	}
	clear(q.tokens[:cap(q.tokens)])
	*q = question{words: q.words[:0], grams: q.grams[:0], stems: q.stems[:0], pairs: q.pairs[:0],
		phrases: q.phrases[:0], nameWorths: q.nameWorths[:0], tokens: q.tokens[:0],
		wordGrams: q.wordGrams[:0], content: q.content[:0]}
}

// addMessage adds a message of the user, and returns how it is read.
func (x *Index) addMessage(out *question, text string, weight float64, synonyms [][]string) (reading string) {
	reading, typos := x.readMessage(text, synonyms, out.translator)
	text = words.ToStandardForm(reading)
	r := tokenize(out.tokens, text, x.language())
	out.tokens = r.tokens
	first := len(out.words)
	for _, t := range r.tokens[:min(len(r.tokens), maxQueryWords)] {
		ofWord := weight
		if typos[t.Word] {
			ofWord *= defaultWeights.typo
		}
		out.words = append(out.words, x.newQueryWord(out, t, r.lang, ofWord))
	}
	m := queryMessage{Index: x, out: out, words: out.words[first:], firstWord: first,
		tokens: r.tokens[:len(out.words)-first], text: text, lang: r.lang, weight: weight}
	m.translateWords(out.translator)
	m.findVariants(synonyms)
	out.addPairs(m.words, weight)
	return reading
}

func (x *Index) newQueryWord(out *question, t words.Token, lang words.Language, weight float64) queryWord {
	stem := lang.Stem(t.Word)
	a := queryWord{word: t.Word, isStop: lang.IsStopWord(t.Word), isDense: t.Unspaced, weight: weight}
	a.stem, a.isIndexed = x.stems.ids.find(words.Hash(stem))
	docs := 0
	if a.isIndexed {
		docs = x.stems.docCount(a.stem)
	}
	a.rarity = x.idf(docs)
	var buf [64]uint64
	first := len(out.wordGrams)
	for _, g := range words.Grams(buf[:0], t.Word) {
		a.gramCount++
		if id, ok := x.grams.ids.find(g); ok {
			out.wordGrams = append(out.wordGrams, id)
			out.grams = addTerm(out.grams, id, weight)
		}
	}
	a.grams = slices.Clip(out.wordGrams[first:])
	if a.isStop {
		return a
	}
	if a.isIndexed && !a.isDense { // stretches of two characters are grams too: once is enough
		out.stems = addTerm(out.stems, a.stem, weight)
	}
	for _, k := range x.otherStems(lang, t.Word, stem) {
		if id, ok := x.stems.ids.find(words.Hash(k)); ok && x.stems.docCount(id) > 0 {
			a.alternatives = append(a.alternatives, alternative{id, float32(defaultWeights.alternativeStrength)})
			x.addAlternativeTerms(out, k, id, weight*defaultWeights.alternative, weight*defaultWeights.alternativeGrams)
		}
	}
	return a
}

// otherStems returns the stems of words that may stand for a word, and of other forms of a verb that passages have.
func (x *Index) otherStems(lang words.Language, word, stem string) []string {
	forms := lang.VerbForms(word)
	if forms == nil {
		return lang.Synonyms(stem)
	}
	all := slices.Clone(lang.Synonyms(stem))
	for _, form := range forms {
		if other := lang.Stem(form); other != stem && x.hasWord(form) && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}

// addAlternativeTerms looks for a word that may stand for one of the question's, by its stem and by its grams.
func (x *Index) addAlternativeTerms(out *question, stem string, id uint32, weight, ofGrams float64) {
	out.stems = addTerm(out.stems, id, weight)
	var buf [64]uint64
	for _, g := range words.Grams(buf[:0], stem) {
		if id, ok := x.grams.ids.find(g); ok {
			out.grams = addTerm(out.grams, id, ofGrams)
		}
	}
}

func addTerm(list []weightedTerm, id uint32, weight float64) []weightedTerm {
	if i := slices.IndexFunc(list, func(w weightedTerm) bool { return w.id == id }); i >= 0 {
		list[i].weight = max(list[i].weight, weight)
		return list
	}
	return append(list, weightedTerm{id, weight})
}

// addPairs notes the content words of one message that are within a window of three. Words of scripts without spaces
// are stretches that overlap: being neighbours says nothing.
func (q *question) addPairs(message []queryWord, weight float64) {
	content := q.content[:0]
	for i := range message {
		switch a := &message[i]; {
		case a.isStop || a.isDense:
		case a.group > 0:
			content = append(content, q.groups[a.group-1].stems[0])
		case a.isIndexed:
			content = append(content, a.stem)
		}
	}
	q.content = content
	for i, a := range content {
		for _, b := range content[i+1 : min(i+3, len(content))] {
			if a != b {
				q.pairs = append(q.pairs, pair{a, b, weight})
			}
		}
	}
}

// termRarities returns the content words with their rarity.
func (q *question) termRarities() map[string]float64 {
	terms := make(map[string]float64, len(q.words))
	for i := range q.words {
		if a := &q.words[i]; !a.isStop {
			terms[a.word] = a.rarity
		}
	}
	return terms
}

// alternative is a word that is searched for in place of one of the question's.
type alternative struct {
	stem   uint32
	weight float32 // 0 to 1
}

// queryMessage is one message whose words are looked for.
type queryMessage struct {
	*Index
	out       *question
	words     []queryWord
	tokens    []words.Token
	firstWord int // of its words in the question
	text      string
	lang      words.Language
	weight    float64
}

// findVariants looks for what the words mean together, and for other words that may stand for them.
func (m *queryMessage) findVariants(synonyms [][]string) {
	m.findCodes()
	m.findQuotes()
	m.findJoinedWords()
	m.findSplitWords()
	m.addSynonyms(synonyms)
}

// addAlternative lets the word, where passages have it, stand for those from one to another.
func (m *queryMessage) addAlternative(word string, from, to int, strength float32) {
	stem := m.lang.Stem(word)
	id, ok := m.stems.ids.find(words.Hash(stem))
	if !ok || m.stems.docCount(id) == 0 {
		return
	}
	for i := from; i < to; i++ {
		if w := &m.words[i]; !w.isStop && !slices.Contains(w.alternatives, alternative{id, strength}) {
			w.alternatives = append(w.alternatives, alternative{id, strength})
		}
	}
	m.addAlternativeTerms(m.out, stem, id, m.weight*float64(strength), m.weight*float64(strength))
}

// wordIDs returns the ids of a word in whatever languages passages have it; nil if no passage has it.
func (x *Index) wordIDs(word string) (ids []uint32) {
	hash := words.Hash(word)
	for lang := range x.eachKnownLanguage() {
		if id, ok := x.vocabulary.ids.find(hash + uint64(lang)); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// hasWord reports whether passages have a word, in whatever language.
func (x *Index) hasWord(word string) bool {
	hash := words.Hash(word)
	for lang := range x.eachKnownLanguage() {
		if _, ok := x.vocabulary.ids.find(hash + uint64(lang)); ok {
			return true
		}
	}
	return false
}

// gapBefore returns the text between a token and the one before; tokens of scripts without spaces overlap.
func (m *queryMessage) gapBefore(i int) string {
	return m.text[min(m.tokens[i-1].End, m.tokens[i].Start):m.tokens[i].Start]
}

// Words of the answer before that a follow-up may be about; longer answers are about more than one thing.
const (
	maxHintWords = 120
	maxHintBytes = 2000
)

// addAnswerHints searches for the content words of the previous answer, with a low weight: "does it work abroad?" may
// be about what the answer named first. They do not count as words of the question when passages are read.
func (x *Index) addAnswerHints(out *question, answer string) {
	r := tokenize(nil, answer[:min(len(answer), maxHintBytes)], x.language())
	m := queryMessage{Index: x, out: out, lang: r.lang, weight: defaultWeights.answer}
	for _, t := range r.tokens[:min(len(r.tokens), maxHintWords)] {
		m.addWord(t.Word)
	}
}

// earlierWeight returns the weight of the user's message before this one: much for a message that cannot be understood
// alone, which then also leans on what was answered; less for one that can, which may have changed the subject.
func (x *Index) earlierWeight(out *question, q Query) float64 {
	if len(q.Earlier) == 0 || !words.NeedsContext(q.Text) {
		return defaultWeights.standalone
	}
	x.addAnswerHints(out, q.Answer)
	return defaultWeights.earlier
}
