package search

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

const (
	readTogether = 50     // messages of a conversation that are read at a time
	bucketSize   = 12_000 // bytes of words; one that is as large gets no more
	mostReplaced = 100    // messages that are taken out singly; where more have been replaced the conversation is written anew
)

// put brings a conversation in a generation up to date as far as there is room. It reports whether nothing is left to do.
func (b *batch) put(ctx context.Context, agent parley.AgentID, id parley.ConversationID, generation int64) (done bool, err error) {
	s, err := b.shelf(ctx, agent, generation)
	if err != nil || s == nil {
		return err == nil, err
	}
	d, err := docOf(ctx, b.db.SQL(), s.number, id)
	if err != nil {
		return false, err
	}
	is, err := b.db.Standing(ctx, b.account, agent, id)
	switch {
	case err != nil:
		return false, err
	case is == nil && d == nil:
		return true, nil
	case is == nil:
		return b.remove(ctx, d)
	case d != nil && d.seq == leaving:
		_, err := b.remove(ctx, d)
		return false, err
	}
	e := &edit{batch: b, shelf: s, is: is, fresh: d == nil}
	if e.fresh {
		if s.last >= mostInAgent {
			return true, nil // sixteen million; those beyond are not found
		}
		s.last++
		d = &doc{agent: s.number, number: s.last, id: id, created: is.CreatedAt.UnixMilli(), replaced: is.Replaced}
	}
	e.doc = *d
	return e.run(ctx)
}

// remove takes a conversation out, in steps where it is long.
func (b *batch) remove(ctx context.Context, d *doc) (done bool, err error) {
	room := max(b.room()-int(d.buckets)-1, 20)
	ids, err := b.index.Held(ctx, b.db.SQL(), byMessage, spanOf(d.agent, d.number, d.number), room)
	if err != nil {
		return false, err
	}
	b.dropMessages = append(b.dropMessages, ids...)
	if len(ids) == room {
		d.seq = leaving
		b.docs = append(b.docs, d)
		return false, nil
	}
	for i := range d.buckets {
		b.dropBuckets = append(b.dropBuckets, idOf(d.agent, d.number, i))
	}
	b.gone = append(b.gone, d)
	return true, nil
}

// edit is the change of one conversation.
type edit struct {
	batch *batch
	shelf *shelf
	is    *store.Standing
	doc   doc
	fresh bool

	words []string // that messages and title have brought
}

func (e *edit) run(ctx context.Context) (done bool, err error) {
	before := e.doc
	if anew, err := e.replace(ctx); err != nil || anew {
		return false, err
	}
	done, err = e.read(ctx)
	if err != nil {
		return false, err
	}
	e.entitle()
	facets, err := facetsOf(ctx, e.batch.db, &e.is.Conversation)
	if err != nil {
		return false, err
	}
	e.doc.facets, e.doc.active = facets.tokens(), e.is.UpdatedAt.UnixMilli()
	if e.fresh || len(e.words) > 0 || e.doc.facets != before.facets {
		if err := e.fill(ctx, e.doc.facets != before.facets); err != nil {
			return false, err
		}
	}
	if e.fresh || e.doc != before {
		d := e.doc
		e.batch.docs = append(e.batch.docs, &d)
	}
	return done, nil
}

// replace takes the messages out that others have taken the place of. Where these are many, the conversation leaves as a whole,
// to come back as a new one.
func (e *edit) replace(ctx context.Context) (anew bool, err error) {
	if e.fresh || e.is.Replaced == e.doc.replaced {
		return false, nil
	}
	seqs, err := e.batch.db.ReplacedSeqs(ctx, e.is.AccountID, e.is.AgentID, e.is.ID, e.doc.seq)
	if err != nil {
		return false, err
	}
	if len(seqs) > mostReplaced {
		d := e.doc
		_, err := e.batch.remove(ctx, &d)
		return true, err
	}
	for _, seq := range seqs {
		id := idOf(e.doc.agent, e.doc.number, seq)
		held, err := e.batch.index.Held(ctx, e.batch.db.SQL(), byMessage, span{id, id}, 1)
		if err != nil {
			return false, err
		}
		if len(held) > 0 {
			e.batch.dropMessages = append(e.batch.dropMessages, id)
			e.doc.doubtful = true
		}
	}
	e.doc.replaced = e.is.Replaced
	return false, nil
}

// read takes in the messages that are new.
func (e *edit) read(ctx context.Context) (done bool, err error) {
	limit := min(readTogether, max(e.batch.room(), 1))
	said, err := e.batch.db.SaidAfter(ctx, e.is.AccountID, e.is.AgentID, e.is.ID, e.doc.seq, limit)
	if err != nil {
		return false, err
	}
	for _, m := range said {
		e.doc.seq = m.Seq
		if m.Shown && m.Seq <= mostPlaces {
			e.message(m.Seq, m.Text)
		}
	}
	return len(said) < limit, nil
}

func (e *edit) message(place int64, text string) {
	if words := distinct(text); len(words) > 0 {
		e.batch.messages = append(e.batch.messages, row{idOf(e.doc.agent, e.doc.number, place), words})
		e.words = append(e.words, words...)
	}
}

// entitle takes in the title, as the message 0.
func (e *edit) entitle() {
	if e.is.Title == e.doc.title {
		return
	}
	if e.doc.title != "" {
		e.doc.doubtful = true
		e.batch.dropMessages = append(e.batch.dropMessages, idOf(e.doc.agent, e.doc.number, 0))
	}
	e.doc.title = e.is.Title
	e.message(0, e.doc.title)
}

// fill adds the words that the buckets lack, and writes those that have changed.
func (e *edit) fill(ctx context.Context, faceted bool) error {
	list, err := bucketsOf(ctx, e.batch.db.SQL(), e.doc.agent, e.doc.number)
	if err != nil {
		return err
	}
	changed := map[int]bool{}
	if len(list) == 0 {
		list = append(list, bucket{id: idOf(e.doc.agent, e.doc.number, 0)})
	}
	changed[0] = faceted || e.fresh
	alone := len(list) == 1
	for _, w := range missing(list, e.words) {
		last := len(list) - 1
		if len(list[last].words) >= bucketSize {
			last++
			list = append(list, bucket{id: idOf(e.doc.agent, e.doc.number, int64(last))})
		}
		list[last].words = strings.TrimPrefix(list[last].words+" "+w, " ")
		changed[last] = true
	}
	if len(list) > 1 {
		changed[0] = changed[0] || alone
		e.doc.doubtful, e.shelf.parted = true, true
	}
	e.doc.buckets = int64(len(list))
	for i, is := range changed {
		if is {
			e.batch.keep(list[i], e.tokensOf(list[i].words, i, len(list)))
		}
	}
	return nil
}

// tokensOf are the tokens of a bucket's row.
func (e *edit) tokensOf(words string, i, of int) []string {
	tokens := strings.Fields(words)
	if i == 0 {
		tokens = append(tokens, strings.Fields(e.doc.facets)...)
	}
	if of > 1 {
		tokens = append(tokens, parted)
	}
	return tokens
}

func (b *batch) keep(k bucket, tokens []string) {
	b.buckets = append(b.buckets, k)
	b.words = append(b.words, row{k.id, tokens})
}

// missing gives the words that no bucket holds, each once.
func missing(list []bucket, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, k := range list {
		if len(words) <= fewWords {
			for _, w := range words {
				known[w] = known[w] || stands(k.words, w)
			}
			continue
		}
		for w := range strings.SplitSeq(k.words, " ") {
			known[w] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		had := known[w]
		known[w] = true
		return had
	})
}

// fewWords are looked for one by one; of more it is cheaper to take all that is known apart.
const fewWords = 64

// stands reports whether a word is one of those in a bucket.
func stands(bucket, word string) bool {
	for at := 0; ; at++ {
		i := strings.Index(bucket[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		if (at == 0 || bucket[at-1] == ' ') && (end == len(bucket) || bucket[end] == ' ') {
			return true
		}
	}
}
