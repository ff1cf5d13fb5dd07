package words

import "strings"

// AsksHow reports whether the question is how to do something.
func AsksHow(question string) bool { return Asks(question, howPhrases) }

var howPhrases = []string{" how do i ", " how do you ", " how do we ", " how can ", " how to ", " how should ", " how would ", " what steps ", " wie kann ",
	" wie mache ", " como ", " comment "}

// Asks reports whether one of the phrases, folded and with a space at either end where a word ends, stands in the question.
func Asks(question string, phrases []string) bool {
	q := padded(question)
	for _, p := range phrases {
		if strings.Contains(q, p) {
			return true
		}
	}
	return false
}

// padded folds the question and gives its first and last word a space at the outer end, too.
func padded(question string) string { return " " + strings.TrimLeft(Fold(question), " ¿¡") + " " }
