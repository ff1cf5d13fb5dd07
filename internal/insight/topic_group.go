package insight

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"parley/internal/store"
)

// question is a text to be grouped.
type question struct {
	terms     map[string]float64
	vector    vector
	canonical string // the same for the same words, whatever the order in which questions come
}

// cluster is a group of questions, by their places in the list, that are about the same.
type cluster struct {
	members  []int
	centroid vector
}

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }

// newVocabulary counts in how many of the questions each stem and pair is.
func newVocabulary(list []question) store.Vocabulary {
	v := store.Vocabulary{Questions: len(list), QuestionsByWord: map[string]int{}}
	for _, q := range list {
		for stem := range q.stems() {
			v.QuestionsByWord[stem]++
		}
	}
	return v
}

// newQuestions prepares terms to be grouped.
func newQuestions(terms []map[string]float64) []question {
	list := make([]question, len(terms))
	for i, t := range terms {
		list[i] = question{terms: t}
		list[i].canonical = strings.Join(sortedKeys(list[i].stems()), " ")
	}
	return list
}

const (
	neighbourSimilarity = 0.40 // likeness of neighbours
	joinSimilarity      = 0.34 // likeness to the centre of a group that is enough to join it
	mergeSimilarity     = 0.60 // likeness of the centres of groups that are one
	maxCentroidTerms    = 40   // terms of a centre
)

// clusterQuestions groups the questions: the one with the most neighbours first, then the one with the most among the
// rest, and so on, as long as a group has least members. What comes out depends on the questions alone and not on their
// order.
func clusterQuestions(list []question, v *store.Vocabulary, minSize int) []cluster {
	order := make([]int, len(list))
	for i := range list {
		list[i].vector, order[i] = weightedVector(list[i].terms, v), i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(list[a].canonical, list[b].canonical) })
	neighbours := findNeighbours(list, order)
	taken := make([]bool, len(list))
	var found []cluster
	for {
		best, members := -1, 0
		for _, i := range order {
			if n := countFree(neighbours[i], taken); !taken[i] && n > members {
				best, members = i, n
			}
		}
		if members < minSize || best < 0 {
			break
		}
		c := cluster{}
		for _, j := range neighbours[best] {
			if !taken[j] {
				taken[j], c.members = true, append(c.members, j)
			}
		}
		c.centroid = centroidOf(list, c.members)
		found = append(found, c)
	}
	return assignRest(list, order, mergeClusters(list, found), taken)
}

func countFree(list []int, taken []bool) (n int) {
	for _, j := range list {
		if !taken[j] {
			n++
		}
	}
	return n
}

// findNeighbours lists for each question those that are like it, itself included, in the order given.
func findNeighbours(list []question, order []int) [][]int {
	holding := map[string][]int{}
	for _, i := range order {
		for stem := range list[i].vector {
			holding[stem] = append(holding[stem], i)
		}
	}
	rank := make([]int, len(list))
	for r, i := range order {
		rank[i] = r
	}
	all := make([][]int, len(list))
	sums := make([]float64, len(list))
	for _, i := range order {
		var touched []int
		for _, stem := range sortedKeys(list[i].vector) {
			for _, j := range holding[stem] {
				if sums[j] == 0 {
					touched = append(touched, j)
				}
				sums[j] += list[i].vector[stem] * list[j].vector[stem]
			}
		}
		for _, j := range touched {
			if roundNine(sums[j]) >= neighbourSimilarity {
				all[i] = append(all[i], j)
			}
			sums[j] = 0
		}
		slices.SortFunc(all[i], func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	}
	return all
}

// centroidOf is the mean of the members, of its weightiest terms.
func centroidOf(list []question, members []int) vector {
	sum := vector{}
	for _, i := range members {
		for stem, w := range list[i].vector {
			sum[stem] += w
		}
	}
	for stem, w := range sum {
		sum[stem] = roundNine(w)
	}
	keys := termsByWeight(sum)
	for _, k := range keys[min(maxCentroidTerms, len(keys)):] {
		delete(sum, k)
	}
	sum.normalized()
	for stem, w := range sum {
		sum[stem] = roundNine(w)
	}
	return sum
}

// termsByWeight lists terms, the weightiest first.
func termsByWeight(v vector) []string {
	return slices.SortedFunc(maps.Keys(v), func(a, b string) int {
		return cmp.Or(cmp.Compare(v[b], v[a]), cmp.Compare(a, b))
	})
}

// mergeClusters makes one of groups that are alike.
func mergeClusters(list []question, found []cluster) []cluster {
	for i := 0; i < len(found); i++ {
		for j := i + 1; j < len(found); j++ {
			if similarity(found[i].centroid, found[j].centroid) >= mergeSimilarity {
				found[i].members = append(found[i].members, found[j].members...)
				found[i].centroid = centroidOf(list, found[i].members)
				found = slices.Delete(found, j, j+1)
				j = i
			}
		}
	}
	return found
}

// assignRest lets the rest join the groups that they are like enough.
func assignRest(list []question, order []int, found []cluster, taken []bool) []cluster {
	for _, i := range order {
		if taken[i] {
			continue
		}
		if at := nearestCentroid(list[i].vector, len(found), func(c int) vector { return found[c].centroid }); at >= 0 {
			found[at].members = append(found[at].members, i)
		}
	}
	return found
}

// nearestCentroid finds the group whose centre the vector is nearest to, or -1 if it is like none.
func nearestCentroid(v vector, n int, centre func(i int) vector) int {
	at, best := -1, joinSimilarity
	for c := range n {
		if l := similarity(v, centre(c)); l > best || l == best && at < 0 {
			at, best = c, l
		}
	}
	return at
}
