package quote

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// parsedSentence is a sentence of a message that triggers are compared with.
type parsedSentence struct {
	text       string // the whole message
	start, end int    // of the sentence
	lang       words.Language
	langs      []words.Language // all that it may be written in
	tokens     []sentenceWord
	stems      map[words.Language][]string
}

// sentenceWord is a word of a sentence; in scripts without spaces it is one character.
type sentenceWord struct {
	words.Token
	isStop      bool // carries no meaning of its own
	clauseIndex int  // which clause of the sentence it is in
}

// maxTriggerTextBytes bounds how much of a message is compared with triggers: a request is not a page long.
const maxTriggerTextBytes = 4000

func splitSentences(message string) (all []parsedSentence) {
	if len(message) > maxTriggerTextBytes {
		message = message[:maxTriggerTextBytes]
	}
	langs := words.LikelyLanguages(message)
	for _, s := range prose.Sentences(message, 0, len(message)) {
		all = append(all, parseSentence(message, s.Start, s.End, langs))
	}
	return all
}

func parseSentence(text string, start, end int, langs []words.Language) parsedSentence {
	lang := append(langs[:len(langs):len(langs)], words.English)[0]
	s := parsedSentence{text: text, start: start, end: end, lang: lang, langs: langs, stems: map[words.Language][]string{}}
	before, clause := start, 0
	for t := range words.Tokens(text[start:end]) {
		t.Start, t.End = t.Start+start, t.End+start
		if t.Unspaced {
			_, n := utf8.DecodeRuneInString(t.Word)
			_, m := utf8.DecodeRuneInString(text[t.Start:])
			t.Word, t.End = t.Word[:n], t.Start+m
		}
		if t.Start > before && strings.ContainsAny(text[before:t.Start], ",;:()–—、，；：（）،؛") || contrastWords()[t.Word] {
			clause++
		}
		stop := lang.IsStopWord(t.Word)
		if t.Unspaced {
			stop = strings.Contains(particleCharacters(), t.Word)
		}
		s.tokens = append(s.tokens, sentenceWord{t, stop, clause})
		before = t.End
	}
	return s
}

// stemOf returns the stem of a word by the rules of a language.
func (s *parsedSentence) stemOf(l words.Language, i int) string {
	stems := s.stems[l]
	if stems == nil {
		for _, h := range s.tokens {
			stems = append(stems, l.Stem(h.Word))
		}
		s.stems[l] = stems
	}
	return stems[i]
}

func (s *parsedSentence) rawWord(i int) string {
	return strings.ToLower(s.text[s.tokens[i].Start:s.tokens[i].End])
}

func (s *parsedSentence) isQuestion() bool {
	end := strings.TrimRight(s.text[s.start:s.end], " \t\r\n!\"'”»)")
	return strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") || strings.HasSuffix(end, "؟")
}

// clauseStart returns where the clause of a word begins.
func (s *parsedSentence) clauseStart(i int) int {
	return slices.IndexFunc(s.tokens, func(h sentenceWord) bool { return h.clauseIndex == s.tokens[i].clauseIndex })
}

// sentenceMood is how a sentence puts what it is about.
type sentenceMood int

const (
	moodStatement   sentenceMood = iota // a wish or an order
	moodHowQuestion                     // how something is done, or what it is
	moodOwnQuestion                     // what one's own thing is ("what is my order status")
	moodJudgement                       // whether something is so, was so or should be; what would be if
)

// mood looks at the words of the clause before the match.
func (s *parsedSentence) mood(first int) sentenceMood {
	if len(s.tokens) == 0 {
		return moodStatement
	}
	from := s.clauseStart(min(first, len(s.tokens)-1))
	if s.tokens[from].Unspaced {
		return s.moodUnspaced(from, first)
	}
	for from < first && politeWords()[s.tokens[from].Word] && !s.isThanks(from) {
		from++
	}
	found := moodStatement
	for i := from; i < first; i++ {
		switch w := s.tokens[i].Word; {
		case s.isCondition(i), s.isJudgement(i, from), s.isThanks(i):
			return moodJudgement
		case howQuestionWords()[w] || w == "come" && s.lang == words.Italian:
			found = moodHowQuestion
		case found == moodHowQuestion:
		case whatQuestionWords()[w] || w == "was" && s.lang == words.German || strings.HasPrefix(s.rawWord(i), "qué"):
			found = moodOwnQuestion
		case whichQuestionWords()[w] && (i == from || s.isQuestion()):
			found = moodOwnQuestion
		}
	}
	return found
}

// isCondition reports an "if" that does not merely ask politely ("if I could", "if possible").
func (s *parsedSentence) isCondition(i int) bool {
	w, next, after := s.tokens[i].Word, "", ""
	if i+1 < len(s.tokens) && s.tokens[i+1].clauseIndex == s.tokens[i].clauseIndex {
		next = s.tokens[i+1].Word
	}
	if i+2 < len(s.tokens) {
		after = s.tokens[i+2].Word
	}
	switch w {
	case "if", "wenn", "falls", "als", "se", "si", "sofern":
	default:
		return false
	}
	switch {
	case next == "", w == "als" && s.lang != words.Dutch, w == "se" && s.lang != words.Italian &&
		s.lang != words.Portuguese, s.rawWord(i) == "sí":
		return false
	}
	return !possibilityWords()[next] && !possibilityWords()[after]
}

// isJudgement reports whether there is a verb at the beginning that asks whether something is so.
func (s *parsedSentence) isJudgement(i, from int) bool {
	w := s.tokens[i].Word
	if i+1 >= len(s.tokens) {
		return false
	}
	next := s.tokens[i+1].Word
	switch {
	case i == from && auxiliaryVerbs()[w]:
		return (subjectPronouns()[next] || s.isQuestion()) && !s.isRequest(i)
	case w == "have" && next == "to":
		return slices.ContainsFunc(s.tokens[s.clauseStart(i):i], func(h sentenceWord) bool {
			return listContains("would will do does did", h.Word)
		})
	case obligationVerbs()[w]:
		return s.isQuestion()
	}
	return false
}

// isRequest reports whether the question asks for the thing itself: whether there is a way, whether one is able.
func (s *parsedSentence) isRequest(i int) bool {
	return slices.ContainsFunc(s.tokens[i:min(len(s.tokens), i+4)], func(h sentenceWord) bool {
		return listContains("able mind possible way possibility chance", h.Word)
	})
}

func (s *parsedSentence) isThanks(i int) bool {
	if i+1 >= len(s.tokens) || !listContains("thanks you danke merci gracias grazie", s.tokens[i].Word) {
		return false
	}
	thanked := s.tokens[i].Word != "you" || i > 0 && s.tokens[i-1].Word == "thank"
	return thanked && listContains("for fur dass por pour de d per", s.tokens[i+1].Word)
}

// moodUnspaced does the same where words are not set apart, looking also at what follows.
func (s *parsedSentence) moodUnspaced(from, first int) sentenceMood {
	before, after := s.text[s.tokens[from].Start:s.end], ""
	if first < len(s.tokens) {
		before, after = s.text[s.tokens[from].Start:s.tokens[first].Start], s.text[s.tokens[first].Start:s.end]
	}
	switch {
	case containsAny(before, "如果", "要是", "假如", "应该", "应不应该", "是否", "もし", "谢谢你帮我"):
		return moodJudgement
	case containsAny(before, "怎么", "怎样", "如何", "为什么", "为何", "什么是", "何谓", "为啥", "どうやって", "なぜ", "どうすれば"),
		containsAny(after, "是什么", "什么意思", "的方法", "とは", "方法は", "方法を", "どういう"):
		return moodHowQuestion
	case containsAny(before, "什么时候", "哪里", "哪儿", "いつ", "どこ"):
		return moodOwnQuestion
	}
	return moodStatement
}

// isCancellation reports whether the message says nothing but that something is to be dropped.
func isCancellation(message string) bool {
	text := strings.Trim(message, " \t\r\n.!。！,，")
	if slices.Contains(cancelPhrasesUnspaced(), text) {
		return true
	}
	messageWords, cancels := splitWords(text), false
	for _, w := range messageWords {
		cancels = cancels || cancelWords()[w] && !greetingWords()[w]
		if !cancelWords()[w] && !politeWords()[w] && !ignorableWords()[w] {
			return false
		}
	}
	return cancels
}

// isQuestionOrRemark reports whether the message is a question or a remark rather than an answer.
func isQuestionOrRemark(message string) bool {
	lang := guessLanguage(message)
	if _, ok := answerSmallTalk(message, lang); ok {
		return true
	}
	return slices.ContainsFunc(splitSentences(message), func(s parsedSentence) bool {
		return s.isQuestion() || len(s.tokens) > 0 && howQuestionWords()[s.tokens[0].Word]
	})
}
