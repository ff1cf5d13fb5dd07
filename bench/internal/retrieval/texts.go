package retrieval

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/bench/internal/corpus"
	"parley/internal/eval"
	"parley/internal/retrieval"
)

// textPool is a set's texts as one run of words, to be walked over in another order, and the questions that were asked
// about them.
type textPool struct {
	words     []string
	positions map[string][]int // where a word occurs
	separator string           // between two words
	size      int              // bytes of text
	questions []retrieval.Query
}

// readPools reads the public sets in the folder, or the manual if there are none.
func readPools(folder string) (all []*textPool) {
	for _, name := range []string{"clapnq", "mtrag-un", "ente-help", "xquad"} {
		sets, err := eval.ReadSets(os.DirFS(filepath.Join(folder, name)), "")
		if err != nil {
			continue
		}
		for _, set := range sets {
			all = append(all, newPool(set))
		}
	}
	if len(all) == 0 {
		set := eval.Set{Docs: []eval.Doc{{Text: corpus.ManualText()}}}
		for _, q := range corpus.Questions {
			set.Questions = append(set.Questions, eval.Question{Text: q})
		}
		all = append(all, newPool(set))
	}
	return all
}

func newPool(set eval.Set) *textPool {
	p := &textPool{positions: map[string][]int{}, separator: " "}
	var text strings.Builder
	for _, d := range set.Docs {
		text.WriteString(d.Text + "\n")
	}
	p.size = text.Len()
	p.words = strings.Fields(text.String())
	if p.size > 20*len(p.words) { // written without spaces
		p.words, p.separator = strings.Split(text.String(), ""), ""
	}
	for i, w := range p.words {
		p.positions[w] = append(p.positions[w], i)
	}
	for _, q := range set.Questions {
		ask := retrieval.Query{Text: q.Text}
		for _, m := range q.History {
			if m.Author == parley.AuthorUser {
				ask.Earlier = append(ask.Earlier, m.Text())
			}
		}
		ask.Earlier = ask.Earlier[max(0, len(ask.Earlier)-maxEarlierMessages):]
		p.questions = append(p.questions, ask)
	}
	return p
}

const (
	passageBytes       = 1000 // bytes, about
	passagesPerSource  = 20   // passages
	rareShare          = 60   // one in so many words is nowhere else but in its source
	leapShare          = 4    // one in so many words goes on as at another of its places
	maxQuestions       = 500  // of a measure
	maxEarlierMessages = 3    // messages, as a turn hands them on
)

// generatePassages returns n passages: walks over the words of a pool, the next word being one that follows the last
// somewhere, with names and numbers of each source's own, so that pairs of words and the vocabulary are as those of
// real texts.
func generatePassages(all []*textPool, n int) (list []parley.Passage) {
	rng := rand.New(rand.NewPCG(7, uint64(n))) //nolint:gosec // texts, not secrets
	weight := 0
	for _, p := range all {
		weight += p.size
	}
	for source := 0; len(list) < n; source++ {
		p := poolByWeight(all, rng.IntN(weight))
		names := []string{corpus.RandomName(rng), corpus.RandomName(rng), fmt.Sprint(rng.IntN(1e6)),
			fmt.Sprintf("%s-%d", strings.ToUpper(corpus.RandomName(rng)[:3]), rng.IntN(9999))}
		s := parley.Passage{SourceID: parley.SourceID(parley.NewTimedUUID()),
			VersionID: parley.VersionID(parley.NewTimedUUID()), SourceName: "Text " + fmt.Sprint(source),
			VersionHash: fmt.Sprintf("%064x", source)}
		for i := range min(passagesPerSource, n-len(list)) {
			s.Ordinal, s.ID, s.Text = i, parley.PassageID(parley.NewTimedUUID()), p.generateText(rng, names)
			s.Heading = names[0] + " › " + strings.Join(strings.Fields(s.Text)[:min(4, len(strings.Fields(s.Text)))], " ")
			s.End = len(s.Text)
			list = append(list, s)
		}
	}
	return list
}

func poolByWeight(all []*textPool, at int) *textPool {
	for _, p := range all {
		if at -= p.size; at < 0 {
			return p
		}
	}
	return all[0]
}

func (p *textPool) generateText(rng *rand.Rand, names []string) string {
	var b strings.Builder
	at := rng.IntN(len(p.words))
	size := passageBytes/2 + rng.IntN(passageBytes)
	for b.Len() < size {
		b.WriteString(p.words[at])
		b.WriteString(p.separator)
		if rng.IntN(rareShare) == 0 {
			b.WriteString(names[rng.IntN(len(names))] + " ")
		}
		if places := p.positions[p.words[at]]; rng.IntN(leapShare) == 0 {
			at = places[rng.IntN(len(places))]
		}
		at = (at + 1) % len(p.words)
	}
	return b.String()
}

func mixedQuestions(all []*textPool) (list []retrieval.Query) {
	rng := rand.New(rand.NewPCG(11, 1)) //nolint:gosec // an order
	for _, p := range all {
		list = append(list, p.questions...)
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(maxQuestions, len(list))]
}
