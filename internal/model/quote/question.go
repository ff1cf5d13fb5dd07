package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/words"
)

// parsedQuestion is what the question is about: its content words with their weights.
type parsedQuestion struct {
	lang        words.Language
	terms       []questionTerm
	termIndexes map[string]int // of the words among the items
	ownWeight   float64        // weight of the message's own words
	questionForm
	isFollowUp     bool
	negatedTerms   []int // subjects that the question denies ("without an account")
	likenessByWord map[string][]termLikeness
	foldedText     string // folded
	originalText   string // as it was written
	countedStem    string // stem of what the question asks the number of
	isLanguageSure bool   // its language shows
	asksWhoMay     bool   // it asks who is allowed to do something
	asksPlace      bool   // it asks where; not of "my order", whose place no source knows
	wantsCode      bool   // it is about code, or how something is done
	wantsList      bool   // it asks which things of a kind there are
	asksBarePrice  bool   // it asks how much and names nothing
	replyLanguage  words.Language
	isInDoubt      bool // what is quoted

	codes       []askedCode     // that it names
	bounds      []boundedNumber // numbers that it is about one side of
	compares    bool            // things with each other
	asksForWith bool            // it speaks of what somebody has
	days        words.Days      // that it names

	translations translations
}

type questionTerm struct {
	word, stem            string
	relatedStems          []string // stems of words that may stand for it
	forms                 []string // other forms of a verb
	grams                 map[uint64]bool
	weight                float64
	fromLastMessage       bool // of the message itself, not of an earlier one
	isPair                bool // two neighbours, a and b of the items: no word itself
	firstTerm, secondTerm int
	isNamePair            bool // a pair that is written as a name
	isProperName          bool // written as a name
	measure               measureKind
	days                  words.Days // that it names; 0 for none
}

// termLikeness says how surely a word names a subject.
type termLikeness struct {
	termIndex int
	strength  float64
}

const (
	earlierMessageWeight = 0.4 // what words of the user's message before count against those of the message itself
	frameWordWeight      = 0.3 // what words count that say how a question is put rather than what it is about
	relatedStrength      = 0.6
	// what two neighbours of the question count where they are side by side, against the lesser of them
	pairWeight           = 0.5
	namePairWeight       = 1.5 // and where both are written as names
	reversedPairStrength = 0.5 // what a pair counts that is the other way round; a name does not
)

// parseQuestion reads what was said last in the light of what was said before it.
func parseQuestion(userTexts []string, passages []model.Passage) parsedQuestion {
	last := readingOf(userTexts[len(userTexts)-1], passages)
	t := parsedQuestion{lang: guessLanguage(last), questionForm: classifyQuestion(last), isFollowUp: len(userTexts) > 1,
		foldedText: words.Fold(last), originalText: last,
		likenessByWord: map[string][]termLikeness{}, termIndexes: map[string]int{}}
	t.countedStem = t.parseCountedStem(last)
	t.asksWhoMay, t.wantsList = words.ContainsPhrase(last, permissionPhrases()),
		listQuestionPattern().MatchString(t.foldedText) && words.AsksFor(last)&words.Time == 0
	t.asksPlace = words.ContainsPhrase(last, placePhrases()) &&
		!containsWord(last, func(w string) bool { return possessiveWords()[w] })
	t.setTranslations(passages)
	t.wantsCode = t.isAboutCode()
	_, t.isLanguageSure = words.GuessLanguage(words.AppendTokens(nil, last))
	var weights map[string]float64
	if len(passages) > 0 {
		weights = passages[0].TermWeights
	}
	t.addTerms(withoutPricePhrases(last), 1, weights)
	t.addBarePrice(last)
	if len(userTexts) > 1 {
		t.addTerms(userTexts[len(userTexts)-2], earlierMessageWeight, weights)
	}
	t.negatedTerms = t.findNegatedTerms(last)
	t.codes, t.bounds = findAskedCodes(last), findBounds(last)
	t.compares = words.ContainsPhrase(withoutMarks(last), comparisonPhrases()) || asksForMore(last)
	t.asksForWith = containsWord(last, func(w string) bool { return withWords()[w] })
	return t
}

// readingOf returns a question in the words that the sources have for it.
func readingOf(question string, passages []model.Passage) string {
	if len(passages) > 0 && passages[0].Reading.Read != "" && passages[0].Reading.Typed == question {
		return passages[0].Reading.Read
	}
	return question
}

// addTerms notes the content words of a message, and which of them are side by side.
func (q *parsedQuestion) addTerms(text string, weight float64, weights map[string]float64) {
	before, named, last := -1, false, ""
	asks, days := findMeasurePhrases(text), words.FindDays(text)
	isOfDay := weight == 1 || q.days == 0 // "and on Sunday?" is not about the day before
	for token := range words.Tokens(text) {
		by, hyphened := asks.measureOf(last, token.Word), token.Start > 0 && text[token.Start-1] == '-'
		last = token.Word
		if q.lang.IsStopWord(token.Word) || negationWords()[token.Word] || isElided(text, token) ||
			q.isParticleEnding(text, token) ||
			hyphened && q.lang.IsStopWord(strings.TrimSuffix(token.Word, "s")) { // "add-ons"
			continue
		}
		at := q.termIndex(token.Word)
		if at < 0 {
			if len(q.termIndexes) == maxQuestionTerms {
				break
			}
			at = len(q.terms)
			q.termIndexes[token.Word] = at
			q.translations.addTerm(token.Word, at)
			s := q.newTerm(token.Word, weight, weights)
			s.isProperName = s.fromLastMessage && !q.lang.HasCapitalNouns() && isCapitalizedInside(text, token) &&
				q.translations.byWord[token.Word] == nil
			if s.measure = by; by != measureNone {
				s.weight *= measureWeight
			}
			if isOfDay {
				s.days = daysOfToken(days, token)
				q.days |= s.days
			}
			q.appendTerm(s)
		}
		if by != measureNone {
			continue // what it measures need not are beside it
		}
		if before >= 0 && before != at && !token.Unspaced {
			a, b := q.terms[before], q.terms[at]
			pair := questionTerm{isPair: true, firstTerm: before, secondTerm: at,
				weight: pairWeight * min(a.weight, b.weight), fromLastMessage: a.fromLastMessage && b.fromLastMessage}
			if named && isCapitalizedInside(text, token) {
				pair.isNamePair, pair.weight = true, namePairWeight*min(a.weight, b.weight)
			}
			q.appendTerm(pair)
		}
		before, named = at, isCapitalizedInside(text, token)
	}
}

// isElided reports whether a letter is all that is left of a word, or joins two: "c’è", "a-t-il".
func isElided(text string, token words.Token) bool {
	if len(token.Word) != 1 || token.Word[0] < 'a' || token.Word[0] > 'z' {
		return false
	}
	rest := text[token.End:]
	return strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "’") ||
		strings.HasPrefix(rest, "-") && strings.HasSuffix(text[:token.Start], "-")
}

// barePriceWord stands for what "How much is it?" asks for: no word of that has a meaning of its own.
const barePriceWord = "price"

// addBarePrice adds the price as what a message asks for that asks how much something is, or asks how much and names
// nothing.
func (q *parsedQuestion) addBarePrice(last string) {
	isAlone := words.IsPhrase(last, howMuchPhrases())
	isMeasured := slices.ContainsFunc(q.terms, func(s questionTerm) bool { return s.measure != measureNone })
	isPrice := isAlone || words.ContainsPhrase(last, pricePhrases()) ||
		len(q.terms) == 0 && words.ContainsPhrase(last, howMuchPhrases())
	if isMeasured && !isAlone || !isPrice || q.termIndex(barePriceWord) >= 0 {
		return
	}
	if isAlone {
		q.terms, q.termIndexes = nil, map[string]int{} // without the "viel" of "Wie viel?"
	}
	q.asksBarePrice = len(q.terms) == 0
	q.termIndexes[barePriceWord] = len(q.terms)
	s := q.newTerm(barePriceWord, 1, nil)
	s.measure, s.weight = measurePrice, s.weight*measureWeight
	q.appendTerm(s)
}

// withoutPricePhrases returns a text without spaces between words with a space in place of what asks for its price: the
// characters of that belong to no word beside it.
func withoutPricePhrases(text string) string {
	for _, p := range pricePhrasesUnspaced() {
		text = strings.ReplaceAll(text, p, " ")
	}
	return text
}

// isParticleEnding reports whether a pair of Korean characters ends a word with its particle: "솔은" of "파라솔은".
func (q *parsedQuestion) isParticleEnding(text string, token words.Token) bool {
	last, n := utf8.DecodeLastRuneInString(token.Word)
	if !token.Unspaced || n == len(token.Word) || !unicode.Is(unicode.Hangul, last) || !q.lang.IsStopWord(string(last)) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[token.End:])
	return !unicode.Is(unicode.Hangul, next)
}

// withoutMarks returns the text with a space in place of what ends a part of a sentence.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(",;:?!.，；：？！。、،؟", r) {
			return ' '
		}
		return r
	}, text)
}

// isCapitalizedInside reports whether the word is written with a capital though no sentence begins with it.
func isCapitalizedInside(text string, token words.Token) bool {
	return token.Start > 0 && 'A' <= text[token.Start] && text[token.Start] <= 'Z'
}

func (q *parsedQuestion) newTerm(word string, weight float64, weights map[string]float64) questionTerm {
	w, known := weights[word]
	if !known {
		w = 1
	}
	if isFrameWord(word) {
		w *= frameWordWeight
	}
	s := questionTerm{word: word, stem: q.lang.Stem(word), grams: map[uint64]bool{}, weight: w * weight,
		fromLastMessage: weight == 1}
	s.relatedStems, s.forms = q.lang.Synonyms(s.stem), q.lang.VerbForms(word)
	for _, g := range words.Grams(nil, word) {
		s.grams[g] = true
	}
	return s
}

func (q *parsedQuestion) appendTerm(s questionTerm) {
	q.terms = append(q.terms, s)
	if s.fromLastMessage {
		q.ownWeight += s.weight
	}
}

// termIndex returns the place of a word among the items, -1 if it is none of them.
func (q *parsedQuestion) termIndex(word string) int {
	if at, ok := q.termIndexes[word]; ok {
		return at
	}
	return -1
}

// ownCoverage returns the weight of the question's own words that were found, 0 to 1.
func (q *parsedQuestion) ownCoverage(found []float64) (own float64) {
	for i, s := range q.terms {
		if s.fromLastMessage {
			own += s.weight * found[i]
		}
	}
	return q.shareOfOwnWeight(own)
}

// missingSubject returns how much of what the user's message before is about was not found, 0 to 1, where this message
// refers to it: "and how do I change it?".
func (q *parsedQuestion) missingSubject(found []float64) float64 {
	if !q.isFollowUp || !words.NeedsContext(q.originalText) {
		return 0
	}
	missing, all := 0.0, 0.0
	for i, s := range q.terms {
		if !s.fromLastMessage && !s.isPair {
			missing += s.weight * (1 - found[i])
			all += s.weight
		}
	}
	return missing / max(all, 1e-9)
}

// fullCoverage is ownCoverage with the words of earlier messages.
func (q *parsedQuestion) fullCoverage(found []float64) (sum float64) {
	for i, s := range q.terms {
		sum += s.weight * found[i]
	}
	return q.shareOfOwnWeight(sum)
}

func (q *parsedQuestion) shareOfOwnWeight(sum float64) float64 {
	if q.ownWeight == 0 {
		return 0
	}
	return sum / q.ownWeight
}

// questionForm is what kind of answer a question wants.
type questionForm struct {
	wantsSteps      bool // how to do something
	wantsNumber     bool // a number or a date
	wantsDefinition bool // what something is, or whether it is
	wantsFact       bool // a word or two: when, where, who, how much
	wantsOverview   bool // to be told about something
}

func classifyQuestion(question string) questionForm {
	isFrequency := words.ContainsPhrase(question, oftenPhrases())
	f := questionForm{wantsSteps: words.AsksHow(question) || words.ContainsPhrase(question, stepPhrases()),
		wantsNumber: words.AsksFor(question) != 0 && !isFrequency,
		wantsDefinition: words.ContainsPhrase(question, definitionPhrases()) ||
			strings.HasPrefix(words.Fold(question), "does ")}
	f.wantsOverview = words.ContainsPhrase(question, overviewPhrases())
	f.wantsFact = !f.wantsOverview && !f.wantsSteps && (f.wantsNumber || isFrequency || words.ContainsPhrase(question,
		personPhrases()) || words.ContainsPhrase(question, placePhrases()) || words.ContainsPhrase(question, costPhrases()))
	return f
}

// parseCountedStem returns the stem of what the question asks the number of, empty if it asks for none.
func (q *parsedQuestion) parseCountedStem(question string) string {
	before, asking := "", false
	for token := range words.Tokens(question) {
		switch w := token.Word; {
		case token.Unspaced:
			return ""
		case countingWords()[w] && (before == "how" || before == "wie" || !listContains("many much viele vielen", w)):
			asking = true
		case asking && !q.lang.IsStopWord(w):
			return q.lang.Stem(w)
		}
		before = token.Word
	}
	return ""
}

// negationReach is how many words behind a negation it still speaks of.
const negationReach = 3

// findNegatedTerms returns the subjects that the text denies: those shortly behind a negation.
func (q *parsedQuestion) findNegatedTerms(text string) (denied []int) {
	left := 0
	for token := range words.Tokens(text) {
		if negationWords()[token.Word] {
			left = negationReach
			continue
		}
		if len(token.Word) == 1 && 'a' <= token.Word[0] {
			continue // the end of "don't", and articles
		}
		if left--; left >= 0 {
			for _, l := range q.wordLikeness(token.Word) {
				denied = append(denied, l.termIndex)
			}
		}
	}
	return denied
}

func givesInstruction(text string) bool {
	for token := range words.Tokens(text) {
		return instructionVerbs()[token.Word] || token.Word == "to"
	}
	return false
}

// beginsWithOrder reports whether the text begins with an order, not with what it is for.
func beginsWithOrder(text string) bool {
	for token := range words.Tokens(text) {
		return instructionVerbs()[token.Word]
	}
	return false
}

func (q *parsedQuestion) isOtherLanguage(text string) bool {
	if !q.isLanguageSure {
		return false
	}
	tokens := words.AppendTokens(nil, text)
	lang, isSure := words.GuessLanguage(tokens)
	if !isSure || lang == q.lang || q.isTranslatedTo(lang) {
		return false
	}
	otherCount, ownCount := 0, 0
	for _, token := range tokens {
		if lang.IsStopWord(token.Word) {
			otherCount++
		}
		if q.lang.IsStopWord(token.Word) {
			ownCount++
		}
	}
	return otherCount > 2*ownCount
}
