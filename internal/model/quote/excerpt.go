package quote

import (
	"context"
	"slices"
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

	heading           string // put before it, and not cited
	continuesPrevious bool   // goes on with what is before it, on the next line
}

func (e excerpt) separator(first bool) string {
	switch {
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
	shortQuoteBytes   = 220 // a shorter quote is continued with the next sentence
)

func (q *parsedQuestion) pickExcerpts(passages []model.Passage, pages []passageLayout, best quotableUnit) []excerpt {
	if best.isTableRow {
		return q.excerptRows(pages, best)
	}
	first := q.excerptAround(&pages[best.passageIndex], best)
	picked := procedureExcerpts(passages, pages, best, first)
	if len(picked) > 1 {
		return picked
	}
	picked[0].heading = contextHeading(&pages[best.passageIndex], passages[best.passageIndex], best, first)
	if more := q.secondExcerpt(pages, best, first); more != nil {
		picked = append(picked, *more)
	}
	return picked
}

// layOutPassages lays out the passages that are read closely, as many as there is time for until ctx ends.
func (q *parsedQuestion) layOutPassages(ctx context.Context, passages []model.Passage) (pages []passageLayout) {
	for i, p := range passages[:min(maxReadPassages, len(passages))] {
		if ctx.Err() != nil {
			break
		}
		pages = append(pages, q.layOutPassage(i, p))
	}
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
func (q *parsedQuestion) secondExcerpt(pages []passageLayout, best quotableUnit, first excerpt) *excerpt {
	if len(q.negatedTerms) > 0 {
		return nil // it would most likely speak of the opposite
	}
	firstMatch := mergeMatches(pages[first.passageIndex].titleMatch,
		q.matchText(pages[first.passageIndex].text[first.start:first.end]))
	var more quotableUnit
	for i, p := range pages {
		for _, u := range p.units {
			if i != first.passageIndex && u.score > max(more.score, minSecondScoreShare*best.score) &&
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
	picked := q.pickExcerpts(passages, pages, best)
	for i := range picked {
		if !picked[i].continuesPrevious {
			picked[i].heading = q.nearestHeading(passages[picked[i].passageIndex])
		}
	}
	if len(picked) > 1 {
		return picked
	}
	other := q.nearestOther(passages, pages, best)
	if other.score == 0 {
		return picked
	}
	s := q.excerptAround(&pages[other.passageIndex], other)
	one, two := pages[best.passageIndex].text[picked[0].start:picked[0].end], pages[s.passageIndex].text[s.start:s.end]
	if len(one)+len(two) > maxDoubtfulBytes || isSimilarText(one, two) {
		return picked
	}
	s.heading = q.nearestHeading(passages[s.passageIndex])
	return append(picked, s)
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
			if score := u.score / rankWeight(i); score > minScore && !u.isTableRow && !u.ordered {
				other, minScore = u, score
			}
		}
	}
	return other
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

// quoteLimits is how long a quote of sentences grows: as long as the question wants.
type quoteLimits struct {
	targetBytes  int // the next sentence is added while it is shorter
	maxSentences int // at most so many more

	addsNeighbours bool // the sentences beside the chosen one are added, whatever its length
	addsSecond     bool // and one more
}

// quoteLimits is little for a fact, and a paragraph for an overview.
func (q *parsedQuestion) quoteLimits() quoteLimits {
	switch {
	case q.wantsOverview:
		return quoteLimits{targetBytes: 600, maxSentences: 7}
	case q.wantsFact:
		return quoteLimits{targetBytes: shortQuoteBytes / 3, maxSentences: 1}
	}
	return quoteLimits{targetBytes: shortQuoteBytes, maxSentences: 3}
}

func refersBack(sentence string) bool {
	first, _, _ := strings.Cut(sentence, " ")
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	first = strings.ToLower(strings.Trim(first, ",،*_"))
	return backReferenceWords[words.Fold(first)] || slices.ContainsFunc(backReferencesUnspaced, func(p string) bool {
		return strings.HasPrefix(sentence, p)
	})
}

// backReferenceWords are words that a sentence which depends on the one before begins with, folded. Words that are
// articles or polite forms as well, such as "das" and "Sie", are left out.
var backReferenceWords = words.NewSet(`it this these they that those he she however then also otherwise but so its
	their afterwards therefore er es dies dieser diese dieses dabei dadurch danach dann auch jedoch ausserdem
	andernfalls sonst deshalb daher aber hierfur dafur este esta esto estos estas ese esa eso ello ella ellos ademas
	luego despues tambien entonces pero asi il elle ils elles cela ceci cette ces celui ensuite aussi cependant puis
	sinon mais esso essa questo questa questi queste inoltre poi anche pero altrimenti quindi ele ela eles elas isto
	isso este esta alem depois tambem porem entao mas dit deze hij zij daarna ook echter anders dus maar он она оно они
	это этот эта эти затем также однако поэтому но هذا هذه ذلك تلك هو هي وهو وهي كما ثم لذلك لكن`)

var backReferencesUnspaced = []string{"它", "他们", "她", "这", "该", "此", "那", "然后", "但", "因此", "另外", "これ", "それ", "この", "その",
	"また", "しかし", "ただし"}

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
	if !item && !short && (u.kind != markdown.Paragraph || !refersBack(text) && !unicode.IsLower(r)) {
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
