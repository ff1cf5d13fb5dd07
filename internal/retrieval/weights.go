package retrieval

// tuning holds the weights of the search; the first three parts are BM25 scores, each divided by its maximum over the
// passages.
//
// They were chosen on public development sets (docs/quality.md, internal/eval). A linear model of thirty more features
// of the best passages (windows, ordered words, longest common runs, likelihood under a language model, weights by how
// rare words are together) was learned from five sixths of the documents and tried on the rest, and found no more right
// passages than these weights; of its features only kind helped on most of the sets, and stayed. Its weight here, and
// those of follow-ups, were then picked from a few by all of the sets (follow-ups by one, MTRAG), without a rest to try
// them on. The weights of codes, quotations, slips, compounds and neighbours follow what users expect: the sets have
// few of them. A quotation worth more than this costs Arabic half a point.
type tuning struct {
	k1, b               float64
	grams, stems, pairs float64
	// the question's words in the best two neighbouring sentences, and in the whole passage
	bestSentences, allWords float64
	title, focus            float64 // the question's words in the heading; the heading's words in the question
	askedQuestion           float64 // a question above an answer that is the question itself
	// the cosine of the heading and the question, by words and by grams; how much less each further one of several
	// questions above an answer counts; a heading that is no question against one that is
	titleByWords, titleByGrams, nextTitle, plainTitle float64
	// numbered steps under a heading that names what a question how to do something asks
	steps float64
	// other passages of the same source; how many of the best there can be no more than
	source, sourceFull            float64
	links                         float64 // what a passage that is nothing but links loses
	minGramOverlap                float64 // share of common grams from which on two words are taken for one
	alternative, alternativeGrams float64 // weight of a word that may stand for the one asked
	alternativeStrength           float64 // how far it is taken for the one asked
	partStrength, typo            float64 // how far a part of a compound is, and a word that is one slip of the pen away
	code, quote                   float64 // the question's codes and quotations as such
	kind                          float64 // the question's words around a number or a time, where it asks for one
	previousPassage               float64 // what the passage before adds to the question's words
	// weight of the message before one that leans on it, and of each before that against the next
	earlier, fade float64
	// weight of the message before one that stands alone, and of the answer before one that leans on it
	standalone, answer float64
}

var defaultWeights = tuning{k1: 1.2, b: 0.9, grams: 1, stems: 0.25, pairs: 0.11, bestSentences: 0.35, allWords: 0.35,
	title: 0.3, focus: 0.2, askedQuestion: 0.3, steps: 0.25, source: 0.3, sourceFull: 1, links: 0.5, minGramOverlap: 0.35,
	alternative: 0.2, alternativeGrams: 0.4, alternativeStrength: 0.7, partStrength: 0.6, typo: 0.9, code: 1,
	titleByWords: 1, titleByGrams: 1, nextTitle: 0.1, plainTitle: 0.4, quote: 0.3, kind: 0.4, previousPassage: 0.1,
	earlier: 0.5, fade: 0.4, standalone: 0.4, answer: 0.2}

// maxCloseReads is how many of the best passages are read again, word by word.
const maxCloseReads = 20
