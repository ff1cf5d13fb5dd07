package search

import (
	"context"

	"parley"
	"parley/internal/store"
)

// loadedConversations is what conversations are indexed from, read with a statement for each kind of row instead of one
// for each conversation.
type loadedConversations struct {
	docs     map[parley.ConversationID]*doc
	states   map[parley.ConversationID]*store.ConversationState
	messages map[parley.ConversationID][]store.IndexableMessage // all of a conversation, or none where it is long
	facets   map[parley.ConversationID]store.ConversationFacets
}

// load reads conversations that are updated next. They are read in the same order as a single one is, so that what
// changes meanwhile is not taken for indexed.
func (b *batch) load(ctx context.Context, ap *agentPartition, agent parley.AgentID, ids []parley.ConversationID) error {
	ref := b.account.AgentRef(agent)
	docs, err := findDocs(ctx, b.db.SQL(), ap.number, ids)
	if err != nil {
		return err
	}
	states, err := b.db.ConversationStates(ctx, ref, ids)
	if err != nil {
		return err
	}
	messages, err := b.db.FirstIndexableMessages(ctx, ref, b.shortOnes(ids, states), messageBatchSize)
	if err != nil {
		return err
	}
	facets, err := b.db.FacetsOfConversations(ctx, ref, ids)
	b.loaded = &loadedConversations{docs, states, messages, facets}
	return err
}

// shortOnes are the conversations whose messages are read together: as many as the batch has space for, and none that
// is read in steps.
func (b *batch) shortOnes(ids []parley.ConversationID,
	states map[parley.ConversationID]*store.ConversationState) (list []parley.ConversationID) {
	space := int64(b.remainingRows())
	for _, id := range ids {
		st := states[id]
		if st == nil || st.LastSeq > messageBatchSize {
			continue
		}
		if space -= st.LastSeq; space < 0 {
			break
		}
		list = append(list, id)
	}
	return list
}

func (b *batch) findDoc(ctx context.Context, agent int64, id parley.ConversationID) (*doc, error) {
	if b.loaded != nil {
		return b.loaded.docs[id], nil
	}
	return findDoc(ctx, b.db.SQL(), agent, id)
}

func (b *batch) findState(ctx context.Context, ref parley.ConversationRef) (*store.ConversationState, error) {
	if b.loaded != nil {
		return b.loaded.states[ref.Conversation], nil
	}
	return b.db.ConversationState(ctx, ref)
}

func (b *batch) messagesAfter(ctx context.Context, ref parley.ConversationRef, seq int64,
	limit int) ([]store.IndexableMessage, error) {
	if b.loaded != nil && seq == 0 {
		if list := b.loaded.messages[ref.Conversation]; len(list) > 0 {
			return list[:min(limit, len(list))], nil
		}
	}
	return b.db.IndexableMessagesAfter(ctx, ref, seq, limit)
}

func (b *batch) findFacets(ctx context.Context, ref parley.ConversationRef) (store.ConversationFacets, error) {
	if b.loaded != nil {
		return b.loaded.facets[ref.Conversation], nil
	}
	return b.db.ConversationFacets(ctx, ref)
}
