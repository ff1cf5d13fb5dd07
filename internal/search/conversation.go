package search

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

const (
	messageBatchSize = 50     // messages of a conversation that are read at a time
	maxBucketBytes   = 12_000 // bytes of words; one that is as large gets no more
	// messages that are taken out singly; where more have been replaced the conversation is written anew
	maxReplaced = 100
)

// updateConversation brings a conversation in a generation up to date as far as the batch has space. It reports whether
// nothing is left to do.
func (b *batch) updateConversation(ctx context.Context, agent parley.AgentID, id parley.ConversationID,
	generation int64) (done bool, err error) {
	s, err := b.partition(ctx, agent, generation)
	if err != nil || s == nil {
		return err == nil, err
	}
	d, err := findDoc(ctx, b.db.SQL(), s.number, id)
	if err != nil {
		return false, err
	}
	is, err := b.db.ConversationState(ctx, b.account.AgentRef(agent).ConversationRef(id))
	switch {
	case err != nil:
		return false, err
	case is == nil && d == nil:
		return true, nil
	case is == nil:
		return b.removeConversation(ctx, d)
	case d != nil && d.seq == seqDeleting:
		_, err := b.removeConversation(ctx, d)
		return false, err
	}
	e := &conversationUpdate{batch: b, partition: s, state: is, isNew: d == nil}
	if e.isNew {
		if s.lastNumber >= maxConversations {
			return true, nil // sixteen million; those beyond are not found
		}
		s.lastNumber++
		d = &doc{agent: s.number, number: s.lastNumber, id: id, created: is.CreatedAt.UnixMilli(), replaced: is.ReplacedCount}
	}
	e.doc = *d
	return e.run(ctx)
}

// removeConversation takes a conversation out, in steps where it is long.
func (b *batch) removeConversation(ctx context.Context, d *doc) (done bool, err error) {
	space := max(b.remainingRows()-int(d.buckets)-1, 20)
	ids, err := b.index.ListIDs(ctx, b.db.SQL(), messageTable, conversationRange(d.agent, d.number, d.number), space)
	if err != nil {
		return false, err
	}
	b.dropMessages = append(b.dropMessages, ids...)
	if len(ids) == space {
		d.seq = seqDeleting
		b.changedDocs = append(b.changedDocs, d)
		return false, nil
	}
	for i := range d.buckets {
		b.dropBuckets = append(b.dropBuckets, rowID(d.agent, d.number, i))
	}
	b.deletedDocs = append(b.deletedDocs, d)
	return true, nil
}

// conversationUpdate is the change of one conversation.
type conversationUpdate struct {
	batch     *batch
	partition *agentPartition
	state     *store.ConversationState
	doc       doc
	isNew     bool

	newWords []string // that messages and title have brought
}

func (e *conversationUpdate) run(ctx context.Context) (done bool, err error) {
	before := e.doc
	if anew, err := e.removeReplaced(ctx); err != nil || anew {
		return false, err
	}
	done, err = e.addNewMessages(ctx)
	if err != nil {
		return false, err
	}
	e.updateTitle()
	facets, err := loadFacets(ctx, e.batch.db, &e.state.Conversation)
	if err != nil {
		return false, err
	}
	e.doc.facets, e.doc.active = facets.encode(), e.state.UpdatedAt.UnixMilli()
	if e.isNew || len(e.newWords) > 0 || e.doc.facets != before.facets {
		if err := e.fillBuckets(ctx, e.doc.facets != before.facets); err != nil {
			return false, err
		}
	}
	if e.isNew || e.doc != before {
		d := e.doc
		e.batch.changedDocs = append(e.batch.changedDocs, &d)
	}
	return done, nil
}

// removeReplaced takes the messages out that others have taken the place of. Where these are many, the conversation
// leaves as a whole, to come back as a new one.
func (e *conversationUpdate) removeReplaced(ctx context.Context) (anew bool, err error) {
	if e.isNew || e.state.ReplacedCount == e.doc.replaced {
		return false, nil
	}
	seqs, err := e.batch.db.ReplacedSeqs(ctx, e.state.AccountID.AgentRef(e.state.AgentID).ConversationRef(e.state.ID),
		e.doc.seq)
	if err != nil {
		return false, err
	}
	if len(seqs) > maxReplaced {
		d := e.doc
		_, err := e.batch.removeConversation(ctx, &d)
		return true, err
	}
	for _, seq := range seqs {
		id := rowID(e.doc.agent, e.doc.number, seq)
		existing, err := e.batch.index.ListIDs(ctx, e.batch.db.SQL(), messageTable, idRange{id, id}, 1)
		if err != nil {
			return false, err
		}
		if len(existing) > 0 {
			e.batch.dropMessages = append(e.batch.dropMessages, id)
			e.doc.needsCheck = true
		}
	}
	e.doc.replaced = e.state.ReplacedCount
	return false, nil
}

// addNewMessages takes in the messages that are new.
func (e *conversationUpdate) addNewMessages(ctx context.Context) (done bool, err error) {
	limit := min(messageBatchSize, max(e.batch.remainingRows(), 1))
	messages, err := e.batch.db.IndexableMessagesAfter(ctx,
		e.state.AccountID.AgentRef(e.state.AgentID).ConversationRef(e.state.ID), e.doc.seq, limit)
	if err != nil {
		return false, err
	}
	for _, m := range messages {
		e.doc.seq = m.Seq
		if m.Visible && m.Seq <= maxPlaces {
			e.addMessage(m.Seq, m.Text)
		}
	}
	return len(messages) < limit, nil
}

func (e *conversationUpdate) addMessage(place int64, text string) {
	if words := distinctWords(text); len(words) > 0 {
		e.batch.messageRows = append(e.batch.messageRows, row{rowID(e.doc.agent, e.doc.number, place), words})
		e.newWords = append(e.newWords, words...)
	}
}

// updateTitle takes in the title, as the message 0.
func (e *conversationUpdate) updateTitle() {
	if e.state.Title == e.doc.title {
		return
	}
	if e.doc.title != "" {
		e.doc.needsCheck = true
		e.batch.dropMessages = append(e.batch.dropMessages, rowID(e.doc.agent, e.doc.number, 0))
	}
	e.doc.title = e.state.Title
	e.addMessage(0, e.doc.title)
}

// fillBuckets adds the words that the buckets lack, and writes those that have changed.
func (e *conversationUpdate) fillBuckets(ctx context.Context, faceted bool) error {
	var list []bucket
	if !e.isNew {
		var err error
		if list, err = loadBuckets(ctx, e.batch.db.SQL(), e.doc.agent, e.doc.number); err != nil {
			return err
		}
	}
	changed := map[int]bool{}
	if len(list) == 0 {
		list = append(list, bucket{id: rowID(e.doc.agent, e.doc.number, 0)})
	}
	changed[0] = faceted || e.isNew
	alone := len(list) == 1
	for _, w := range missingWords(list, e.newWords) {
		last := len(list) - 1
		if len(list[last].words) >= maxBucketBytes {
			last++
			list = append(list, bucket{id: rowID(e.doc.agent, e.doc.number, int64(last))})
		}
		list[last].words = strings.TrimPrefix(list[last].words+" "+w, " ")
		changed[last] = true
	}
	if len(list) > 1 {
		changed[0] = changed[0] || alone
		e.doc.needsCheck, e.partition.hasMultipleBuckets = true, true
	}
	e.doc.buckets = int64(len(list))
	for i, is := range changed {
		if is {
			e.batch.addBucket(list[i], e.bucketTokens(list[i].words, i, len(list)))
		}
	}
	return nil
}

// bucketTokens are the tokens of a bucket's row.
func (e *conversationUpdate) bucketTokens(words string, i, of int) []string {
	tokens := strings.Fields(words)
	if i == 0 {
		tokens = append(tokens, strings.Fields(e.doc.facets)...)
	}
	if of > 1 {
		tokens = append(tokens, multiBucketToken)
	}
	return tokens
}

func (b *batch) addBucket(k bucket, tokens []string) {
	b.buckets = append(b.buckets, k)
	b.bucketRows = append(b.bucketRows, row{k.id, tokens})
}

// missingWords returns the words that no bucket holds, each once.
func missingWords(list []bucket, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, k := range list {
		if len(words) <= maxLinearWords {
			for _, w := range words {
				known[w] = known[w] || containsWord(k.words, w)
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

// maxLinearWords are looked for one by one; of more it is cheaper to take all that is known apart.
const maxLinearWords = 64

// containsWord reports whether a word is one of those in a bucket.
func containsWord(bucket, word string) bool {
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
