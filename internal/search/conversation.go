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
	// messages that are taken out singly; where more have been replaced the conversation is rewritten
	maxReplaced = 100
)

// updateConversation brings a conversation in a generation up to date as far as the batch has space. It reports whether
// nothing is left to do.
func (b *batch) updateConversation(ctx context.Context, agent parley.AgentID, id parley.ConversationID,
	generation int64) (done bool, err error) {
	ap, err := b.partition(ctx, agent, generation)
	if err != nil || ap == nil {
		return err == nil, err
	}
	ref := b.account.AgentRef(agent).ConversationRef(id)
	d, err := b.findDoc(ctx, ap.number, id)
	if err != nil {
		return false, err
	}
	state, err := b.findState(ctx, ref)
	switch {
	case err != nil:
		return false, err
	case state == nil && d == nil:
		return true, nil
	case state == nil:
		return b.removeConversation(ctx, d)
	case d != nil && d.seq == seqDeleting:
		_, err := b.removeConversation(ctx, d)
		return false, err
	}
	u := &conversationUpdate{batch: b, partition: ap, state: state, isNew: d == nil}
	if u.isNew {
		if ap.lastNumber >= maxConversations {
			return true, nil // sixteen million; those beyond are not found
		}
		ap.lastNumber++
		d = &doc{agent: ap.number, number: ap.lastNumber, id: id, created: state.CreatedAt.UnixMilli(),
			replaced: state.ReplacedCount}
	}
	u.doc = *d
	return u.run(ctx)
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

func (u *conversationUpdate) run(ctx context.Context) (done bool, err error) {
	before := u.doc
	if isRemoved, err := u.removeReplaced(ctx); err != nil || isRemoved {
		return false, err
	}
	done, err = u.addNewMessages(ctx)
	if err != nil {
		return false, err
	}
	u.updateTitle()
	stored, err := u.batch.findFacets(ctx, u.state.Ref())
	if err != nil {
		return false, err
	}
	u.doc.facets = newFacets(&u.state.Conversation, &stored).encode()
	u.doc.active = u.state.UpdatedAt.UnixMilli()
	if u.isNew || len(u.newWords) > 0 || u.doc.facets != before.facets {
		if err := u.fillBuckets(ctx, u.doc.facets != before.facets); err != nil {
			return false, err
		}
	}
	if u.isNew || u.doc != before {
		d := u.doc
		u.batch.changedDocs = append(u.batch.changedDocs, &d)
	}
	return done, nil
}

// removeReplaced takes the messages out that others have taken the place of. Where these are many, the conversation
// leaves as a whole, to come back as a new one.
func (u *conversationUpdate) removeReplaced(ctx context.Context) (isRemoved bool, err error) {
	if u.isNew || u.state.ReplacedCount == u.doc.replaced {
		return false, nil
	}
	seqs, err := u.batch.db.ReplacedSeqs(ctx, u.state.AccountID.AgentRef(u.state.AgentID).ConversationRef(u.state.ID),
		u.doc.seq)
	if err != nil {
		return false, err
	}
	if len(seqs) > maxReplaced {
		d := u.doc
		_, err := u.batch.removeConversation(ctx, &d)
		return true, err
	}
	for _, seq := range seqs {
		id := rowID(u.doc.agent, u.doc.number, seq)
		existing, err := u.batch.index.ListIDs(ctx, u.batch.db.SQL(), messageTable, idRange{id, id}, 1)
		if err != nil {
			return false, err
		}
		if len(existing) > 0 {
			u.batch.dropMessages = append(u.batch.dropMessages, id)
			u.doc.needsCheck = true
		}
	}
	u.doc.replaced = u.state.ReplacedCount
	return false, nil
}

// addNewMessages takes in the messages that are new.
func (u *conversationUpdate) addNewMessages(ctx context.Context) (done bool, err error) {
	limit := min(messageBatchSize, max(u.batch.remainingRows(), 1))
	messages, err := u.batch.messagesAfter(ctx, u.state.Ref(), u.doc.seq, limit)
	if err != nil {
		return false, err
	}
	for _, m := range messages {
		u.doc.seq = m.Seq
		if m.Visible && m.Seq <= maxPlaces {
			u.addMessage(m.Seq, m.Text)
		}
	}
	return len(messages) < limit, nil
}

func (u *conversationUpdate) addMessage(place int64, text string) {
	if words := distinctWords(text); len(words) > 0 {
		u.batch.messageRows = append(u.batch.messageRows, row{rowID(u.doc.agent, u.doc.number, place), words})
		u.newWords = append(u.newWords, words...)
	}
}

// updateTitle takes in the title, as the message 0.
func (u *conversationUpdate) updateTitle() {
	if u.state.Title == u.doc.title {
		return
	}
	if u.doc.title != "" {
		u.doc.needsCheck = true
		u.batch.dropMessages = append(u.batch.dropMessages, rowID(u.doc.agent, u.doc.number, 0))
	}
	u.doc.title = u.state.Title
	u.addMessage(0, u.doc.title)
}

// fillBuckets adds the words that the buckets lack, and writes those that have changed.
func (u *conversationUpdate) fillBuckets(ctx context.Context, faceted bool) error {
	var list []bucket
	if !u.isNew {
		var err error
		if list, err = loadBuckets(ctx, u.batch.db.SQL(), u.doc.agent, u.doc.number); err != nil {
			return err
		}
	}
	changed := map[int]bool{}
	if len(list) == 0 {
		list = append(list, bucket{id: rowID(u.doc.agent, u.doc.number, 0)})
	}
	changed[0] = faceted || u.isNew
	isSingle := len(list) == 1
	for _, w := range missingWords(list, u.newWords) {
		last := len(list) - 1
		if len(list[last].words) >= maxBucketBytes {
			last++
			list = append(list, bucket{id: rowID(u.doc.agent, u.doc.number, int64(last))})
		}
		list[last].words = strings.TrimPrefix(list[last].words+" "+w, " ")
		changed[last] = true
	}
	if len(list) > 1 {
		changed[0] = changed[0] || isSingle
		u.doc.needsCheck, u.partition.hasMultipleBuckets = true, true
	}
	u.doc.buckets = int64(len(list))
	for i, isChanged := range changed {
		if isChanged {
			u.batch.addBucket(list[i], u.bucketTokens(list[i].words, i, len(list)))
		}
	}
	return nil
}

// bucketTokens are the tokens of a bucket's row.
func (u *conversationUpdate) bucketTokens(words string, i, of int) []string {
	tokens := strings.Fields(words)
	if i == 0 {
		tokens = append(tokens, strings.Fields(u.doc.facets)...)
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
		isKnown := known[w]
		known[w] = true
		return isKnown
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
