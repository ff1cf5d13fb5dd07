package search

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const (
	buildBatchSize = 20 // conversations that are read together; a batch takes up about as many
	buildTimeSlice = time.Second
)

// buildGeneration puts conversations into the generation that is being built, by agent and in the order of their
// creation, from where the state says. When all are in it, it takes the place of the one that answered until then.
func (x *Indexer) buildGeneration(ctx context.Context, b *batch, st *indexState) (more bool, err error) {
	agents, err := x.DB.AgentIDs(ctx, st.account.AgentRef(st.buildingAgent))
	if err != nil {
		return false, err
	}
	for _, agent := range agents {
		if agent != st.buildingAgent {
			st.buildingAgent, st.lastBuilt = agent, parley.Cursor{}
		}
		if end, err := x.buildAgent(ctx, b, st); err != nil || !end {
			return true, err
		}
	}
	if st.generation != st.buildingGeneration {
		b.keptGeneration, b.retiredAt = st.buildingGeneration, x.Now().UnixMilli()
	}
	st.generation, st.buildingGeneration, st.buildingAgent, st.lastBuilt = st.buildingGeneration, 0, "", parley.Cursor{}
	return false, nil
}

// buildAgent goes on with the agent that is being built, as far as the batch has space, and reports whether that was
// its end.
func (x *Indexer) buildAgent(ctx context.Context, b *batch, st *indexState) (end bool, err error) {
	for {
		list, err := x.DB.ConversationsCreatedAfter(ctx, st.account.AgentRef(st.buildingAgent), st.lastBuilt, buildBatchSize)
		if err != nil || len(list) == 0 {
			return err == nil, err
		}
		if b.remainingRows() <= 0 {
			return false, nil
		}
		if err := b.loadFrom(ctx, st, list); err != nil {
			return false, err
		}
		for _, m := range list {
			if b.remainingRows() <= 0 {
				return false, nil
			}
			if done, err := b.updateConversation(ctx, st.buildingAgent, parley.ConversationID(m.ID),
				st.buildingGeneration); err != nil || !done {
				return false, err
			}
			st.lastBuilt = m
		}
	}
}

// loadFrom reads the conversations of a list that are to be built next.
func (b *batch) loadFrom(ctx context.Context, st *indexState, list []parley.Cursor) error {
	ap, err := b.partition(ctx, st.buildingAgent, st.buildingGeneration)
	if err != nil || ap == nil {
		return err
	}
	ids := make([]parley.ConversationID, len(list))
	for i, m := range list {
		ids[i] = parley.ConversationID(m.ID)
	}
	return b.load(ctx, ap, st.buildingAgent, ids)
}

// Progress is how far the index of an account has been built.
type Progress struct {
	Done  bool  // nothing is being built
	Built int64 // conversations in what is being built
	Total int64 // that there are, about
}

// Rebuild begins to build the index of an account again; the old one answers meanwhile. One that is being built goes
// on.
func (x *Indexer) Rebuild(ctx context.Context, account parley.AccountID) error {
	st, err := findIndexState(ctx, x.DB.SQL(), account)
	if err != nil {
		return err
	}
	if st == nil {
		return createIndex(ctx, x.DB, account)
	}
	return startRebuild(ctx, x.DB.SQL(), account)
}

// Build goes on building the index of an account for about a second, and returns how far it is.
func (x *Indexer) Build(ctx context.Context, account parley.AccountID) (Progress, error) {
	until := x.Now().Add(buildTimeSlice)
	for {
		if _, err := x.Step(ctx, account); err != nil {
			return Progress{}, err
		}
		progress, err := x.progress(ctx, account)
		if err != nil || progress.Done || !x.Now().Before(until) {
			return progress, err
		}
	}
}

func (x *Indexer) progress(ctx context.Context, account parley.AccountID) (Progress, error) {
	st, err := findIndexState(ctx, x.DB.SQL(), account)
	if err != nil || st == nil {
		return Progress{}, err
	}
	progress := Progress{Done: st.buildingGeneration == 0}
	generation := max(st.buildingGeneration, st.generation)
	progress.Built, err = sqldb.One(ctx, x.DB.SQL(), sqldb.Column[int64], `
		select coalesce(cast(sum(last) as bigint), 0)
		from search_agents
		where account_id = ? and generation = ?`, account, generation)
	if err != nil {
		return progress, err
	}
	progress.Total, err = x.DB.CountAccountConversations(ctx, account)
	return progress, err
}
