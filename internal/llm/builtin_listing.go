package llm

import (
	"regexp"

	"parley/internal/words"
)

// mayWords ask who is allowed to do something.
var mayWords = []string{" who can ", " who may ", " who is allowed ", " who must ", " wer kann ", " wer darf ", " wer muss ", " quien puede ", " qui peut ", " chi puo ",
	" quem pode ", " wie kan ", " wie mag "}

// listForm finds questions for all things of a kind, in folded text.
var listForm = regexp.MustCompile(`^\W*(and |und |y )?((which|what) (\S+ ){1,3}(are there|do you (have|offer|sell|support|accept)|can i (choose|get|buy)|exist)|welche[rs]? (\S+ ){1,3}(gibt es|habt ihr|haben sie|bieten sie)|que (\S+ ){1,3}(hay|tienen|tienes|ofrecen)|quels? (\S+ ){1,3}(avez|proposez|y a)|quelles (\S+ ){1,3}(avez|proposez|y a))`)

// allowing are the words of a sentence that says who may do something.
var allowing = wordSet("only must can may allowed nur darf durfen kann konnen muss mussen solo puede pueden seul seule peut peuvent puo possono pode podem alleen kan mag")

// allows reports that the text says who may do something, and does not tell how it is done.
func allows(text string) bool {
	for token := range words.Tokens(text) {
		if allowing[token.Word] {
			return !instructs(text)
		}
	}
	return false
}

// fillers say no more than frameWords do, where a length of time or a price is asked for.
var fillers = wordSet("take takes last lasts per")

// framed reports a word that says how a question is put.
func framed(word string) bool { return frameWords[word] || fillers[word] }
