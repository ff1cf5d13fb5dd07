package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"parley/internal/store"
)

const (
	wholeAtOnce = 2000 // messages with all words that are counted, from the newest
	closely     = 64   // conversations whose messages are read
	texts       = 64   // messages that are read for that
	textsOfOne  = 3
)

// scored is a conversation with how well it matches.
type scored struct {
	doc
	score float64
	whole []int64 // messages that hold all words, the newest first
	best  *said   // the message that matches best, where it is known
}

// rank finds the first page of a search for words, and fixes those that follow.
func (s *search) rank(ctx context.Context) (*Page, error) {
	on, err := liveShelf(ctx, s.DB.SQL(), s.account, s.agent)
	if err != nil || on == nil || len(s.plan.words) == 0 {
		return &Page{}, err
	}
	found, rest, err := s.candidates(ctx, on, on.last+1, mostRanked, glancesAt)
	if err != nil || len(found) == 0 {
		return &Page{}, err
	}
	list, err := s.order(ctx, on, found)
	if err != nil {
		return nil, err
	}
	limit := min(s.plan.limit, len(list))
	page, err := s.show(ctx, list[:limit])
	if err != nil || limit == len(list) && rest == 0 {
		return page, err
	}
	w := &walk{Shelf: on.id(), Rest: rest}
	for _, c := range list {
		w.Ranked = append(w.Ranked, c.number)
	}
	id := ""
	if limit < len(list) {
		if id, err = s.keep(ctx, w); err != nil {
			return nil, err
		}
	}
	page.Cursor = s.after(w, id, int64(limit))
	return page, nil
}

// order ranks conversations: first by what the index tells of them, then the best of them by what their messages say.
func (s *search) order(ctx context.Context, on *shelf, found []doc) ([]scored, error) {
	whole, err := s.whole(ctx, on, found)
	if err != nil {
		return nil, err
	}
	list := make([]scored, len(found))
	for i, d := range found {
		list[i] = scored{doc: d, whole: whole[d.number]}
		list[i].score = s.coarse(&list[i])
	}
	slices.SortFunc(list, better)
	head := list[:min(len(list), closely)]
	if err := s.identify(ctx, on, head); err != nil {
		return nil, err
	}
	if err := s.readBest(ctx, head); err != nil {
		return nil, err
	}
	for i := range head {
		if head[i].best != nil {
			head[i].score += head[i].best.score
		}
	}
	slices.SortFunc(head, better)
	return list, nil
}

// better orders by score, then by activity, then by number, the newest first.
func better(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.active, a.active), cmp.Compare(b.number, a.number))
}

// identify reads what a glance has left out. One that is gone meanwhile stays without an id.
func (s *search) identify(ctx context.Context, on *shelf, list []scored) error {
	numbers := make([]int64, len(list))
	for i := range list {
		numbers[i] = list[i].number
	}
	docs, err := docsAt(ctx, s.DB.SQL(), on.number, numbers)
	for i := range list {
		if d, there := docs[list[i].number]; there {
			list[i].doc = d
		}
	}
	return err
}

// whole finds the messages that hold all words, by conversation.
func (s *search) whole(ctx context.Context, on *shelf, found []doc) (map[int64][]int64, error) {
	first, last := found[0].number, found[0].number
	for _, d := range found {
		first, last = min(first, d.number), max(last, d.number)
	}
	ids, err := s.index.Find(ctx, s.DB.SQL(), byMessage, s.allWords(), spanOf(on.number, first, last), wholeAtOnce)
	all := map[int64][]int64{}
	for _, id := range ids {
		n := conversationOf(id)
		all[n] = append(all[n], placeOf(id))
	}
	return all, err
}

func (s *search) allWords() expr {
	var e expr
	for _, w := range s.plan.words {
		e.groups = append(e.groups, []string{w})
	}
	return e
}

// coarse scores a conversation by the index alone: that one message holds all words, how many do, and what the title holds.
func (s *search) coarse(c *scored) float64 {
	score := 0.0
	if len(c.whole) > 0 {
		score += 10 + math.Min(float64(len(c.whole)), 8)/4
	}
	if c.title == "" {
		return score
	}
	hits, title := 0, distinct(c.title)
	for _, w := range s.plan.words {
		if slices.Contains(title, w) {
			hits++
		}
	}
	return score + 4*float64(hits)/float64(len(s.plan.words))
}

// said is a message with how well it matches.
type said struct {
	store.Said
	score float64
}

// readBest finds the best message of each conversation among the newest that hold all words.
func (s *search) readBest(ctx context.Context, list []scored) error {
	var places []store.Place
	each := min(textsOfOne, max(1, texts/max(1, len(list))))
	for _, c := range list {
		taken := 0
		for _, seq := range c.whole {
			if seq > 0 && taken < each {
				places, taken = append(places, store.Place{Conversation: c.id, Seq: seq}), taken+1
			}
		}
	}
	return s.choose(ctx, list, places)
}

// choose reads messages and gives each conversation the best of its own.
func (s *search) choose(ctx context.Context, list []scored, places []store.Place) error {
	read, err := s.DB.SaidAt(ctx, s.account, s.agent, places)
	if err != nil {
		return err
	}
	best := map[string]*said{}
	for _, m := range read {
		one := &said{m, s.plan.score(m.Text)}
		if has := best[string(m.Conversation)]; has == nil || one.score > has.score || one.score == has.score && one.Seq > has.Seq {
			best[string(m.Conversation)] = one
		}
	}
	for i := range list {
		if b := best[string(list[i].id)]; b != nil && b.score > 0 {
			list[i].best = b
		}
	}
	return nil
}

// score tells how well a text matches, from 0 for not at all to about 9: how much of it the words are, how close they stand
// together, and whether they are spelled as they were asked for.
func (p *plan) score(text string) float64 {
	at := map[string]int{}
	for i, w := range p.words {
		at[w] = i
	}
	counts, exact, last := make([]float64, len(p.words)), make([]bool, len(p.words)), make([]int, len(p.words))
	length, seen, closest := 0, 0, math.MaxInt
	for t := range tokens(text) {
		if t.part {
			if _, is := at[t.word]; !is {
				continue
			}
		}
		length++
		i, is := at[t.word]
		if !is {
			continue
		}
		if counts[i]++; counts[i] == 1 {
			seen++
		}
		exact[i] = exact[i] || strings.Contains(p.text, text[t.start:t.end])
		if last[i] = length; seen == len(p.words) {
			closest = min(closest, length-slices.Min(last)+1)
		}
	}
	if seen == 0 {
		return 0
	}
	n, score := float64(len(p.words)), 0.0
	for i, c := range counts {
		score += 3 * c / (c + 1.2*(0.25+0.75*float64(length)/30)) / n
		if exact[i] {
			score += 0.5 / n
		}
	}
	score += 2 * float64(seen) / n
	if seen == len(p.words) && n > 1 {
		score += 3 * n / math.Max(n, float64(closest))
	}
	return score
}
