package retrieval

import "parley/internal/text/words"

// Words of the answer before that a follow-up may be about; longer answers are about more than one thing.
const (
	maxHintWords = 120
	maxHintBytes = 2000
)

// addAnswerHints looks for the content words of what the user was answered, faintly: "does it work abroad?" may be about what the answer
// named first. They do not count as words of the question when passages are read.
func (x *Index) addAnswerHints(out *question, answer string) {
	r := tokenize(nil, answer[:min(len(answer), maxHintBytes)], x.language())
	m := queryMessage{Index: x, out: out, lang: r.lang, weight: defaultWeights.answer}
	for _, t := range r.tokens[:min(len(r.tokens), maxHintWords)] {
		m.addWord(t.Word)
	}
}

// earlierWeight returns the weight of the user's message before this one: much for a message that cannot be understood alone, which then also
// leans on what was answered; less for one that can, which may have changed the subject.
func (x *Index) earlierWeight(out *question, q Query) float64 {
	if len(q.Earlier) == 0 || !words.NeedsContext(q.Text) {
		return defaultWeights.standalone
	}
	x.addAnswerHints(out, q.Answer)
	return defaultWeights.earlier
}
