package retrieval

import (
	"container/list"
	"context"
	"sync"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/text/dictionary"
)

// DefaultBudget is how many bytes of indexes Indexes keeps by default.
const DefaultBudget = 256 << 20

// Indexes keeps the passages table and, in memory, the indexes of the agents asked about last. Its zero value with a DB
// is ready to use.
type Indexes struct {
	DB     *sqldb.DB
	Budget int64 // bytes of indexes to keep; 0 is DefaultBudget. The index in use stays, however large

	Dictionaries *dictionary.Set // translate questions; nil for none

	VectorModel string // whose vectors are used (model.Embedder's Name); empty for none

	// returns whose vectors an agent's passages are searched by, where agents differ; nil is VectorModel for all
	VectorModelOf func(ctx context.Context, agent parley.AgentID) (string, error)

	mu        sync.Mutex
	entries   map[parley.AgentID]*list.Element // of *agentIndex
	lru       list.List                        // the most recently used is in front
	heldBytes int64
	release   memoryRelease
}

// agentIndex is the index of one agent and the passage version that it shows. Both are changed only under refreshLock.
type agentIndex struct {
	agent       parley.AgentID
	vectorModel string // whose vectors are in it
	refreshLock chan struct{}
	mu          sync.RWMutex
	index       *Index
	version     int64 // 0 before the first reading
	bytes       int64 // as counted in Indexes.heldBytes

	isRebuilding bool // another index is being built to replace index; guarded by refreshLock
}

// Warm brings the agent's index to the passage version, as the next question would.
func (ix *Indexes) Warm(ctx context.Context, agent parley.AgentID, passageVersion int64) error {
	_, err := ix.loadIndex(ctx, agent, passageVersion)
	return err
}

// Nearest returns the hits among the agent's passages as they were at the passage version, or later, best first. The
// first question after a change reads what changed.
func (ix *Indexes) Nearest(ctx context.Context, agent parley.AgentID, passageVersion int64, q Query) ([]Hit, error) {
	index, err := ix.loadIndex(ctx, agent, passageVersion)
	if err != nil {
		return nil, err
	}
	q.Dictionaries = ix.Dictionaries
	return index.Nearest(q), nil
}

// Overview returns the first passages of n of the agent's sources, by their names: what the agent can be asked about.
func (ix *Indexes) Overview(ctx context.Context, agent parley.AgentID, passageVersion int64, n int) ([]Hit, error) {
	index, err := ix.loadIndex(ctx, agent, passageVersion)
	if err != nil {
		return nil, err
	}
	return index.firstPassages(n), nil
}

// loadIndex returns the agent's index as it is at the passage version, or later.
func (ix *Indexes) loadIndex(ctx context.Context, agent parley.AgentID, passageVersion int64) (*Index, error) {
	model, err := ix.vectorModel(ctx, agent)
	if err != nil {
		return nil, err
	}
	v := ix.agentIndex(agent, model)
	if index, version := v.current(); version >= passageVersion {
		return index, nil
	}
	return ix.refresh(ctx, v, passageVersion)
}

// Drop removes the agent's index from memory.
func (ix *Indexes) Drop(agent parley.AgentID) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if e, ok := ix.entries[agent]; ok {
		ix.remove(e)
	}
}

// vectorModel returns whose vectors the agent's passages are searched by; empty for none.
func (ix *Indexes) vectorModel(ctx context.Context, agent parley.AgentID) (string, error) {
	if ix.VectorModelOf == nil {
		return ix.VectorModel, nil
	}
	return ix.VectorModelOf(ctx, agent)
}

// agentIndex returns the agent's index with the vectors of a model. One with those of another model is dropped: vectors
// of two models cannot be compared.
func (ix *Indexes) agentIndex(agent parley.AgentID, model string) *agentIndex {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if e, ok := ix.entries[agent]; ok {
		if v := e.Value.(*agentIndex); v.vectorModel == model {
			ix.lru.MoveToFront(e)
			return v
		}
		ix.remove(e)
	}
	if ix.entries == nil {
		ix.entries = map[parley.AgentID]*list.Element{}
	}
	v := &agentIndex{agent: agent, vectorModel: model, refreshLock: make(chan struct{}, 1), index: NewIndex()}
	ix.entries[agent] = ix.lru.PushFront(v)
	ix.setBytes(v, agentIndexBytes+v.index.Bytes())
	return v
}

// agentIndexBytes is the memory that an agentIndex takes besides its index.
const agentIndexBytes = 512

func (ix *Indexes) remove(e *list.Element) {
	v := ix.lru.Remove(e).(*agentIndex)
	delete(ix.entries, v.agent)
	ix.heldBytes -= v.bytes
	ix.release.add(v.bytes)
}

// recountBytes updates the memory that is counted for the agent.
func (ix *Indexes) recountBytes(v *agentIndex) {
	index, _ := v.current()
	bytes := agentIndexBytes + index.Bytes()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if e, ok := ix.entries[v.agent]; ok && e.Value == v { // else it was dropped meanwhile
		ix.setBytes(v, bytes)
	}
}

// IsFull reports whether the indexes take up most of what they may: another one could push one of them out.
func (ix *Indexes) IsFull() bool { return ix.MemoryBytes() >= ix.budget()/4*3 }

func (ix *Indexes) budget() int64 {
	if ix.Budget <= 0 {
		return DefaultBudget
	}
	return ix.Budget
}

// setBytes sets the memory that is counted for the agent, and drops the least recently used indexes while the budget is
// exceeded.
func (ix *Indexes) setBytes(v *agentIndex, bytes int64) {
	budget := ix.budget()
	ix.heldBytes += bytes - v.bytes
	v.bytes = bytes
	for ix.heldBytes > budget && ix.lru.Back().Value != v {
		ix.remove(ix.lru.Back())
	}
	ix.release.runAbove(budget / releaseShare)
}

// MemoryBytes returns about how many bytes of indexes are in memory.
func (ix *Indexes) MemoryBytes() int64 {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.heldBytes
}

func (v *agentIndex) current() (*Index, int64) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.index, v.version
}

func (v *agentIndex) set(index *Index, version int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.index, v.version = index, version
}

// refresh brings the index to the version: one goroutine reads, and others that need it wait for that one.
func (ix *Indexes) refresh(ctx context.Context, v *agentIndex, to int64) (*Index, error) {
	select {
	case v.refreshLock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-v.refreshLock }()
	index, version := v.current()
	if version >= to {
		return index, nil
	}
	if version == 0 {
		index = NewIndex() // that nobody searches yet
	}
	if err := ix.loadChanges(ctx, index, v, version); err != nil {
		ix.recountBytes(v) // without those of what was to come
		return nil, err
	}
	v.set(index, to)
	ix.recountBytes(v)
	if index.isMostlyDeleted() && !v.isRebuilding {
		v.isRebuilding = true
		go ix.rebuild(context.WithoutCancel(ctx), v)
	}
	return index, nil
}

// loadChanges applies to the index what changed after one version, passages and vectors.
func (ix *Indexes) loadChanges(ctx context.Context, index *Index, v *agentIndex, since int64) error {
	if err := ix.loadPassages(ctx, index, v.agent, since); err != nil {
		return err
	}
	return ix.loadVectors(ctx, index, v.agent, v.vectorModel, since)
}

// loadPassages applies to the index what changed after one version. It may read what comes later than the version asked
// for; that is read once more then. It may be repeated after a failure halfway: what is there already is not added
// twice.
func (ix *Indexes) loadPassages(ctx context.Context, index *Index, agent parley.AgentID, since int64) error {
	live, err := changedSources(ctx, ix.DB, agent, since)
	if err != nil || len(live) == 0 {
		return err
	}
	if since == 0 {
		index.beginBulk()
	}
	sources := liveSources(live)
	progress := loadProgress{sourceCount: len(sources)}
	err = putStream(index, func(yield func(parley.Passage)) error {
		return eachLivePassage(ctx, ix.DB, agent, sources, func(p parley.Passage) {
			live[p.SourceID] = p.VersionID // read after changed, so it knows better
			if since == 0 && progress.add(&p) {
				ix.makeSpace(agent, progress.memoryBytes())
				index.bulk.setShare(progress.share())
				progress.collectGarbage()
			}
			yield(p)
		})
	})
	if since == 0 {
		index.endBulk()
		ix.release.add(progress.bytes) // what loading it took is about as much
	}
	if err != nil {
		return err
	}
	index.retainVersions(live)
	return nil
}

// rebuild builds an index that replaces one which is mostly deleted. The old one answers meanwhile, and stays when
// building fails: then the next change tries again.
func (ix *Indexes) rebuild(ctx context.Context, v *agentIndex) {
	for again := true; again; {
		_, since := v.current()
		index := NewIndex()
		err := ix.loadChanges(ctx, index, v, 0)
		v.refreshLock <- struct{}{}
		if err == nil {
			err = ix.replaceIndex(ctx, v, index, since)
		}
		again = err == nil && index.isMostlyDeleted() // by what came while it was built
		v.isRebuilding = again
		<-v.refreshLock
	}
}

// replaceIndex puts another index in place, once the changes since its version are loaded into it. The caller holds
// refreshLock.
func (ix *Indexes) replaceIndex(ctx context.Context, v *agentIndex, index *Index, since int64) error {
	_, version := v.current()
	if err := ix.loadChanges(ctx, index, v, since); err != nil {
		return err
	}
	v.set(index, version)
	ix.recountBytes(v)
	return nil
}
