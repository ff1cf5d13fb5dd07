package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/eval"
	"parley/internal/retrieval"
)

// pool is a set's texts as one run of words, to be walked over in another order, and the questions that were asked about them.
type pool struct {
	words     []string
	at        map[string][]int // where a word stands
	gap       string           // between two words
	size      int              // bytes of text
	questions []retrieval.Query
}

// pools reads the public sets in the folder; without them the manual stands in.
func pools(folder string) (all []*pool) {
	for _, name := range []string{"clapnq", "mtrag-un", "ente-help", "xquad"} {
		sets, err := eval.Read(os.DirFS(filepath.Join(folder, name)), "")
		if err != nil {
			continue
		}
		for _, set := range sets {
			all = append(all, poolOf(set))
		}
	}
	if len(all) == 0 {
		set := eval.Set{Docs: []eval.Doc{{Text: manual()}}}
		for _, q := range questions {
			set.Questions = append(set.Questions, eval.Question{Text: q})
		}
		all = append(all, poolOf(set))
	}
	return all
}

func poolOf(set eval.Set) *pool {
	p := &pool{at: map[string][]int{}, gap: " "}
	var text strings.Builder
	for _, d := range set.Docs {
		text.WriteString(d.Text + "\n")
	}
	p.size = text.Len()
	p.words = strings.Fields(text.String())
	if p.size > 20*len(p.words) { // written without spaces
		p.words, p.gap = strings.Split(text.String(), ""), ""
	}
	for i, w := range p.words {
		p.at[w] = append(p.at[w], i)
	}
	for _, q := range set.Questions {
		ask := retrieval.Query{Text: q.Text}
		for _, m := range q.History {
			if m.Author == parley.ByUser {
				ask.Earlier = append(ask.Earlier, m.Text())
			}
		}
		ask.Earlier = ask.Earlier[max(0, len(ask.Earlier)-mostEarlier):]
		p.questions = append(p.questions, ask)
	}
	return p
}

const (
	passageSize   = 1000 // bytes, about
	sourceLength  = 20   // passages
	rareShare     = 60   // one in so many words stands nowhere else but in its source
	leapShare     = 4    // one in so many words goes on as at another of its places
	mostQuestions = 500  // of a measure
	mostEarlier   = 3    // messages, as a turn hands them on
)

// shelves makes n passages: walks over the words of a pool, the next word being one that follows the last somewhere, with names
// and numbers of each source's own, so that pairs of words and the vocabulary are as those of real texts.
func shelves(all []*pool, n int) (list []parley.Passage) {
	rng := rand.New(rand.NewPCG(7, uint64(n))) //nolint:gosec // texts, not secrets
	weight := 0
	for _, p := range all {
		weight += p.size
	}
	for source := 0; len(list) < n; source++ {
		p := heavy(all, rng.IntN(weight))
		names := []string{name(rng), name(rng), fmt.Sprint(rng.IntN(1e6)), fmt.Sprintf("%s-%d", strings.ToUpper(name(rng)[:3]), rng.IntN(9999))}
		s := parley.Passage{SourceID: parley.SourceID(parley.NewTimedUUID()), VersionID: parley.VersionID(parley.NewTimedUUID()), SourceName: "Text " + fmt.Sprint(source),
			VersionHash: fmt.Sprintf("%064x", source)}
		for i := range min(sourceLength, n-len(list)) {
			s.Ordinal, s.ID, s.Text = i, parley.PassageID(parley.NewTimedUUID()), p.walk(rng, names)
			s.Heading = names[0] + " › " + strings.Join(strings.Fields(s.Text)[:min(4, len(strings.Fields(s.Text)))], " ")
			s.End = len(s.Text)
			list = append(list, s)
		}
	}
	return list
}

func heavy(all []*pool, at int) *pool {
	for _, p := range all {
		if at -= p.size; at < 0 {
			return p
		}
	}
	return all[0]
}

func (p *pool) walk(rng *rand.Rand, names []string) string {
	var b strings.Builder
	at := rng.IntN(len(p.words))
	size := passageSize/2 + rng.IntN(passageSize)
	for b.Len() < size {
		b.WriteString(p.words[at])
		b.WriteString(p.gap)
		if rng.IntN(rareShare) == 0 {
			b.WriteString(names[rng.IntN(len(names))] + " ")
		}
		if places := p.at[p.words[at]]; rng.IntN(leapShare) == 0 {
			at = places[rng.IntN(len(places))]
		}
		at = (at + 1) % len(p.words)
	}
	return b.String()
}

// someAsked gives questions of all pools, mixed.
func someAsked(all []*pool) (list []retrieval.Query) {
	rng := rand.New(rand.NewPCG(11, 1)) //nolint:gosec // an order
	for _, p := range all {
		list = append(list, p.questions...)
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(mostQuestions, len(list))]
}
