package words

import "strings"

// AsksHow reports whether the question is how to do something.
func AsksHow(question string) bool { return Asks(question, howPhrases) }

var howPhrases = []string{" how do i ", " how do you ", " how do we ", " how can ", " how to ", " how should ", " how would ", " what steps ", " wie kann ",
	" wie mache ", " como ", " comment "}

// Asks reports whether one of the phrases, folded and with a space at either end where a word ends, stands in the question.
func Asks(question string, phrases []string) bool {
	q := " " + strings.TrimLeft(Fold(question), " ¿¡") + " "
	for _, p := range phrases {
		if strings.Contains(q, p) {
			return true
		}
	}
	return false
}
