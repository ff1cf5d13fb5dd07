package llm

import (
	"strings"

	"parley/internal/words"
)

// topic is what the question is about: its content words with their weights.
type topic struct {
	lang   words.Language
	items  []subject
	places map[string]int // of the words among the items
	total  float64        // weight of the message's own words
	form
	followUp bool
	denied   []int // subjects that the question denies ("without an account")
	known    map[string][]likeness
	question string // folded
	asking   string // as it was written
	counted  string // stem of what the question asks the number of
	tongue   bool   // its language shows
	may      bool   // it asks who is allowed to do something
	code     bool   // it is about code, or how something is done
	list     bool   // it asks which things of a kind there are
}

// subject is one content word of the question.
type subject struct {
	word, stem string
	kin        []string // stems of words that may stand for it
	grams      map[uint64]bool
	weight     float64
	own        bool // of the message itself, not of an earlier one
	pair       bool // two neighbours, a and b of the items: no word itself
	a, b       int
	name       bool // a pair that is written as a name
	named      bool // written as a name
	measure    measure
}

// likeness tells how surely a word names a subject.
type likeness struct {
	subject  int
	strength float64
}

const (
	earlierWeight = 0.4 // what words of the user's message before count against those of the message itself
	frameWeight   = 0.3 // what words count that say how a question is put rather than what it is about
	kinStrength   = 0.6
	pairWeight    = 0.5 // what two neighbours of the question count where they stand side by side, against the lesser of them
	nameWeight    = 1.5 // and where both are written as names
	turned        = 0.5 // what a pair counts that stands the other way round; a name does not
)

// newTopic reads what was said last in the light of what was said before it.
func newTopic(said []string, passages []Passage) topic {
	last := said[len(said)-1]
	t := topic{lang: guess(last), form: formOf(last), followUp: len(said) > 1, question: words.Fold(last), asking: last,
		known: map[string][]likeness{}, places: map[string]int{}}
	t.counted = t.countedIn(last)
	t.may, t.list = words.Asks(last, mayWords), listForm.MatchString(t.question)
	t.code = t.asksCode()
	_, t.tongue = words.Guess(words.Cut(nil, last))
	var weights map[string]float64
	if len(passages) > 0 {
		weights = passages[0].Terms
	}
	t.add(last, 1, weights)
	if len(said) > 1 {
		t.add(said[len(said)-2], earlierWeight, weights)
	}
	t.denied = t.negated(last)
	return t
}

// add notes the content words of a message, and which of them stand side by side.
func (t *topic) add(text string, weight float64, weights map[string]float64) {
	before, named, last := -1, false, ""
	asks := asksOf(text)
	for token := range words.Tokens(text) {
		by, hyphened := asks.measuredBy(last, token.Word), token.Start > 0 && text[token.Start-1] == '-'
		last = token.Word
		if t.lang.IsStop(token.Word) || hyphened && t.lang.IsStop(strings.TrimSuffix(token.Word, "s")) { // "add-ons"
			continue
		}
		at := t.index(token.Word)
		if at < 0 {
			if len(t.places) == mostSubjects {
				break
			}
			at = len(t.items)
			t.places[token.Word] = at
			s := t.subject(token.Word, weight, weights)
			s.named = s.own && t.lang != words.German && isName(text, token)
			if s.measure = by; by != noMeasure {
				s.weight *= measureWeight
			}
			t.push(s)
		}
		if by != noMeasure {
			continue // what it measures need not stand beside it
		}
		if before >= 0 && before != at && !token.Dense {
			a, b := t.items[before], t.items[at]
			pair := subject{pair: true, a: before, b: at, weight: pairWeight * min(a.weight, b.weight), own: a.own && b.own}
			if named && isName(text, token) {
				pair.name, pair.weight = true, nameWeight*min(a.weight, b.weight)
			}
			t.push(pair)
		}
		before, named = at, isName(text, token)
	}
}

// isName reports that the word is written with a capital though no sentence begins with it.
func isName(text string, token words.Token) bool {
	return token.Start > 0 && 'A' <= text[token.Start] && text[token.Start] <= 'Z'
}

func (t *topic) subject(word string, weight float64, weights map[string]float64) subject {
	w, known := weights[word]
	if !known {
		w = 1
	}
	if framed(word) {
		w *= frameWeight
	}
	s := subject{word: word, stem: t.lang.Stem(word), grams: map[uint64]bool{}, weight: w * weight, own: weight == 1}
	s.kin = t.lang.Kin(s.stem)
	for _, g := range words.Grams(nil, word) {
		s.grams[g] = true
	}
	return s
}

func (t *topic) push(s subject) {
	t.items = append(t.items, s)
	if s.own {
		t.total += s.weight
	}
}

// index gives the place of a word among the items, -1 where it is none of them.
func (t *topic) index(word string) int {
	if at, ok := t.places[word]; ok {
		return at
	}
	return -1
}

// cover is the weight of the question's own words that were found, 0 to 1.
func (t *topic) cover(found []float64) (own float64) {
	if t.total == 0 {
		return 0
	}
	for i, s := range t.items {
		if s.own {
			own += s.weight * found[i]
		}
	}
	return own / t.total
}

// weigh is cover with the words of earlier messages.
func (t *topic) weigh(found []float64) (sum float64) {
	for i, s := range t.items {
		sum += s.weight * found[i]
	}
	if t.total == 0 {
		return 0
	}
	return sum / t.total
}
