package retrieval

import "parley/internal/words"

// Words of the answer before that a follow-up may be about; longer answers are about more than one thing.
const (
	mostHints = 120
	hintBytes = 2000
)

// hint looks for the content words of what the user was answered, faintly: "does it work abroad?" may be about what the answer
// named first. They do not count as words of the question when passages are read.
func (x *Index) hint(out *question, answer string) {
	r := read(nil, answer[:min(len(answer), hintBytes)], x.language())
	m := message{Index: x, out: out, lang: r.lang, weight: tune.said}
	for _, t := range r.tokens[:min(len(r.tokens), mostHints)] {
		m.wish(t.Word)
	}
}

// lean gives the weight of the user's message before this one: much for a message that cannot be understood alone, which then also
// leans on what was answered; less for one that can, which may have changed the subject.
func (x *Index) lean(out *question, q Query) float64 {
	if len(q.Earlier) == 0 || !words.Leans(q.Text) {
		return tune.aside
	}
	x.hint(out, q.Answer)
	return tune.earlier
}
