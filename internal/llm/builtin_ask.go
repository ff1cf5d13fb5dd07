package llm

import (
	"strings"

	"parley/internal/words"
)

// form is what kind of answer a question wants.
type form struct {
	steps  bool // how to do something
	number bool // a number or a date
	person bool // who
	what   bool // what something is, or whether it is
}

func formOf(question string) form {
	return form{steps: words.AsksHow(question), number: words.Asks(question, numberWords), person: words.Asks(question, personWords), what: words.Asks(question, whatWords) || strings.HasPrefix(words.Fold(question), "does ")}
}

var (
	numberWords = []string{" how many ", " how much ", " how long ", " how old ", " how often ", " how far ", " what year ", " what date ",
		" when ", " wie viel", " wann ", " cuant", " cuando ", " combien ", " quand ", "كم", "متى", "多少", "何时", "什么时候", "哪一年"}
	personWords = []string{" who ", " whose ", " whom ", " wer ", " quien ", " qui "}
	whatWords   = []string{" what is ", " what are ", " what s ", " was ist ", " was sind ", " que es ", " qu'est-ce "}
)

var negations = map[string]bool{"not": true, "no": true, "without": true, "never": true, "don": true, "doesn": true, "isn": true, "aren": true,
	"can't": true, "cannot": true, "won": true, "nicht": true, "ohne": true, "kein": true, "keine": true, "sin": true, "sans": true}

// reach is how many words behind a negation it still speaks of.
const reach = 3

// negated gives the subjects that the text denies: those shortly behind a negation.
func (t *topic) negated(text string) (denied []int) {
	left := 0
	for token := range words.Tokens(text) {
		if negations[token.Word] {
			left = reach
			continue
		}
		if left--; left >= 0 {
			for _, l := range t.like(token.Word) {
				denied = append(denied, l.subject)
			}
		}
	}
	return denied
}

// instructing are verbs that a step begins with.
var instructing = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`open click tap go select choose press enter scroll run install set create sign log download navigate launch start
		add type copy paste turn enable disable toggle visit use drag swipe edit save upload find connect authenticate configure restart follow`) {
		all[w] = true
	}
	return all
}()

// instructs reports that the text tells to do something.
func instructs(text string) bool {
	for token := range words.Tokens(text) {
		return instructing[token.Word] || token.Word == "to"
	}
	return false
}

// frameWords say how a question is put.
var frameWords = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`support supports supported happen happens happened possible way ways mean means meaning work works able explain
		describe tell know kind type sort difference please help question someone somebody people`) {
		all[w] = true
	}
	return all
}()
