package quote

import (
	"slices"
	"strings"

	"parley/internal/text/words"
)

// recountsPast reports whether the sentence tells of something that was done or said, that the speaker would hate to
// do, or that they take back at once, rather than to ask for it.
func (s *parsedSentence) recountsPast(t *trigger, m triggerMatch) bool {
	first, last := m.wordIndexes[0], m.wordIndexes[len(m.wordIndexes)-1]
	if s.tokens[first].Unspaced || s.tokens[last].Unspaced {
		return s.recountsPastUnspaced(t, first, last)
	}
	from := s.clauseStart(first)
	for i := from; i < first; i++ {
		if (s.beginsWithPhrase(i, min(first, i+3), pastPhrases) || s.isDislike(i, first) || s.isReportedSpeech(i, m.wordIndexes)) &&
			!s.hasWishWord(i, first) {
			return true
		}
	}
	return s.isQuotation(m.wordIndexes) || s.isAfterDislike(from) && !s.hasWishWord(from, first) ||
		s.isGermanPastInfinitive(from, last) || s.isRetracted(last)
}

// hasWishWord reports whether there is a word between the two that asks for something after all.
func (s *parsedSentence) hasWishWord(i, first int) bool {
	return slices.ContainsFunc(s.tokens[min(i+1, first):first], func(h sentenceWord) bool { return wishWords[h.Word] })
}

var wishWords = words.NewSet(`want wanna please pls let lets gimme connect transfer bitte will mochte wurde konnen quiero
	quisiera veux voudrais vorrei voglio quero`)

// pastPhrases put what follows into the past or attribute it to somebody: "was told to", "j'ai fait".
var pastPhrases = func() (all []string) {
	for be := range strings.FieldsSeq("was were been got being") {
		for done := range strings.FieldsSeq("told asked advised instructed forced supposed going about planning made") {
			all = append(all, be+" "+done+" to")
		}
	}
	return append(all, "had to", "used to", "ai fait", "as fait", "a fait", "avons fait", "avez fait", "ont fait",
		"viens de", "viens d", "vient de", "vient d",
		"ho fatto", "ha fatto", "abbiamo fatto", "hanno fatto", "ho appena", "he hecho", "ha hecho", "hemos hecho",
		"han hecho", "acabo de", "acaba de", "acabei de",
		"mandei", "لقد", "قد", "سبق")
}()

// isDislike reports whether the speaker would rather not do what follows.
func (s *parsedSentence) isDislike(i, first int) bool {
	switch w := s.tokens[i].Word; {
	case dislikeVerbs[w]:
		return true
	case !listContains("hate hates hated dislike loathe detest despise dread", w):
		return false
	case i+1 == first:
		return true
	default:
		next := s.tokens[i+1].Word
		return listContains("to having being when that it", next) || strings.HasSuffix(next, "ing")
	}
}

// isAfterDislike reports whether the clause before ends in such a verb: "Ich hasse es, …".
func (s *parsedSentence) isAfterDislike(from int) bool {
	end := from - 1
	if end > 0 && s.tokens[end].Word == "es" {
		end--
	}
	return end >= 0 && dislikeVerbs[s.tokens[end].Word] && s.tokens[end].clauseIndex == s.tokens[from].clauseIndex-1
}

var dislikeVerbs = words.NewSet(`hasse hassen odio detesto odiaria detestaria deteste detestons odeio haat اكره`)

// isGermanPastInfinitive reports whether the clause is a German past with the infinitive: "hat … stornieren lassen".
func (s *parsedSentence) isGermanPastInfinitive(from, last int) bool {
	if last+1 >= len(s.tokens) || !listContains("lassen wollen sollen mussen konnen durfen", s.tokens[last+1].Word) {
		return false
	}
	for i := from; i < last; i++ {
		if listContains("habe hab hat haben hast habt hatte hatten", s.rawWord(i)) && !s.hasWishWord(i, last) {
			return true
		}
	}
	return false
}

// isRetracted reports whether the sentence goes on to take the wish back: "… but I changed my mind".
func (s *parsedSentence) isRetracted(last int) bool {
	for i := last + 1; i < len(s.tokens); i++ {
		if !contrastWords[s.tokens[i].Word] {
			continue
		}
		rest := " " + strings.Join(splitWords(s.text[s.tokens[i].End:s.end]), " ") + " "
		if isCancellation(rest) || slices.ContainsFunc(changedMindPhrases, func(p string) bool {
			return strings.Contains(rest, " "+p+" ")
		}) {
			return true
		}
	}
	return false
}

var changedMindPhrases = []string{"changed my mind", "changed our mind", "changed our minds", "anders uberlegt",
	"cambiado de opinion", "cambiado de idea", "change d avis", "cambiato idea", "mudei de ideia", "bedacht"}

// recountsPastUnspaced is recountsPast where words are not separated.
func (s *parsedSentence) recountsPastUnspaced(t *trigger, first, last int) bool {
	from := s.clauseStart(first)
	before := s.text[s.tokens[from].Start:s.tokens[first].Start]
	inside, after := s.text[s.tokens[first].Start:s.tokens[last].End], s.text[s.tokens[last].End:s.end]
	if i := strings.IndexAny(after, "、，,；。"); i >= 0 {
		after = after[:i]
	}
	past := containsAny(before, "他说", "她说", "们说", "听说", "据说", "被告知", "讨厌", "害怕", "拒绝", "已经", "已經", "曾经", "刚刚", "刚才", "早就") ||
		containsAny(inside, "了", "过") && !containsAny(t.text, "了", "过") || containsAny(before, "我") && endsInChinesePast(after)
	if past && !containsAny(before, "请", "帮", "想", "要", "麻烦", "給", "给我") {
		return true
	}
	return endsInJapanesePast(after)
}

// endsInChinesePast reports whether a Chinese sentence ends as one about the past.
func endsInChinesePast(after string) bool {
	after = strings.TrimRight(after, " 。！!.?？\n")
	return strings.HasSuffix(after, "了") && !strings.HasSuffix(after, "好了") && !strings.HasSuffix(after, "算了")
}

// endsInJapanesePast reports whether a Japanese sentence ends in the past.
func endsInJapanesePast(after string) bool {
	after = strings.ReplaceAll(strings.TrimSpace(after), "ましたら", "")
	for _, end := range []string{"済", "ずみ", "された", "していた", "してもらった", "してしまった", "してた"} {
		if strings.HasPrefix(after, end) {
			return true
		}
	}
	plain := strings.HasPrefix(after, "した") && !strings.HasPrefix(after, "したい") && !strings.HasPrefix(after, "したく")
	return plain || strings.Contains(after, "ました")
}
