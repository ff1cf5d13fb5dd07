package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// quoteLimits is how long a quote of sentences grows: as long as the question wants.
type quoteLimits struct {
	targetBytes  int // it takes the next sentence along while it is shorter
	maxSentences int // at most so many more
}

// quoteLimits is little for a fact, and a paragraph for what wants to be told about.
func (t *parsedQuestion) quoteLimits() quoteLimits {
	switch {
	case t.wantsOverview:
		return quoteLimits{targetBytes: 600, maxSentences: 7}
	case t.wantsFact:
		return quoteLimits{targetBytes: shortQuoteBytes / 3, maxSentences: 1}
	}
	return quoteLimits{targetBytes: shortQuoteBytes, maxSentences: 3}
}

// refersBack reports that the sentence refers to the one before it.
func refersBack(sentence string) bool {
	first, _, _ := strings.Cut(sentence, " ")
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	first = strings.ToLower(strings.Trim(first, ",،*_"))
	return backReferenceWords[words.Fold(first)] || refersBackUnspaced(sentence)
}

func refersBackUnspaced(sentence string) bool {
	for _, p := range backReferencesUnspaced {
		if strings.HasPrefix(sentence, p) {
			return true
		}
	}
	return false
}

// backReferenceWords are words that a sentence begins with which does not stand alone, folded. Words that are articles or polite forms as well, such
// as "das" and "Sie", are left out.
var backReferenceWords = newWordSet(`it this these they that those he she however then also otherwise but so its their afterwards therefore
	er es dies dieser diese dieses dabei dadurch danach dann auch jedoch ausserdem andernfalls sonst deshalb daher aber hierfur dafur
	este esta esto estos estas ese esa eso ello ella ellos ademas luego despues tambien entonces pero asi
	il elle ils elles cela ceci cette ces celui ensuite aussi cependant puis sinon mais
	esso essa questo questa questi queste inoltre poi anche pero altrimenti quindi
	ele ela eles elas isto isso este esta alem depois tambem porem entao mas
	dit deze hij zij daarna ook echter anders dus maar
	он она оно они это этот эта эти затем также однако поэтому но
	هذا هذه ذلك تلك هو هي وهو وهي كما ثم لذلك لكن`)

var backReferencesUnspaced = []string{"它", "他们", "她", "这", "该", "此", "那", "然后", "但", "因此", "另外", "これ", "それ", "この", "その", "また", "しかし", "ただし"}

// maxFragmentBytes is how short a line is that says nothing by itself.
const maxFragmentBytes = 60

// contextHeading returns a heading to be said before a quote that does not say what it is about: an item out of a list, a sentence that leans on one
// which is not there, or a few words. Empty where the quote stands alone, or has no heading.
func contextHeading(p *passageLayout, passage model.Passage, u quotableUnit, s excerpt) string {
	text := p.text[s.start:s.end]
	r, _ := utf8.DecodeRuneInString(text)
	item := u.kind == prose.Item && p.blocks[u.firstBlock].Kind == prose.Item && (s.start > p.blocks[u.firstBlock].Start || u.firstBlock > 0 && p.blocks[u.firstBlock-1].Kind == prose.Item)
	short := u.kind == prose.Paragraph && len(text) < maxFragmentBytes && !endsSentence(lastRune(trimTrailingMarkup(text)))
	if !item && !short && (u.kind != prose.Paragraph || !refersBack(text) && !unicode.IsLower(r)) {
		return ""
	}
	if passage.Heading == "" {
		return ""
	}
	parts := headingPath(passage)
	return strings.TrimRight(parts[len(parts)-1], ":：") + ":"
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func endsSentence(c rune) bool { return strings.ContainsRune(".!?。！？…", c) }
