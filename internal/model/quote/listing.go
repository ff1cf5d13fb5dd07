package quote

import (
	"regexp"

	"parley/internal/text/words"
)

// permissionPhrases ask who is allowed to do something.
var permissionPhrases = []string{" who can ", " who may ", " who is allowed ", " who must ", " wer kann ", " wer darf ", " wer muss ", " quien puede ", " qui peut ", " chi puo ",
	" quem pode ", " wie kan ", " wie mag "}

// listQuestionPattern finds questions for all things of a kind, in folded text.
var listQuestionPattern = regexp.MustCompile(`^\W*(and |und |y )?((which|what) (\S+ ){1,3}(are there|do you (have|offer|sell|support|accept)|can i (choose|get|buy)|exist)|welche[rs]? (\S+ ){1,3}(gibt es|habt ihr|haben sie|bieten sie)|que (\S+ ){1,3}(hay|tienen|tienes|ofrecen)|quels? (\S+ ){1,3}(avez|proposez|y a)|quelles (\S+ ){1,3}(avez|proposez|y a))`)

// permissionWords are the words of a sentence that says who may do something.
var permissionWords = newWordSet("only must can may allowed nur darf durfen kann konnen muss mussen solo puede pueden seul seule peut peuvent puo possono pode podem alleen kan mag")

// statesPermission reports that the text says who may do something, and does not tell how it is done.
func statesPermission(text string) bool {
	for token := range words.Tokens(text) {
		if permissionWords[token.Word] {
			return !givesInstruction(text)
		}
	}
	return false
}

// measureFillerWords say no more than questionFrameWords do, where a length of time or a price is asked for.
var measureFillerWords = newWordSet("take takes last lasts per")

// isFrameWord reports a word that says how a question is put.
func isFrameWord(word string) bool { return questionFrameWords[word] || measureFillerWords[word] }
