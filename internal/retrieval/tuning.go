package retrieval

// tuning holds the weights of the search. They were chosen on public development sets (quality_test.go); the first three
// parts are BM25 scores, each divided by its maximum over the passages.
type tuning struct {
	k1, b              float64
	grams, stems, near float64
	stretch, all       float64 // the question's words in the best two neighbouring sentences, and in the whole passage
	title, focus       float64 // the question's words in the heading; the heading's words in the question
	steps              float64 // numbered steps under a heading that names what a question how to do something asks
	source, sourceFull float64 // other passages of the same source; how many of the best there can be no more than
	links              float64 // what a passage that is nothing but links loses
	alike              float64 // share of common grams from which on two words are taken for one
	kin, kinGrams      float64 // weight of a word that may stand for the one asked
	kinLike            float64 // how far it is taken for the one asked
	earlier, fade      float64 // weight of the user's last message but one, and of each before it against the next
}

var tune = tuning{k1: 1.2, b: 0.9, grams: 1, stems: 0.25, near: 0.11, stretch: 0.35, all: 0.35, title: 0.3, focus: 0.2, steps: 0.25, source: 0.3, sourceFull: 1, links: 0.5, alike: 0.35,
	kin: 0.2, kinGrams: 0.4, kinLike: 0.7, earlier: 0.5, fade: 0.4}

// readClosely is how many of the best passages are read again, word by word.
const readClosely = 20
