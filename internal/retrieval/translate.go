package retrieval

import (
	"slices"

	"parley/internal/text/dictionary"
	"parley/internal/text/words"
)

// A question in another language than the passages is looked for by what dictionaries translate its words by. All that
// may stand for a word is one term (Pirkola's structured query): it is as rare as the passages that hold any of it, and
// a passage holds it as often as all of it together. So a word with many meanings counts no more than one with a single
// one, and one that no dictionary has is still looked for by itself.

// translator translates the words of a question.
type translator struct {
	from    words.Language
	targets []target
}

// target is a language to translate into.
type target struct {
	lang words.Language
	*dictionary.Dictionary
}

// minLanguageShare is the share of an index's passages from which on a language is one that questions are translated
// into.
const minLanguageShare = 0.1

// newTranslator returns the dictionaries from the question's language into those of the passages; nil if there is
// nothing to translate. It may read them, which takes seconds, and is not called under the lock.
func (x *Index) newTranslator(q Query) *translator {
	if q.Dictionaries == nil {
		return nil
	}
	tokens, from, ok := questionLanguage(q)
	if !ok {
		return nil
	}
	t := &translator{from: from}
	for _, to := range x.mainLanguages() {
		if to == from || countStopWords(tokens, to) >= countStopWords(tokens, from) && from < words.Russian {
			continue
		}
		if d := q.Dictionaries.Find(from, to); d != nil {
			t.targets = append(t.targets, target{to, d})
		}
	}
	if t.targets == nil {
		return nil
	}
	return t
}

// questionLanguage returns the language of the newest message that shows one, and its words.
func questionLanguage(q Query) (tokens []words.Token, lang words.Language, ok bool) {
	for i := len(q.Earlier); i >= 0 && !ok; i-- {
		text := q.Text
		if i < len(q.Earlier) {
			text = q.Earlier[i]
		}
		tokens = words.AppendTokens(nil, text)
		tokens = tokens[:min(len(tokens), maxQueryWords)]
		lang, ok = words.GuessLanguage(tokens)
	}
	return tokens, lang, ok
}

func countStopWords(tokens []words.Token, lang words.Language) (n int) {
	for _, t := range tokens {
		if lang.IsStopWord(t.Word) {
			n++
		}
	}
	return n
}

// mainLanguages returns the languages that a good part of the passages show.
func (x *Index) mainLanguages() (list []words.Language) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for l, n := range x.languages {
		if n > 0 && float64(n) >= minLanguageShare*float64(len(x.byID)) {
			list = append(list, words.Language(l))
		}
	}
	return list
}

// termGroup is what may stand for one word of the question.
type termGroup struct {
	stems        []uint32
	alternatives []alternative // the same, with how far each is taken for the word
	list         postings      // of passages that hold one of them
	docs         int           // how many those are
	weight       float64
}

// translateWords looks for the words by their translations. What a compound is made of is looked for apart: it becomes
// words of its own.
func (m *queryMessage) translateWords(t *translator) {
	if t == nil || m.lang != t.from {
		return
	}
	for i := range m.words {
		if a := &m.words[i]; !a.isStop && !a.isDense && !hasDigit(a.word) {
			m.translateWord(t, i)
		}
	}
	m.words = m.out.words[m.firstWord:]
}

func (m *queryMessage) translateWord(t *translator, at int) {
	var parts []termGroup
	a := m.words[at]
	for _, to := range t.targets {
		known := dictionary.Equivalents{Language: to.lang}
		for i, list := range to.Translate(a.word) {
			if i == len(parts) {
				parts = append(parts, termGroup{weight: m.weight})
			}
			m.addTranslations(to.lang, &parts[i], list, &known)
		}
		if len(known.Words) > 0 {
			m.out.addTranslations(a.word, known)
		}
	}
	for i := range parts {
		if w := m.wordOfPart(at, i); len(parts[i].stems) > 0 {
			m.setGroup(w, parts[i])
		}
	}
}

// wordOfPart returns the word of the question that stands for part i of a word: the word itself for the first.
func (m *queryMessage) wordOfPart(at, i int) *queryWord {
	if i == 0 {
		return &m.words[at]
	}
	m.out.words = append(m.out.words, queryWord{weight: m.words[at].weight, rarity: m.idf(0)})
	m.words = m.out.words[m.firstWord : m.firstWord+len(m.words)]
	return &m.out.words[len(m.out.words)-1]
}

// addTranslations lets the words stand for a part of the question. Of several words that are a translation together
// each says less, and they are left out where one word is a translation by itself.
func (m *queryMessage) addTranslations(lang words.Language, g *termGroup, list []dictionary.Translation,
	known *dictionary.Equivalents) {
	hasSingle := slices.ContainsFunc(list, func(t dictionary.Translation) bool { return t.Parts == 1 })
	for _, one := range list {
		if one.Parts > 1 && hasSingle {
			continue
		}
		known.Words = append(known.Words, one.Word)
		stem := lang.Stem(one.Word)
		if id, ok := m.stems.ids.find(words.Hash(stem)); ok && !lang.IsStopWord(one.Word) && m.stems.docCount(id) > 0 {
			g.add(id, float32(translationStrengths[min(one.Parts, len(translationStrengths))-1]))
		}
		for _, k := range lang.Synonyms(stem) {
			if id, ok := m.stems.ids.find(words.Hash(k)); ok && m.stems.docCount(id) > 0 {
				g.add(id, float32(defaultWeights.alternativeStrength))
			}
		}
	}
}

func (g *termGroup) add(stem uint32, strength float32) {
	if !slices.Contains(g.stems, stem) {
		g.stems = append(g.stems, stem)
		g.alternatives = append(g.alternatives, alternative{stem, strength})
	}
}

// translationStrengths is how far a word of a translation is taken for the word, by how many words the translation has.
var translationStrengths = [...]float64{0.95, 0.8, 0.6}

// setGroup lets the stems of a group stand for the word, and for no other any more: a stem is counted once when
// passages are scored.
func (m *queryMessage) setGroup(a *queryWord, g termGroup) {
	a.alternatives = append(a.alternatives, g.alternatives...)
	if a.isIndexed {
		g.stems = append(g.stems, a.stem)
		m.out.stems = slices.DeleteFunc(m.out.stems, func(w weightedTerm) bool { return w.id == a.stem })
	}
	count := len(g.stems)
	g.list, g.docs = m.joinLists(g.stems)
	a.rarity = m.idf(g.docs)
	g.stems = slices.DeleteFunc(g.stems, m.isTaken)
	switch len(g.stems) {
	case 0:
		return
	case count:
	default:
		g.list, g.docs = m.joinLists(g.stems)
	}
	m.out.groups = append(m.out.groups, g)
	a.group = len(m.out.groups)
}

// isTaken reports whether a stem stands for another word already.
func (m *queryMessage) isTaken(stem uint32) bool {
	return slices.ContainsFunc(m.out.groups, func(g termGroup) bool { return slices.Contains(g.stems, stem) }) ||
		slices.ContainsFunc(m.out.stems, func(w weightedTerm) bool { return w.id == stem })
}

func (q *question) addTranslations(word string, t dictionary.Equivalents) {
	if q.translations == nil {
		q.translations = map[string][]dictionary.Equivalents{}
	}
	sameLanguage := func(k dictionary.Equivalents) bool { return k.Language == t.Language }
	if !slices.ContainsFunc(q.translations[word], sameLanguage) {
		q.translations[word] = append(q.translations[word], t)
	}
}

// joinLists returns the list of the documents that hold one of the stems.
func (x *Index) joinLists(stems []uint32) (joined postings, docs int) {
	if len(stems) == 1 {
		return x.stems.lists[stems[0]], x.stems.docCount(stems[0])
	}
	times := make([]uint8, len(x.docs))
	for _, id := range stems {
		x.stems.lists[id].forEach(func(doc uint32, n uint8) { times[doc] += min(n, maxTimes-times[doc]) })
	}
	for doc, n := range times {
		if n > 0 {
			joined.add(uint32(doc), n) //nolint:gosec // as many as there are documents
			if x.lengths[doc].stems > 0 {
				docs++
			}
		}
	}
	return joined, docs
}

// setTranslationWeights sets what the parts of a score are worth. Translations are looked for by their stems alone; the
// grams are left to names, and to words that no dictionary has. Which of many translations is meant shows where
// passages are read.
func (q *question) setTranslationWeights() {
	q.stemsWeight, q.readingWeight = defaultWeights.stems, 1
	if q.translations == nil {
		return
	}
	var all, translated float64
	for i := range q.words {
		if a := &q.words[i]; !a.isStop {
			all += a.weight
			if a.group > 0 {
				translated += a.weight
			}
		}
	}
	q.stemsWeight = defaultWeights.otherStems +
		(defaultWeights.translatedStems-defaultWeights.otherStems)*translated/max(all, minDivisor)
	q.readingWeight = defaultWeights.translatedReading
}
