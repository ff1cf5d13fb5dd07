package quote

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/words"
)

// answerSign is a sign by which sentence i of a paragraph answers.
type answerSign struct {
	name string
	of   func(c *paragraphMatch, i int) float64
}

// answerSigns are the signs that have a weight.
var answerSigns = []answerSign{
	{"named", func(c *paragraphMatch, i int) float64 { return c.share(i, false) }},
	{"named alone", func(c *paragraphMatch, i int) float64 { return c.share(i, true) }},
	{"named of all words", func(c *paragraphMatch, i int) float64 {
		return c.matchedShare(c.units[i].meantMatch, c.isSingleWord)
	}},
	{"words as they are written", func(c *paragraphMatch, i int) float64 { return c.tokens[i] }},
	{"number of the question", (*paragraphMatch).hasAskedNumber},
	// pairs of characters are common to more sentences than words are
	{"named alone without spaces", func(c *paragraphMatch, i int) float64 {
		return boolToFloat(c.isUnspaced()) * c.share(i, true)
	}},
	{"stretches of letters without spaces", func(c *paragraphMatch, i int) float64 {
		return boolToFloat(c.isUnspaced()) * c.grams[i]
	}},
	{"rarest word without spaces", func(c *paragraphMatch, i int) float64 {
		return boolToFloat(c.isUnspaced()) * c.rarestShare(i)
	}},
	{"named close together", func(c *paragraphMatch, i int) float64 { return c.closeShare(c.contents[i]) }},
	{"named by the rarest word", (*paragraphMatch).rarestShare},
	{"stretches of letters", func(c *paragraphMatch, i int) float64 { return c.grams[i] }},
	{"meant", (*paragraphMatch).meantShare},
	{"score", (*paragraphMatch).scoreShare},
	{"named behind", func(c *paragraphMatch, i int) float64 { return c.share(i+1, false) }},
	{"refers back", (*paragraphMatch).refersBack},
	{"refers to the score", func(c *paragraphMatch, i int) float64 { return c.scoreShare(i-1) * c.refersBack(i) }},
	{"refers to the best", func(c *paragraphMatch, i int) float64 { return c.isBest(i-1) * c.refersBack(i) }},
	{"follows the best", func(c *paragraphMatch, i int) float64 { return c.isBest(i - 1) }},
	{"best", (*paragraphMatch).isBest},
	{"number", (*paragraphMatch).numberFit},
	{"number near what is named", func(c *paragraphMatch, i int) float64 {
		return boolToFloat(c.wantsNumber) * c.nearNumberShare(c.contents[i])
	}},
	{"counted", func(c *paragraphMatch, i int) float64 {
		return boolToFloat(c.countedStem != "" && !c.lacksCount(c.contents[i].text))
	}},
	{"amount", func(c *paragraphMatch, i int) float64 { return boolToFloat(c.unitHasAmount(c.units[i])) }},
	{"time", func(c *paragraphMatch, i int) float64 { return fitOf(c.asksTime, c.contents[i].hasTime) }},
	{"person", func(c *paragraphMatch, i int) float64 { return fitOf(c.asksPerson, c.contents[i].names > 0) }},
	{"place", func(c *paragraphMatch, i int) float64 { return fitOf(c.asksPlace, c.contents[i].names > 0) }},
	{"new words", func(c *paragraphMatch, i int) float64 { return math.Log(float64(c.contents[i].fresh+1) / 10) }},
	{"share of new words", func(c *paragraphMatch, i int) float64 {
		return float64(c.contents[i].fresh) / float64(c.contents[i].words+1)
	}},
}

// signsOfSentences returns the signs of the sentences of a paragraph.
func (q *parsedQuestion) signsOfSentences(p *passageLayout, units []quotableUnit) [][]float64 {
	c := q.newParagraphMatch(p, units)
	all := make([][]float64, len(units))
	for i := range units {
		for _, s := range answerSigns {
			all[i] = append(all[i], s.of(c, i))
		}
	}
	return all
}

// fitOf returns 1 for what is asked for and there, -1 for what is asked for and missing.
func fitOf(isAsked, isThere bool) float64 {
	if !isAsked {
		return 0
	}
	return 2*boolToFloat(isThere) - 1
}

// sentenceContent is what a sentence has beside the words of the question.
type sentenceContent struct {
	text                string
	content             []contentWord
	words, fresh, names int // all words; those that the question lacks; those of these that are names
	hasNumber, hasTime  bool
}

// contentWord is a word of a sentence that has a meaning.
type contentWord struct {
	likeness []termLikeness
	isNumber bool
}

func (q *parsedQuestion) readSentence(text string) (c sentenceContent) {
	c.text = text
	for token := range words.Tokens(text) {
		c.words++
		isNumber := q.isNewNumber(token.Word)
		c.hasNumber = c.hasNumber || isNumber
		c.hasTime = c.hasTime || isNumber && words.KindOf(token.Word)&words.Time != 0
		if q.isPassedOver(token.Word) {
			continue
		}
		w := contentWord{likeness: q.wordLikeness(token.Word), isNumber: isNumber}
		if len(w.likeness) == 0 {
			c.fresh++
			if r, _ := utf8.DecodeRuneInString(text[token.Start:]); unicode.IsUpper(r) && token.Start > 0 {
				c.names++
			}
		}
		c.content = append(c.content, w)
	}
	return c
}

// paragraphMatch is how the sentences of a paragraph match the question, beside each other.
type paragraphMatch struct {
	*parsedQuestion
	layout       *passageLayout
	units        []quotableUnit
	contents     []sentenceContent
	highest, sum []float64 // of each term: the best match in a sentence, and that of all
	top          float64   // the best score

	grams, tokens        []float64 // commonShares of the sentences
	asksTime, asksPerson bool
}

func (q *parsedQuestion) newParagraphMatch(p *passageLayout, units []quotableUnit) *paragraphMatch {
	c := &paragraphMatch{parsedQuestion: q, layout: p, units: units, top: 1e-9,
		highest: make([]float64, len(q.terms)), sum: make([]float64, len(q.terms)),
		asksTime:   words.AsksFor(q.originalText)&words.Time != 0,
		asksPerson: words.ContainsPhrase(q.originalText, personPhrases())}
	for _, u := range units {
		c.contents = append(c.contents, q.readSentence(p.text[u.start:u.end]))
		for i, v := range u.ownMatch {
			c.highest[i] = max(c.highest[i], v)
			c.sum[i] += v
		}
		c.top = max(c.top, u.score)
	}
	c.grams, c.tokens = commonShares(c, c.gramsOf), commonShares(c, tokensOf)
	return c
}

// sumOf returns the weight of the terms that the values hold, against what the paragraph holds of them.
func (c *paragraphMatch) sumOf(value func(term int) float64) float64 {
	some, all := 0.0, 1e-9
	for i, s := range c.terms {
		if s.fromLastMessage && !s.isPair {
			some += s.weight * value(i)
			all += s.weight * c.highest[i]
		}
	}
	return some / all
}

// share returns how much of the question the sentence names; of what several name only its part where it shall be
// alone.
func (c *paragraphMatch) share(i int, isAlone bool) float64 {
	if i < 0 || i >= len(c.units) {
		return 0
	}
	return c.sumOf(func(term int) float64 {
		v := c.units[i].ownMatch[term]
		if isAlone {
			v *= v / max(c.sum[term], 1e-9)
		}
		return v
	})
}

// meantShare is share with what the sentence refers to.
func (c *paragraphMatch) meantShare(i int) float64 {
	return c.sumOf(func(term int) float64 { return c.units[i].meantMatch[term] })
}

// scoreShare returns the score of the sentence against the best of the paragraph.
func (c *paragraphMatch) scoreShare(i int) float64 {
	if i < 0 {
		return 0
	}
	return c.units[i].score / c.top
}

// gramsOf returns the stretches of characters of the words that have a meaning.
func (q *parsedQuestion) gramsOf(text string) (all []uint64) {
	for token := range words.Tokens(text) {
		if !q.isPassedOver(token.Word) {
			all = words.Grams(all, token.Word)
		}
	}
	return all
}

// tokensOf returns all words as they are written, without capitals and accents.
func tokensOf(text string) (all []string) {
	for token := range words.Tokens(text) {
		all = append(all, token.Word)
	}
	return all
}

// commonShares returns how much of the parts that the question and the paragraph have in common each sentence has; what
// few sentences have counts more.
func commonShares[T cmp.Ordered](c *paragraphMatch, partsOf func(text string) []T) []float64 {
	own := make([]map[T]bool, len(c.units))
	for i, s := range c.contents {
		own[i] = map[T]bool{}
		for _, part := range partsOf(s.text) {
			own[i][part] = true
		}
	}
	questionParts := partsOf(c.originalText)
	slices.Sort(questionParts)
	shares, all := make([]float64, len(c.units)), 1e-9
	for _, part := range slices.Compact(questionParts) {
		all += addPart(shares, own, part)
	}
	for i := range shares {
		shares[i] /= all
	}
	return shares
}

// addPart adds to the sentences that have a part what it counts, and returns that; 0 if none has it.
func addPart[T cmp.Ordered](shares []float64, own []map[T]bool, part T) float64 {
	n := 0
	for i := range own {
		n += int(boolToFloat(own[i][part]))
	}
	if n == 0 {
		return 0
	}
	weight := math.Log(float64(len(own)+1) / float64(n))
	for i := range own {
		shares[i] += weight * boolToFloat(own[i][part])
	}
	return weight
}

// closeWords is how many words with a meaning are close together.
const closeWords = 7

// closeShare returns how much of the question is close together in the sentence.
func (c *paragraphMatch) closeShare(s sentenceContent) (top float64) {
	for i := range s.content {
		top = max(top, c.shareOfWords(s.content[i:min(len(s.content), i+closeWords)]))
	}
	return top
}

// nearNumberShare returns how much of the question is close to a number of the sentence.
func (c *paragraphMatch) nearNumberShare(s sentenceContent) (top float64) {
	for i, w := range s.content {
		if w.isNumber {
			from, to := max(0, i-closeWords/2), min(len(s.content), i+closeWords/2+1)
			top = max(top, c.shareOfWords(s.content[from:to]))
		}
	}
	return top
}

// shareOfWords returns how much of the question the words name.
func (c *paragraphMatch) shareOfWords(list []contentWord) float64 {
	found := make([]float64, len(c.terms))
	for _, w := range list {
		for _, l := range w.likeness {
			found[l.termIndex] = max(found[l.termIndex], l.strength)
		}
	}
	return c.sumOf(func(term int) float64 { return found[term] })
}

// rarestShare returns how surely the sentence alone has the weightiest word of the question that not all have.
func (c *paragraphMatch) rarestShare(i int) (top float64) {
	highest := 1e-9
	for k, s := range c.terms {
		if s.fromLastMessage && !s.isPair && c.highest[k] > 0 {
			rare := s.weight * c.highest[k] * c.highest[k] / c.sum[k]
			own := s.weight * c.units[i].ownMatch[k] * c.units[i].ownMatch[k] / c.sum[k]
			highest, top = max(highest, rare), max(top, own)
		}
	}
	return top / highest
}

// hasAskedNumber returns 1 for a sentence with a number that the question names.
func (c *paragraphMatch) hasAskedNumber(i int) float64 {
	return boolToFloat(slices.ContainsFunc(tokensOf(c.contents[i].text), func(word string) bool {
		return strings.ContainsAny(word, "0123456789") && c.termIndex(word) >= 0
	}))
}

// isBest returns 1 for the sentence with the best score.
func (c *paragraphMatch) isBest(i int) float64 {
	return boolToFloat(i >= 0 && c.units[i].score == c.top)
}

// refersBack returns 1 for a sentence that says little without the one before it.
func (c *paragraphMatch) refersBack(i int) float64 {
	return boolToFloat(i < len(c.units) && refersBack(c.layout.text[c.units[i].start:c.units[i].end]))
}

func (c *paragraphMatch) numberFit(i int) float64 {
	return fitOf(c.wantsNumber, c.contents[i].hasNumber)
}
