package words

import "strings"

// AsksHow reports whether the question is how to do something.
func AsksHow(question string) bool { return ContainsPhrase(question, howPhrases) }

var howPhrases = []string{" how do i ", " how do you ", " how do we ", " how can ", " how to ", " how should ", " how would ", " what steps ", " wie kann ",
	" wie mache ", " como ", " comment "}

// ContainsPhrase reports whether one of the phrases, folded and with a space at either end where a word ends, stands in the question.
func ContainsPhrase(question string, phrases []string) bool {
	q := padFolded(question)
	for _, p := range phrases {
		if strings.Contains(q, p) {
			return true
		}
	}
	return false
}

// padFolded folds the question and gives its first and last word a space at the outer end, too.
func padFolded(question string) string { return " " + strings.TrimLeft(Fold(question), " ¿¡") + " " }
