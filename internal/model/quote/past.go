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
		if (s.beginsWithPhrase(i, min(first, i+3), pastPhrases()) || s.isDislike(i, first) ||
			s.isReportedSpeech(i, m.wordIndexes)) &&
			!s.hasWishWord(i, first) {
			return true
		}
	}
	return s.isQuotation(m.wordIndexes) || s.isAfterDislike(from) && !s.hasWishWord(from, first) ||
		s.isGermanPastInfinitive(from, last) || s.isRetracted(last)
}

// hasWishWord reports whether there is a word between the two that asks for something after all.
func (s *parsedSentence) hasWishWord(i, first int) bool {
	return slices.ContainsFunc(s.tokens[min(i+1, first):first], func(h sentenceWord) bool { return wishWords()[h.Word] })
}

// isDislike reports whether the speaker would rather not do what follows.
func (s *parsedSentence) isDislike(i, first int) bool {
	switch w := s.tokens[i].Word; {
	case dislikeVerbs()[w]:
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
	return end >= 0 && dislikeVerbs()[s.tokens[end].Word] && s.tokens[end].clauseIndex == s.tokens[from].clauseIndex-1
}

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
		if !contrastWords()[s.tokens[i].Word] {
			continue
		}
		rest := " " + strings.Join(splitWords(s.text[s.tokens[i].End:s.end]), " ") + " "
		if isCancellation(rest) || slices.ContainsFunc(changedMindPhrases(), func(p string) bool {
			return strings.Contains(rest, " "+p+" ")
		}) {
			return true
		}
	}
	return false
}

// recountsPastUnspaced is recountsPast where words are not separated.
func (s *parsedSentence) recountsPastUnspaced(t *trigger, first, last int) bool {
	from := s.clauseStart(first)
	before := s.text[s.tokens[from].Start:s.tokens[first].Start]
	inside, after := s.text[s.tokens[first].Start:s.tokens[last].End], s.text[s.tokens[last].End:s.end]
	if i := strings.IndexAny(after, "、，,；。"); i >= 0 {
		after = after[:i]
	}
	past := containsAny(before, "他说", "她说", "们说", "听说", "据说", "被告知", "讨厌", "害怕", "拒绝", "已经", "已經", "曾经", "刚刚", "刚才",
		"早就") ||
		containsAny(inside, "了", "过") && !containsAny(t.text, "了", "过") || containsAny(before, "我") &&
		endsInChinesePast(after)
	if past && !containsAny(before, "请", "帮", "想", "要", "麻烦", "給", "给我") {
		return true
	}
	return endsInJapanesePast(after)
}

func endsInChinesePast(after string) bool {
	after = strings.TrimRight(after, " 。！!.?？\n")
	return strings.HasSuffix(after, "了") && !strings.HasSuffix(after, "好了") && !strings.HasSuffix(after, "算了")
}

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

// isReportedSpeech reports whether the sentence has a verb of speech whose subject is somebody else: "he said".
func (s *parsedSentence) isReportedSpeech(i int, at []int) bool {
	w := s.tokens[i].Word
	if !quotingVerbs()[w] || slices.Contains(at, i) || w == "dit" && s.lang != words.French || w == "dice" &&
		s.lang == words.English {
		return false
	}
	near := func(j int) bool { return j >= 0 && j < len(s.tokens) && !slices.Contains(at, j) }
	if near(i+1) && listContains("ich i we wir yo je", s.tokens[i+1].Word) && s.lang != words.English {
		return false // "sagte ich"
	}
	if !near(i - 1) {
		return near(i+1) && listContains("he she they er sie", s.tokens[i+1].Word) || listContains("dijo dice diz disse", w)
	}
	return speechVerbs()[w] && !speakerWords()[s.tokens[i-1].Word]
}

// isQuotation reports whether the match is what somebody else is quoted with.
func (s *parsedSentence) isQuotation(at []int) bool {
	if !s.isInsideQuotes(at[0]) {
		return false
	}
	for i := range s.tokens {
		if !slices.Contains(at, i) && quotingVerbs()[s.tokens[i].Word] &&
			!(i > 0 && firstPersonWords()[s.tokens[i-1].Word]) && s.hasSpeaker(i, at) {
			return true
		}
	}
	return false
}

// hasSpeaker reports whether a verb of speech has a subject beside it, or is one that needs none.
func (s *parsedSentence) hasSpeaker(i int, at []int) bool {
	if i > 0 && !slices.Contains(at, i-1) {
		return true
	}
	return s.isReportedSpeech(i, at)
}

// isInsideQuotes reports whether there is an open quotation mark before the word.
func (s *parsedSentence) isInsideQuotes(i int) bool {
	before := s.text[s.start:s.tokens[i].Start]
	if strings.Count(before, `"`)%2 == 1 {
		return true
	}
	return strings.LastIndexAny(before, "“„«‚") > strings.LastIndexAny(before, "”»’") &&
		strings.ContainsAny(before, "“„«‚")
}

// isDenied reports whether there is a negation before the last word of the match, in its clause, or at the clause's
// end.
func (s *parsedSentence) isDenied(m triggerMatch) bool {
	last := m.wordIndexes[len(m.wordIndexes)-1]
	from := s.clauseStart(last)
	if s.tokens[last].Unspaced {
		return s.isDeniedUnspaced(s.tokens[from].Start, s.tokens[last].Start)
	}
	if s.isQuestion() && s.beginsWithPhrase(from, len(s.tokens), politeDenialPhrases()) {
		return false
	}
	for i := from; i < last; i++ {
		if denialWords()[s.tokens[i].Word] && !slices.Contains(m.wordIndexes, i) && !s.isInterjectedNo(i, from) {
			return true
		}
	}
	return s.hasTrailingNegation(last)
}

// isInterjectedNo reports a "no" that begins the sentence and denies only what was said before it.
func (s *parsedSentence) isInterjectedNo(i, from int) bool {
	w := s.tokens[i].Word
	return i == from && (w == "no" || w == "non") && i+1 < len(s.tokens) && interjectionFollowers()[s.tokens[i+1].Word]
}

// hasTrailingNegation reports whether there is a negation at the end of the clause, where German and Dutch put it; "or
// not" denies nothing.
func (s *parsedSentence) hasTrailingNegation(last int) bool {
	end := last
	for end+1 < len(s.tokens) && s.tokens[end+1].clauseIndex == s.tokens[last].clauseIndex {
		end++
	}
	if end == last || !trailingNegations()[s.tokens[end].Word] {
		return false
	}
	before := s.tokens[end-1].Word
	return before != "oder" && before != "of"
}

func (s *parsedSentence) isDeniedUnspaced(from, to int) bool {
	text := s.text[from:to]
	for _, harmless := range []string{"不好意思", "对不起", "能不能", "可不可以", "是不是", "要不要", "好不好", "有没有", "不知道", "不如"} {
		text = strings.ReplaceAll(text, harmless, "")
	}
	return strings.ContainsAny(text, "不别没無无勿非") || strings.Contains(s.text[to:s.end], "たくない") ||
		strings.Contains(s.text[to:s.end], "ないで")
}

// beginsWithPhrase reports whether the words from one on, up to another, begin with one of the phrases.
func (s *parsedSentence) beginsWithPhrase(from, to int, phrases []string) bool {
	var b strings.Builder
	for _, h := range s.tokens[from:min(to, from+6)] {
		b.WriteString(h.Word + " ")
	}
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.HasPrefix(b.String(), p+" ") })
}
