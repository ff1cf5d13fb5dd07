package insight

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/text/words"
)

// topicTree is an operator's topics, made ready to be matched.
type topicTree struct {
	nodes         []topicNode
	featureCounts map[string]int // in how many examples each feature occurs
	total         int
}

// topicNode is a topic with those above it.
type topicNode struct {
	name     string
	path     []string // itself, then its parents
	keywords [][]string
	examples []vector
}

// minExampleSimilarity is how like an example a question must be.
const minExampleSimilarity = 0.25

// newTopicTree makes a tree of an operator's topics.
func newTopicTree(topics []parley.Topic) *topicTree {
	t := &topicTree{featureCounts: map[string]int{}}
	var raw [][]vector
	var add func(list []parley.Topic, above []string)
	add = func(list []parley.Topic, above []string) {
		for _, topic := range list {
			n := topicNode{name: topic.Name, path: append([]string{topic.Name}, above...)}
			for _, k := range append([]string{topic.Name}, topic.Keywords...) {
				if stems := stemsOf(k); len(stems) > 0 {
					n.keywords = append(n.keywords, stems)
				}
			}
			var examples []vector
			for _, e := range topic.Examples {
				examples = append(examples, featuresOf(e))
			}
			for _, e := range examples {
				t.total++
				for f := range e {
					t.featureCounts[f]++
				}
			}
			t.nodes, raw = append(t.nodes, n), append(raw, examples)
			add(topic.Topics, n.path)
		}
	}
	add(topics, nil)
	for i := range t.nodes {
		for _, e := range raw[i] {
			t.nodes[i].examples = append(t.nodes[i].examples, t.weightedVector(e))
		}
	}
	return t
}

// stemsOf returns the stems of all words, in order.
func stemsOf(text string) (stems []string) {
	tokens := words.AppendTokens(nil, text)
	lang, _ := words.GuessLanguage(tokens)
	for _, t := range tokens {
		stems = append(stems, lang.Stem(t.Word))
	}
	return stems
}

// featuresOf returns a text's content words and their letters in fours, so that a typing error costs little.
func featuresOf(text string) vector {
	v := vector{}
	var grams []uint64
	for term, w := range termsOf(text) {
		stem, word, single := strings.Cut(term, "|")
		v[stem] = w
		if single {
			for _, g := range words.Grams(grams[:0], word) {
				v["#"+strconv.FormatUint(g, 36)] = gramWeight
			}
		}
	}
	return v
}

const gramWeight = 0.35

func (t *topicTree) weightedVector(v vector) vector {
	out := vector{}
	for f, w := range v {
		out[f] = w * math.Log(1+float64(t.total+1)/(1+float64(t.featureCounts[f])))
	}
	return out.normalized()
}

// find returns the topic that a text is about with those above it, nil for none: one whose keyword is in the text
// before one with an example like it, a keyword of more words before one of fewer, a subtopic before its parent.
func (t *topicTree) find(text string) []string {
	stems, v := stemsOf(text), t.weightedVector(featuresOf(text))
	var path []string
	best := 0.0
	for i := range t.nodes {
		n := &t.nodes[i]
		score := n.exampleScore(v) + float64(n.longestKeyword(stems)) + 0.01*float64(len(n.path))
		if score > best && score >= minExampleSimilarity+0.01*float64(len(n.path)) {
			path, best = n.path, score
		}
	}
	return path
}

// longestKeyword returns the number of words of the longest keyword that is in the text.
func (n *topicNode) longestKeyword(stems []string) (longest int) {
	for _, k := range n.keywords {
		if len(k) > longest && containsPhrase(stems, k) {
			longest = len(k)
		}
	}
	return longest
}

// maxGapWords is how many other words may be between two of a phrase: "send it back".
const maxGapWords = 2

// containsPhrase reports whether the words of the phrase are in the text, in order and close together. It follows all
// places where the phrase so far may end at once.
func containsPhrase(stems, phrase []string) bool {
	var ends []int
	for i := range stems {
		if stems[i] == phrase[0] {
			ends = append(ends, i)
		}
	}
	for _, word := range phrase[1:] {
		ends = goOn(stems, ends, word)
	}
	return len(ends) > 0
}

// goOn returns the places, in order, where the word is close behind one of the places.
func goOn(stems []string, ends []int, word string) (next []int) {
	from := 0
	for _, end := range ends {
		from = max(from, end+1)
		for ; from < min(end+maxGapWords+2, len(stems)); from++ {
			if stems[from] == word {
				next = append(next, from)
			}
		}
	}
	return next
}

// exampleScore returns how like the topic's examples a question is: the one it is most like counts, and a little the
// next two.
func (n *topicNode) exampleScore(v vector) float64 {
	var near []float64
	for _, e := range n.examples {
		near = append(near, similarity(v, e))
	}
	slices.SortFunc(near, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	sum := 0.0
	for i, w := range []float64{0.7, 0.2, 0.1} {
		if i < len(near) {
			sum += w * near[i]
		} else if len(near) > 0 {
			sum += w * near[len(near)-1]
		}
	}
	return sum
}

// topicPaths returns each topic's parents, for sums that count subtopics with their topic.
func topicPaths(topics []parley.Topic) map[string][]string {
	all := map[string][]string{}
	for _, n := range newTopicTree(namesOnly(topics)).nodes {
		all[n.name] = n.path
	}
	return all
}

// namesOnly leaves only the names.
func namesOnly(topics []parley.Topic) (list []parley.Topic) {
	for _, t := range topics {
		list = append(list, parley.Topic{Name: t.Name, Topics: namesOnly(t.Topics)})
	}
	return list
}
