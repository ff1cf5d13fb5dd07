package quote

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// excerpt is a part of a passage's text that is quoted as it is.
type excerpt struct {
	passageIndex int
	start, end   int

	leadStart, leadEnd     int // a sentence above, which says what it is about; both 0 for none
	middleStart, middleEnd int // another one, between these

	heading           string // put before it, and not cited
	continuesPrevious bool   // goes on with what is before it, on the next line
	joint             string // what is between it and what is before it, where that is no end of a line
	note              string // said behind it, and not cited
}

func (e excerpt) separator(first bool) string {
	switch {
	case e.joint != "":
		return e.joint
	case first && e.heading == "":
		return ""
	case first:
		return e.heading + "\n\n"
	case e.heading != "":
		return "\n\n" + e.heading + "\n\n"
	case e.continuesPrevious:
		return "\n"
	}
	return "\n\n"
}

const (
	maxReadPassages   = 12   // so many of the best are read closely
	maxListBytes      = 1500 // bytes
	maxUnitBytes      = 1200
	maxWholeUnitBytes = 6000 // steps, code and rows, which are quoted whole or not at all
	shortUnitBytes    = 48
	shortQuoteBytes   = 220 // a shorter beginning of a Q&A's answer goes on, also where no sentence ends
)

func (q *parsedQuestion) pickExcerpts(passages []model.Passage, pages []passageLayout, best quotableUnit) []excerpt {
	if best.isTableRow {
		return q.excerptRows(pages, best)
	}
	if s, ok := wholeAnswer(passages, pages, best.passageIndex, maxWholeAnswerBytes); ok {
		return []excerpt{s}
	}
	if s, ok := q.beginningOfAnswer(passages, pages, best); ok {
		return []excerpt{s}
	}
	return q.pickSentences(passages, pages, best, false)
}

// maxAnswerBeginning is how much of the long answer of a Q&A is quoted from its beginning on, in bytes.
const maxAnswerBeginning = 700

// beginningOfAnswer returns the beginning of the long answer of a Q&A, where the best unit is in it, or names little of
// the question by itself: such an answer says first what was asked.
func (q *parsedQuestion) beginningOfAnswer(passages []model.Passage, pages []passageLayout,
	best quotableUnit) (excerpt, bool) {
	p, passage := &pages[best.passageIndex], passages[best.passageIndex]
	if !passage.IsQnA || passage.Ordinal > 0 || best.isTableRow || p.blocks[0].Kind != markdown.Paragraph ||
		isPartOfMore(passages, pages, best) {
		return excerpt{}, false
	}
	s := excerpt{passageIndex: best.passageIndex, start: p.blocks[0].Start}
	s.end = p.endOfBeginning(s.start)
	isIn := best.end <= s.end || q.matchedShare(best.ownMatch, q.isSingleWord) < minTopicShare
	return s, s.end > s.start && isIn
}

// endOfBeginning returns the end of what is quoted of a long text from its start on: of a sentence, if one is near.
func (p *passageLayout) endOfBeginning(start int) (end int) {
	for i, u := range p.units {
		if u.end-start > maxAnswerBeginning || i > 0 && u.firstBlock > p.units[i-1].lastBlock+1 {
			break
		}
		if end-start < shortQuoteBytes || u.kind != markdown.Paragraph || endsAsSentence(p.text[u.start:u.end]) {
			end = u.end
		}
	}
	return end
}

// pickSentences quotes what is around the best unit, with a stretch of another passage where that adds much.
func (q *parsedQuestion) pickSentences(passages []model.Passage, pages []passageLayout, best quotableUnit,
	isDoubtful bool) []excerpt {
	first := q.excerptAround(&pages[best.passageIndex], best)
	picked := q.wholeExcerpts(passages, pages, best, first)
	if len(picked) > 1 {
		return picked
	}
	if s, ok := q.beginningOfSection(passages, pages, best, picked[0], isDoubtful); ok {
		picked[0] = s
	} else {
		picked[0].heading = contextHeading(&pages[best.passageIndex], passages[best.passageIndex], best, picked[0])
	}
	if more := q.secondExcerpt(passages, pages, best, picked[0]); more != nil {
		picked = append(picked, *more)
	}
	return picked
}

// The answer of a Q&A was written for its questions: it is quoted as it is, unless it is long.
const (
	maxWholeAnswerBytes    = 1000
	maxDoubtfulAnswerBytes = 600 // where the answer is in doubt
)

// wholeAnswer returns all of the passage where it is the answer of a Q&A.
func wholeAnswer(passages []model.Passage, pages []passageLayout, i, limit int) (excerpt, bool) {
	p, text := passages[i], strings.TrimRight(passages[i].Text, " \t\r\n")
	s := excerpt{passageIndex: i, start: leadingSpace(text), end: len(text)}
	if next, _ := followingPassage(passages, i); !p.IsQnA || p.Ordinal > 0 || next >= 0 || s.end-s.start > limit ||
		pages[i].openFence != "" {
		return excerpt{}, false
	}
	return s, true
}

// layOutPassages lays out the passages that are read closely, as many as there is time for until ctx ends.
func (q *parsedQuestion) layOutPassages(ctx context.Context, passages []model.Passage) (pages []passageLayout) {
	for i := range passages[:min(maxReadPassages, len(passages))] {
		if ctx.Err() != nil {
			break
		}
		pages = append(pages, q.layOutPassage(passages[:min(maxReadPassages, len(passages))], i))
	}
	dropHeadlessSteps(passages, pages)
	return pages
}

func bestUnit(pages []passageLayout) (best quotableUnit) {
	for _, p := range pages {
		for _, u := range p.units {
			if u.score > best.score {
				best = u
			}
		}
	}
	return best
}

// firstOfSubject returns the unit to begin with where the question is for a subject as such, "can I use embeddings?",
// and the headings of several passages of one source name it: what comes first there introduces it.
func (q *parsedQuestion) firstOfSubject(passages []model.Passage, pages []passageLayout,
	best quotableUnit) quotableUnit {
	if best.score == 0 || q.contentWordCount() != 1 || q.wantsFact || q.wantsSteps || q.wantsList || q.isFollowUp {
		return best
	}
	from := passages[best.passageIndex]
	for i := range pages {
		p := passages[i]
		if p.SourceID != from.SourceID || p.Ordinal >= from.Ordinal ||
			q.matchedShare(pages[i].titleMatch, q.isSingleWord) < minNamedStrength {
			continue
		}
		if first := bestUnit(pages[i : i+1]); first.score > 0 {
			best, from = first, p
		}
	}
	return best
}

// A second quote is worth its place only where it holds much of the question that the first does not, and does not fall
// far behind it otherwise.
const (
	minAddedShare       = 0.25 // of the weight of the question's words
	minSecondScoreShare = 0.6  // of the best score
)

// secondExcerpt adds a stretch of another passage that speaks of what the first leaves out.
func (q *parsedQuestion) secondExcerpt(passages []model.Passage, pages []passageLayout, best quotableUnit,
	first excerpt) *excerpt {
	if len(q.negatedTerms) > 0 {
		return nil // it would most likely speak of the opposite
	}
	p := &pages[first.passageIndex]
	firstMatch := mergeMatches(p.titleMatch,
		q.matchText(p.text[first.start:first.end]+"\n"+pages[best.passageIndex].surroundings(best)))
	var more quotableUnit
	for i, p := range pages {
		for _, u := range p.units {
			if i != first.passageIndex && !isPartOfMore(passages, pages, u) &&
				u.score > max(more.score, minSecondScoreShare*best.score) &&
				q.addedShare(firstMatch, u.ownMatch) >= minAddedShare && !refersBack(p.text[u.start:u.end]) {
				more = u
			}
		}
	}
	if more.score == 0 || more.isTableRow {
		return nil
	}
	s := q.excerptAround(&pages[more.passageIndex], more)
	one, two := pages[first.passageIndex].text[first.start:first.end], pages[s.passageIndex].text[s.start:s.end]
	if len(one)+len(two) > maxListBytes || isSimilarText(one, two) {
		return nil
	}
	return &s
}

// An answer in doubt may offer two quotes, where the second is about as near as the first.
const (
	minOtherScoreShare = 0.6 // of the best score, the places in the search aside
	maxOtherRank       = 4
	maxDoubtfulBytes   = 1200 // of both
)

// pickDoubtful returns what an answer in doubt quotes, each below what it is about.
func (q *parsedQuestion) pickDoubtful(passages []model.Passage, pages []passageLayout, best quotableUnit) []excerpt {
	q.isInDoubt = true
	picked := q.pickNear(passages, pages, best)
	for i := range picked {
		if !picked[i].continuesPrevious && picked[i].joint == "" {
			picked[i].heading = q.nearestHeading(passages[picked[i].passageIndex])
		}
	}
	if len(picked) > 1 {
		return picked
	}
	if passage := passages[best.passageIndex]; !passage.IsQnA && isUnderQuestion(passage) &&
		q.namedShare(&pages[best.passageIndex], best) >= minOtherShare {
		return picked // it answers a question that is near enough
	}
	other := q.nearestOther(passages, pages, best)
	if other.score == 0 {
		return picked
	}
	s, ok := wholeAnswer(passages, pages, other.passageIndex, maxDoubtfulAnswerBytes)
	if !ok {
		s = q.excerptAround(&pages[other.passageIndex], other)
	}
	first := picked[0]
	one, two := pages[first.passageIndex].text[first.start:first.end], pages[s.passageIndex].text[s.start:s.end]
	if len(one)+len(two) > maxDoubtfulBytes || isSimilarText(one, two) {
		return picked
	}
	s.heading = q.nearestHeading(passages[s.passageIndex])
	if two := passages[s.passageIndex]; two.IsQnA &&
		askedLikeness(&two) >= nearerFirst*askedLikeness(&passages[first.passageIndex]) {
		return []excerpt{s, first}
	}
	return append(picked, s)
}

// nearerFirst is how much nearer the question of the second quote is than that of the first where it is said before it.
const nearerFirst = 1.25

// askedLikeness returns how like the question those are that the passage answers.
func askedLikeness(p *model.Passage) float64 {
	signals := effectiveSignals(p)
	return signals.Title + signals.Asked
}

// pickNear is pickExcerpts with shorter answers of a Q&A.
func (q *parsedQuestion) pickNear(passages []model.Passage, pages []passageLayout, best quotableUnit) []excerpt {
	if s, ok := wholeAnswer(passages, pages, best.passageIndex, maxDoubtfulAnswerBytes); ok && !best.isTableRow {
		return []excerpt{s}
	}
	if best.isTableRow {
		return q.excerptRows(pages, best)
	}
	if s, ok := q.beginningOfAnswer(passages, pages, best); ok {
		return []excerpt{s}
	}
	return q.pickSentences(passages, pages, best, true)
}

// nearestOther returns the unit of another passage, under another heading, that is nearest; without a score for none.
func (q *parsedQuestion) nearestOther(passages []model.Passage, pages []passageLayout,
	best quotableUnit) (other quotableUnit) {
	minScore := minOtherScoreShare * best.score / rankWeight(best.passageIndex)
	for i := range pages[:min(len(pages), maxOtherRank)] {
		if h := passages[i].Heading; i == best.passageIndex || h != "" && h == passages[best.passageIndex].Heading {
			continue
		}
		for _, u := range pages[i].units {
			if score := u.score / rankWeight(i); score > minScore && !u.isTableRow && !u.ordered &&
				!isPartOfMore(passages, pages, u) && !isMostlyAddresses(pages[i].text[u.start:u.end]) && !pages[i].isTitle(u) &&
				q.isAsNear(passages, pages, best, u) {
				other, minScore = u, score
			}
		}
	}
	return other
}

// A second quote in an answer in doubt holds so much of the question, and hardly less than the first.
const (
	minOtherShare  = 0.5
	nearOtherShare = 0.85
)

// isAsNear reports whether another unit is about as much of the question as the best. Among Q&As the question that is
// answered must be nearer than that of the best: what the answers name says little.
func (q *parsedQuestion) isAsNear(passages []model.Passage, pages []passageLayout, best, other quotableUnit) bool {
	one, two := &passages[best.passageIndex], &passages[other.passageIndex]
	if one.IsQnA && two.IsQnA {
		return askedLikeness(two) > askedLikeness(one)
	}
	return q.namedShare(&pages[other.passageIndex], other) >= max(minOtherShare,
		nearOtherShare*q.namedShare(&pages[best.passageIndex], best))
}

// namedShare returns how much of the question the unit names with the headings above it, 0 to 1.
func (q *parsedQuestion) namedShare(p *passageLayout, u quotableUnit) float64 {
	return q.matchedShare(mergeMatches(p.titleMatch, u.ownMatch), q.isSingleWord)
}

// nearestHeading returns what the passage is about, to be said before a quote of it; empty if nothing tells.
func (q *parsedQuestion) nearestHeading(p model.Passage) string {
	parts := headingPath(p)
	if p.Heading == "" || len(parts) == 0 {
		return ""
	}
	if p.IsQnA {
		return q.nearestTopic(p, parts)
	}
	return withColon(parts[len(parts)-1])
}

// addedShare returns the weight of the message's words that more matches and the other does not, 0 to 1.
func (q *parsedQuestion) addedShare(matched, more []float64) (sum float64) {
	for i, s := range q.terms {
		if s.fromLastMessage {
			sum += s.weight * max(0, more[i]-matched[i])
		}
	}
	return sum / max(q.ownWeight, 1e-9)
}

func isSimilarText(a, b string) bool {
	in := map[string]bool{}
	for token := range words.Tokens(a) {
		in[token.Word] = true
	}
	common, all := 0, 0
	for token := range words.Tokens(b) {
		all++
		if in[token.Word] {
			common++
		}
	}
	return 2*common > all
}

// maxFragmentBytes is how short a line is that says nothing by itself.
const maxFragmentBytes = 60

// contextHeading returns a heading to be said before a quote that does not say what it is about: an item out of a list,
// a sentence that refers to one which is missing, or a few words. Empty where the quote stands alone, or has no
// heading.
func contextHeading(p *passageLayout, passage model.Passage, u quotableUnit, s excerpt) string {
	text := p.text[s.start:s.end]
	r, _ := utf8.DecodeRuneInString(text)
	item := u.kind == markdown.Item && p.blocks[u.firstBlock].Kind == markdown.Item &&
		(s.start > p.blocks[u.firstBlock].Start || u.firstBlock > 0 && p.blocks[u.firstBlock-1].Kind == markdown.Item)
	short := u.kind == markdown.Paragraph && len(text) < maxFragmentBytes &&
		!endsSentence(lastRune(trimTrailingMarkup(text)))
	if s.leadEnd > 0 || !item && !short && (u.kind != markdown.Paragraph || !refersBack(text) && !unicode.IsLower(r)) {
		return ""
	}
	parts := headingPath(passage)
	if passage.Heading == "" || passage.IsQnA || len(parts) == 0 {
		return ""
	}
	return withColon(parts[len(parts)-1])
}

// withColon returns the heading as it is put before what it is about.
func withColon(heading string) string {
	heading = strings.TrimRight(heading, ":：")
	if endsSentence(lastRune(heading)) || strings.HasSuffix(heading, "؟") {
		return heading
	}
	return heading + ":"
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func endsSentence(c rune) bool { return strings.ContainsRune(".!?。！？…", c) }
