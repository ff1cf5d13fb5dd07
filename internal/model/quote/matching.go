package quote

import (
	"slices"
	"strings"

	"parley/internal/model"
	"parley/internal/text/dictionary"
	"parley/internal/text/words"
)

// matchText returns for each subject how surely the text names it: 1 for the word or its stem, less for another word
// for it and for a similar spelling.
func (q *parsedQuestion) matchText(text string) []float64 {
	found := make([]float64, len(q.terms))
	var last []termLikeness
	for token := range words.Tokens(text) {
		if q.isPassedOver(token.Word) {
			continue
		}
		likeness := q.wordLikeness(token.Word)
		for _, l := range likeness {
			found[l.termIndex] = max(found[l.termIndex], l.strength)
		}
		if len(likeness) > 0 && len(last) > 0 {
			q.matchPairs(found, last, likeness)
		}
		last = likeness
	}
	q.addMeasureMatches(found, text)
	q.addDayMatches(found, text)
	return found
}

// lacksName reports whether a name of the message is not among what was found.
func (q *parsedQuestion) lacksName(found []float64) bool {
	return slices.ContainsFunc(q.terms, func(s questionTerm) bool {
		return s.isProperName && found[q.termIndex(s.word)] == 0
	})
}

func (q *parsedQuestion) matchPairs(found []float64, one, two []termLikeness) {
	for i, s := range q.terms {
		if s.isPair {
			found[i] = max(found[i], min(strengthOf(one, s.firstTerm), strengthOf(two, s.secondTerm)))
			if !s.isNamePair {
				found[i] = max(found[i], reversedPairStrength*min(strengthOf(one, s.secondTerm), strengthOf(two, s.firstTerm)))
			}
		}
	}
}

func strengthOf(all []termLikeness, subject int) float64 {
	for _, l := range all {
		if l.termIndex == subject {
			return l.strength
		}
	}
	return 0
}

func (q *parsedQuestion) wordLikeness(word string) []termLikeness {
	all, ok := q.likenessByWord[word]
	if !ok {
		all = q.compareWord(word)
		q.likenessByWord[word] = all
	}
	return all
}

func (q *parsedQuestion) compareWord(word string) (all []termLikeness) {
	var buf [64]uint64
	grams, stem := words.Grams(buf[:0], word), q.lang.Stem(word)
	for i, s := range q.terms {
		if s.isPair {
			continue
		}
		strength := s.gramSimilarity(grams)
		if q.lang == words.English && s.word[0] != word[0] || isCodeWord(s.word) || isCodeWord(word) {
			strength = 0 // "count" is no misspelt "account", and ZK1000 no other form of ZK100
		}
		switch {
		case s.word == word || s.stem == stem:
			strength = 1
		case slices.Contains(s.forms, word):
			strength = max(strength, minNamedStrength)
		case slices.Contains(s.relatedStems, stem):
			strength = max(strength, relatedStrength)
		}
		if strength > 0 {
			all = append(all, termLikeness{i, strength})
		}
	}
	return q.addTranslatedMatches(all, word)
}

const minGramSimilarity = 0.45

// gramSimilarity returns the share of common grams, where it is large enough to be no accident.
func (q *questionTerm) gramSimilarity(grams []uint64) float64 {
	common := 0
	for _, g := range grams {
		if q.grams[g] {
			common++
		}
	}
	share := 2 * float64(common) / float64(len(grams)+len(q.grams))
	if share < minGramSimilarity {
		return 0
	}
	return share
}

// isCodeWord reports whether a word is letters with digits behind them.
func isCodeWord(word string) bool {
	return word[0] > '9' && strings.ContainsAny(word, "0123456789")
}

// codeConfidence is the confidence in a passage that is about the code that the question names.
const codeConfidence = 0.8

// matchesCode reports whether the question names a code, and that the unit or the heading above it does so too. What
// else the question names must for the better part be there as well.
func (q *parsedQuestion) matchesCode(passage model.Passage, p *passageLayout, best quotableUnit) bool {
	near, all := findCodes(passage.Heading+"\n"+p.text[best.start:best.end]), ""
	for c := range findCodes(q.originalText) {
		if !near[c] {
			return false
		}
		all += c
	}
	if all == "" {
		return false
	}
	return q.matchedShare(p.passageMatch, func(i int) bool {
		return q.isSingleWord(i) && !isFrameWord(q.terms[i].word) && !strings.Contains(all, q.terms[i].word)
	}) >= 0.5
}

func findCodes(text string) map[string]bool {
	all := map[string]bool{}
	for _, c := range codePattern.FindAllString(text, -1) {
		all[strings.ToLower(codeSeparators.Replace(c))] = true
	}
	return all
}

var codeSeparators = strings.NewReplacer("-", "", "_", "", "/", "", ".", "", "#", "", " ", "")

// A question in another language than the passages is compared with them by what dictionaries translate its words by.

// translatedStrength is how surely a word of a translation names what the question does: it may be of another meaning
// of the word.
const translatedStrength = 0.9

// translations is what stands for the words of a question in the languages of passages.
type translations struct {
	byWord    map[string][]dictionary.Equivalents
	languages []words.Language         // of passages, where that is another language; nil if nothing has been translated
	terms     map[stemInLanguage][]int // of the question, by the stems of what stands for them
}

type stemInLanguage struct {
	lang words.Language
	stem string
}

// setTranslations notes what stands for the words of the question. Every passage of a request has the same.
func (q *parsedQuestion) setTranslations(passages []model.Passage) {
	if len(passages) == 0 || passages[0].Translations == nil {
		return
	}
	q.translations = translations{byWord: passages[0].Translations, terms: map[stemInLanguage][]int{}}
	for _, list := range q.translations.byWord {
		for _, e := range list {
			if !q.isTranslatedTo(e.Language) {
				q.translations.languages = append(q.translations.languages, e.Language)
			}
		}
	}
	slices.Sort(q.translations.languages)
	q.countedStem = "" // what is counted has another word in the passages
}

// addTerm notes what stands for the word of term i.
func (t *translations) addTerm(word string, i int) {
	for _, e := range t.byWord[word] {
		for _, w := range e.Words {
			stem := e.Language.Stem(w)
			for _, s := range append([]string{stem}, e.Language.Synonyms(stem)...) {
				key := stemInLanguage{e.Language, s}
				if !slices.Contains(t.terms[key], i) {
					t.terms[key] = append(t.terms[key], i)
				}
			}
		}
	}
}

// isTranslated reports whether the passages are in another language than the question, at least some of them.
func (q *parsedQuestion) isTranslated() bool { return q.translations.languages != nil }

// isPassedOver reports whether a word of a passage has no meaning of its own.
func (q *parsedQuestion) isPassedOver(word string) bool {
	if !q.isTranslated() {
		return q.lang.IsStopWord(word)
	}
	return slices.ContainsFunc(q.translations.languages, func(l words.Language) bool { return l.IsStopWord(word) })
}

// addTranslatedMatches adds the terms that a word of a passage is a translation of.
func (q *parsedQuestion) addTranslatedMatches(all []termLikeness, word string) []termLikeness {
	for _, lang := range q.translations.languages {
		for _, i := range q.translations.terms[stemInLanguage{lang, lang.Stem(word)}] {
			all = addLikeness(all, termLikeness{i, translatedStrength})
		}
	}
	return all
}

// addLikeness adds a likeness, or raises that to the same term.
func addLikeness(all []termLikeness, l termLikeness) []termLikeness {
	for i := range all {
		if all[i].termIndex == l.termIndex {
			all[i].strength = max(all[i].strength, l.strength)
			return all
		}
	}
	return append(all, l)
}

// isTranslatedTo reports whether the question has been translated into the language.
func (q *parsedQuestion) isTranslatedTo(lang words.Language) bool {
	return slices.Contains(q.translations.languages, lang)
}

// otherLanguageNote returns what is said before a quote in another language than the question's; empty for none.
func (q *parsedQuestion) otherLanguageNote(req model.Request, picked []excerpt) string {
	if !q.isTranslated() {
		return ""
	}
	for _, e := range picked {
		text := req.Passages[e.passageIndex].Text
		lang, isSure := words.GuessLanguage(words.AppendTokens(nil, text))
		if isSure && q.isTranslatedTo(lang) {
			return textsIn(questionLanguage(req)).OtherLanguage
		}
	}
	return ""
}
