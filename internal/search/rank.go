package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"parley/internal/store"
	"parley/internal/text/words"
)

const (
	maxFullMatches          = 2000 // messages with all words that are counted, from the newest
	maxReranked             = 64   // conversations whose messages are read
	maxRerankTexts          = 64   // messages that are read for that
	maxTextsPerConversation = 3
)

// rankedDoc is a conversation with how well it matches.
type rankedDoc struct {
	doc
	score       float64
	fullMatches []int64        // messages that hold all words, the newest first
	bestMessage *scoredMessage // the message that matches best, where it is known
}

// rankPage finds the first page of a search for words, and fixes those that follow.
func (s *searchRun) rankPage(ctx context.Context) (*Page, error) {
	on, list, rest, err := s.rankAgent(ctx)
	if err != nil || len(list) == 0 {
		return &Page{}, err
	}
	limit := min(s.plan.limit, len(list))
	page, err := s.buildPage(ctx, list[:limit])
	if err != nil || limit == len(list) && rest == 0 {
		return page, err
	}
	w := &rankingSnapshot{Partition: on.id(), Rest: rest}
	for _, c := range list {
		w.Ranked = append(w.Ranked, c.number)
	}
	id := ""
	if limit < len(list) {
		if id, err = s.storeSnapshot(ctx, w); err != nil {
			return nil, err
		}
	}
	page.Cursor = s.cursorAfter(w, id, int64(limit))
	return page, nil
}

// rankAgent ranks the conversations of the agent that hold the words, at most maxRanked, the best first. rest is the
// number below which there may be more; 0 is the end.
func (s *searchRun) rankAgent(ctx context.Context) (on *agentPartition, list []rankedDoc, rest int64, err error) {
	on, err = findLivePartition(ctx, s.DB.SQL(), s.account.AgentRef(s.agent))
	if err != nil || on == nil || len(s.plan.words) == 0 {
		return nil, nil, 0, err
	}
	s.askForTokensOf(on)
	found, rest, err := s.candidates(ctx, on, on.lastNumber+1, maxRanked, loadSummaries)
	if err != nil || len(found) == 0 {
		return on, nil, 0, err
	}
	list, err = s.rankDocs(ctx, on, found, rest == 0)
	return on, list, rest, err
}

// rankDocs ranks conversations: first by what the index tells of them, then the best of them by what their messages
// say. isComplete tells that no others match.
func (s *searchRun) rankDocs(ctx context.Context, on *agentPartition, found []doc,
	isComplete bool) ([]rankedDoc, error) {
	full, err := s.findFullMatches(ctx, on, found, isComplete)
	if err != nil {
		return nil, err
	}
	list := make([]rankedDoc, len(found))
	for i, d := range found {
		list[i] = rankedDoc{doc: d, fullMatches: full[d.number]}
		list[i].score = s.coarseScore(&list[i])
	}
	slices.SortFunc(list, compareRanked)
	head := list[:min(len(list), maxReranked)]
	if err := s.loadIDs(ctx, on, head); err != nil {
		return nil, err
	}
	if err := s.findBestMessages(ctx, head); err != nil {
		return nil, err
	}
	for i := range head {
		if head[i].bestMessage != nil {
			head[i].score += head[i].bestMessage.score
		}
	}
	slices.SortFunc(head, compareRanked)
	return list, nil
}

// compareRanked orders by score, then by activity, then by number, the newest first.
func compareRanked(a, b rankedDoc) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.active, a.active), cmp.Compare(b.number, a.number))
}

// loadIDs reads the ids that summaries lack. One that is gone meanwhile stays without.
func (s *searchRun) loadIDs(ctx context.Context, on *agentPartition, list []rankedDoc) error {
	numbers := make([]int64, len(list))
	for i := range list {
		numbers[i] = list[i].number
	}
	docs, err := loadDocIDs(ctx, s.DB.SQL(), on.number, numbers)
	for i := range list {
		if d, ok := docs[list[i].number]; ok {
			list[i].id = d.id
		}
	}
	return err
}

// findFullMatches finds the messages that hold all words, by conversation.
func (s *searchRun) findFullMatches(ctx context.Context, on *agentPartition, found []doc,
	isComplete bool) (map[int64][]int64, error) {
	numbers, messages := make([]int64, len(found)), int64(0)
	for i, d := range found {
		numbers[i], messages = d.number, messages+d.seq+1
	}
	var ids []int64
	var err error
	if isComplete && s.plan.hasOnlyWords() && messages <= maxFullMatches {
		ids, err = s.index.FindFew(ctx, s.DB.SQL(), messageTable, s.allWordsExpr(), on.number, numbers, maxFullMatches)
	} else {
		ids, err = s.index.Find(ctx, s.DB.SQL(), messageTable, s.allWordsExpr(),
			conversationRange(on.number, numbers[len(numbers)-1], numbers[0]), maxFullMatches)
	}
	all := map[int64][]int64{}
	for _, id := range ids {
		n := conversationOfRow(id)
		all[n] = append(all[n], placeOfRow(id))
	}
	return all, err
}

func (s *searchRun) allWordsExpr() expr {
	var e expr
	for _, w := range s.plan.words {
		e.groups = append(e.groups, w.forms)
	}
	return e
}

// coarseScore scores a conversation by the index alone: that one message holds all words, how many do, and what the
// title holds.
func (s *searchRun) coarseScore(c *rankedDoc) float64 {
	score := 0.0
	if len(c.fullMatches) > 0 {
		score += 10 + math.Min(float64(len(c.fullMatches)), 8)/4
	}
	if c.title == "" {
		return score
	}
	hits, title := 0, distinctWords(c.title)
	for _, w := range s.plan.words {
		if slices.ContainsFunc(w.forms, func(form string) bool { return slices.Contains(title, form) }) {
			hits++
		}
	}
	return score + 4*float64(hits)/float64(len(s.plan.words))
}

// scoredMessage is a message with how well it matches.
type scoredMessage struct {
	store.IndexableMessage
	score float64
}

// findBestMessages finds the best message of each conversation among the newest that hold all words.
func (s *searchRun) findBestMessages(ctx context.Context, list []rankedDoc) error {
	var places []store.MessageRef
	each := min(maxTextsPerConversation, max(1, maxRerankTexts/max(1, len(list))))
	for _, c := range list {
		taken := 0
		for _, seq := range c.fullMatches {
			if seq > 0 && taken < each {
				places, taken = append(places, store.MessageRef{Conversation: c.id, Seq: seq}), taken+1
			}
		}
	}
	return s.chooseBest(ctx, list, places)
}

// chooseBest reads messages and sets each conversation's best one.
func (s *searchRun) chooseBest(ctx context.Context, list []rankedDoc, places []store.MessageRef) error {
	read, err := s.DB.IndexableMessagesAt(ctx, s.account.AgentRef(s.agent), places)
	if err != nil {
		return err
	}
	best := map[string]*scoredMessage{}
	for _, m := range read {
		one := &scoredMessage{m, s.plan.score(m.Text)}
		if known := best[string(m.Conversation)]; known == nil || one.score > known.score || one.score == known.score &&
			one.Seq > known.Seq {
			best[string(m.Conversation)] = one
		}
	}
	for i := range list {
		if b := best[string(list[i].id)]; b != nil && b.score > 0 {
			list[i].bestMessage = b
		}
	}
	return nil
}

// score returns how well a text matches, from 0 for not at all to about 9: how much of it the words are, how close they
// stand together, and whether they are spelled as they were asked for.
func (p *queryPlan) score(text string) float64 {
	at := map[string][]int{}
	for i, w := range p.words {
		for _, form := range w.forms {
			at[form] = append(at[form], i)
		}
	}
	counts, exact, last := make([]float64, len(p.words)), make([]bool, len(p.words)), make([]int, len(p.words))
	length, seen, closest := 0, 0, math.MaxInt
	for t := range tokensWithForms(text) {
		if (t.isPart || t.isForm) && at[t.word] == nil {
			continue
		}
		if !t.isForm {
			length++
		}
		for _, i := range at[t.word] {
			if counts[i]++; counts[i] == 1 {
				seen++
			}
			exact[i] = exact[i] || strings.Contains(p.text, text[t.start:t.end])
			if last[i] = length; seen == len(p.words) {
				closest = min(closest, length-slices.Min(last)+1)
			}
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
	return score + p.exactScore(text)
}

// exactWorth is what a text gains that holds what was asked for as it was asked for: more than all else but that its
// message holds all words.
const exactWorth = 6

// exactScore scores that a text holds the query's words in the form in which they were asked for, where they have
// several.
func (p *queryPlan) exactScore(text string) float64 {
	if !slices.ContainsFunc(p.words, func(w queryWord) bool { return len(w.forms) > 1 || hasDigit(w.forms[0]) }) {
		return 0
	}
	parts, text, found := strings.Fields(words.Fold(p.text)), words.Fold(text), 0
	for _, part := range parts {
		if strings.Contains(text, part) {
			found++
		}
	}
	share := float64(found) / float64(max(1, len(parts)))
	if strings.Contains(text, strings.Join(parts, " ")) {
		share++
	}
	return exactWorth * share / 2
}
