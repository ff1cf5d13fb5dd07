package synonym

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/text/words"
)

// term is a content word of a text.
type term struct {
	stem, spelling string // spelling is as in the text, in lower case
	start, end     int    // byte span in the text
}

const (
	minWordLetters  = 3
	maxTextTokens   = 80
	maxUnknownWords = 2 // of a question: one of many is about something else
)

// contentTerms returns the content words of a text. Numbers are none, and words of scripts without spaces are not told
// apart.
func contentTerms(text string, lang words.Language) (list []term) {
	n := 0
	for t := range words.Tokens(text) {
		if n++; n > maxTextTokens {
			break
		}
		if t.Unspaced || lang.IsStopWord(t.Word) || words.KindOf(t.Word) == words.Number ||
			utf8.RuneCountInString(t.Word) < minWordLetters {
			continue
		}
		list = append(list, term{lang.Stem(t.Word), strings.ToLower(text[t.Start:t.End]), t.Start, t.End})
	}
	return list
}

// question is an unanswered question.
type question struct {
	text  string
	lang  words.Language
	terms []term
	known map[string]bool // stems that the sources hold
}

func newQuestion(text string) *question {
	lang, _ := words.GuessLanguage(words.AppendTokens(nil, text))
	return &question{text: text, lang: lang, terms: contentTerms(text, lang), known: map[string]bool{}}
}

func (q *question) hasStem(stem string) bool {
	return slices.ContainsFunc(q.terms, func(t term) bool { return t.stem == stem })
}

// neighbors returns the words beside a word that the sources hold.
func (q *question) neighbors(stem string) map[string]bool {
	list := map[string]bool{}
	for i, t := range q.terms {
		if t.stem != stem {
			continue
		}
		for _, at := range []int{i - 1, i + 1} {
			if at >= 0 && at < len(q.terms) && q.known[q.terms[at].stem] {
				list[q.terms[at].stem] = true
			}
		}
	}
	return list
}

// without returns the text without a word.
func (q *question) without(stem string) string {
	var b strings.Builder
	from := 0
	for _, t := range q.terms {
		if t.stem == stem {
			b.WriteString(q.text[from:t.start])
			from = t.end
		}
	}
	b.WriteString(q.text[from:])
	return b.String()
}

// unknownWord is a word of unanswered questions that no source holds.
type unknownWord struct {
	stem, spelling string
	count          int         // questions with it
	questions      []*question // the newest of them, each text once
}

// proposer makes the proposals for one agent.
type proposer struct {
	*Service
	agent    *parley.Agent
	answered []map[string]bool // the stems of each answered question
}

// unknownWords returns the words that most unanswered questions share, of those that no source holds.
func (p *proposer) unknownWords(ctx context.Context, open []parley.OpenQuestion) ([]*unknownWord, error) {
	list := make([]*question, len(open))
	for i, o := range open {
		list[i] = newQuestion(o.Text)
	}
	if err := p.readAnswered(ctx); err != nil {
		return nil, err
	}
	counts, _, err := p.countPassages(ctx, stemsOf(list))
	if err != nil {
		return nil, err
	}
	byStem := map[string]*unknownWord{}
	for _, q := range list {
		p.addUnknownWords(byStem, q, counts)
	}
	found := slices.SortedFunc(maps.Values(byStem), func(a, b *unknownWord) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.stem, b.stem))
	})
	found = slices.DeleteFunc(found, func(w *unknownWord) bool { return p.countAnswered(w.stem) >= w.count })
	return found[:min(maxWords, len(found))], nil
}

// stemsOf lists the stems of the questions and those of which the language knows that they mean the same, each once.
func stemsOf(list []*question) []string {
	all := map[string]bool{}
	for _, q := range list {
		for _, t := range q.terms {
			all[t.stem] = true
			for _, s := range q.lang.Synonyms(t.stem) {
				all[s] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// addUnknownWords adds a question to those of each word of it that no source holds. A question without any word that
// the sources hold is about something else.
func (p *proposer) addUnknownWords(byStem map[string]*unknownWord, q *question, counts map[string]int) {
	unknown := map[string]string{}
	for _, t := range q.terms {
		if counts[t.stem] > 0 {
			q.known[t.stem] = true
		} else if !p.hasSynonym(q.lang, t, counts) {
			unknown[t.stem] = t.spelling
		}
	}
	if len(q.known) == 0 || len(unknown) > maxUnknownWords {
		return
	}
	for _, stem := range slices.Sorted(maps.Keys(unknown)) {
		w := byStem[stem]
		if w == nil {
			w = &unknownWord{stem: stem, spelling: unknown[stem]}
			byStem[stem] = w
		}
		w.count++
		sameText := func(other *question) bool { return words.Fold(other.text) == words.Fold(q.text) }
		if len(w.questions) < maxExamples && !slices.ContainsFunc(w.questions, sameText) {
			w.questions = append(w.questions, q)
		}
	}
}

// hasSynonym reports whether the search finds passages by another word in place of this one.
func (p *proposer) hasSynonym(lang words.Language, t term, counts map[string]int) bool {
	if slices.ContainsFunc(lang.Synonyms(t.stem), func(s string) bool { return counts[s] > 0 }) {
		return true
	}
	return slices.ContainsFunc(p.agent.Synonyms, func(group []string) bool {
		return slices.ContainsFunc(group, func(member string) bool { return lang.Stem(words.Fold(member)) == t.stem })
	})
}

// readAnswered reads the words of the newest questions that were answered.
func (p *proposer) readAnswered(ctx context.Context) error {
	turns, err := p.DB.AnsweredTurns(ctx, p.agent.Ref(), maxAnsweredTurns)
	if err != nil {
		return err
	}
	for _, t := range turns {
		if t.Refused {
			continue
		}
		stems := map[string]bool{}
		for _, term := range newQuestion(t.Question).terms {
			stems[term.stem] = true
		}
		p.answered = append(p.answered, stems)
	}
	return nil
}

// countAnswered counts the answered questions with a word: one that they have as often as the unanswered ones is not
// what keeps those from an answer.
func (p *proposer) countAnswered(stem string) (n int) {
	for _, stems := range p.answered {
		if stems[stem] {
			n++
		}
	}
	return n
}

// countPassages returns in how many passages each of the stems occurs, and how many passages there are.
func (p *proposer) countPassages(ctx context.Context, stems []string) (map[string]int, int, error) {
	counts, all, err := p.Indexes.CountPassages(ctx, p.agent.ID, p.agent.PassageVersion, stems)
	if err != nil {
		return nil, 0, err
	}
	byStem := make(map[string]int, len(stems))
	for i, stem := range stems {
		byStem[stem] = counts[i]
	}
	return byStem, all, nil
}
