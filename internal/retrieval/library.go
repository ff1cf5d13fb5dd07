package retrieval

import (
	"container/list"
	"context"
	"sync"

	"parley"
	"parley/internal/sqldb"
)

// DefaultBudget is how many bytes of indexes a Library keeps when it is told nothing.
const DefaultBudget = 256 << 20

// Library keeps the passages table and, in memory, the indexes of the agents asked about last. Its zero value with a DB is
// ready to use.
type Library struct {
	DB     *sqldb.DB
	Budget int64 // bytes of indexes to keep; 0 is DefaultBudget. The index in use stays, however large

	VectorModel string // whose vectors are used (llm.Embedder's Name); empty for none

	mu     sync.Mutex
	shelf  map[parley.AgentID]*list.Element // of *volume
	recent list.List                        // the one used last is in front
	held   int64
}

// volume is the index of one agent and the passage version it shows. Who holds its token may change both.
type volume struct {
	agent   parley.AgentID
	token   chan struct{}
	mu      sync.RWMutex
	index   *Index
	version int64 // 0 before the first reading
	bytes   int64 // as counted in Library.held

	renewing bool // an index is being built in its index's place; for who holds the token
}

// Warm brings the agent's index to the passage version, as the next question would.
func (l *Library) Warm(ctx context.Context, agent parley.AgentID, passageVersion int64) error {
	v := l.volume(agent)
	if _, version := v.current(); version >= passageVersion {
		return nil
	}
	_, err := l.refresh(ctx, v, passageVersion)
	return err
}

// Nearest gives the hits among the agent's passages as they were at the passage version, or later, best first. The first
// question after a change reads what changed.
func (l *Library) Nearest(ctx context.Context, agent parley.AgentID, passageVersion int64, q Query) ([]Hit, error) {
	v := l.volume(agent)
	index, version := v.current()
	if version < passageVersion {
		var err error
		if index, err = l.refresh(ctx, v, passageVersion); err != nil {
			return nil, err
		}
	}
	return index.Nearest(q), nil
}

// Drop takes the agent's index out of memory.
func (l *Library) Drop(agent parley.AgentID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.shelf[agent]; ok {
		l.remove(e)
	}
}

func (l *Library) volume(agent parley.AgentID) *volume {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.shelf[agent]; ok {
		l.recent.MoveToFront(e)
		return e.Value.(*volume)
	}
	if l.shelf == nil {
		l.shelf = map[parley.AgentID]*list.Element{}
	}
	v := &volume{agent: agent, token: make(chan struct{}, 1), index: NewIndex()}
	l.shelf[agent] = l.recent.PushFront(v)
	l.count(v, volumeBytes+v.index.Bytes())
	return v
}

// volumeBytes is what a volume takes besides its index.
const volumeBytes = 512

func (l *Library) remove(e *list.Element) {
	v := l.recent.Remove(e).(*volume)
	delete(l.shelf, v.agent)
	l.held -= v.bytes
}

// weigh counts what the volume holds now.
func (l *Library) weigh(v *volume) {
	index, _ := v.current()
	bytes := volumeBytes + index.Bytes()
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.shelf[v.agent]; ok && e.Value == v { // else it was dropped meanwhile
		l.count(v, bytes)
	}
}

// count notes what the volume takes and drops the volumes not used for longest while there is too much.
func (l *Library) count(v *volume, bytes int64) {
	budget := l.Budget
	if budget <= 0 {
		budget = DefaultBudget
	}
	l.held += bytes - v.bytes
	v.bytes = bytes
	for l.held > budget && l.recent.Back().Value != v {
		l.remove(l.recent.Back())
	}
}

// Held tells how many bytes of indexes are in memory, about.
func (l *Library) Held() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

func (v *volume) current() (*Index, int64) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.index, v.version
}

func (v *volume) show(index *Index, version int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.index, v.version = index, version
}

// refresh brings the volume to the version: one goroutine reads, others that need it wait for that one.
func (l *Library) refresh(ctx context.Context, v *volume, to int64) (*Index, error) {
	select {
	case v.token <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-v.token }()
	index, version := v.current()
	if version >= to {
		return index, nil
	}
	if err := l.readAll(ctx, index, v.agent, version); err != nil {
		return nil, err
	}
	v.show(index, to)
	l.weigh(v)
	if index.worn() && !v.renewing {
		v.renewing = true
		go l.renew(context.WithoutCancel(ctx), v)
	}
	return index, nil
}

// readAll applies to the index what changed after one version, passages and vectors.
func (l *Library) readAll(ctx context.Context, index *Index, agent parley.AgentID, since int64) error {
	if err := l.read(ctx, index, agent, since); err != nil {
		return err
	}
	return l.readVectors(ctx, index, agent, since)
}

// read applies to the index what changed after one version. It may read what comes later than the version asked for; that is
// read once more then. It may be repeated after a failure halfway: what is there already is not added twice.
func (l *Library) read(ctx context.Context, index *Index, agent parley.AgentID, since int64) error {
	live, err := changed(ctx, l.DB, agent, since)
	if err != nil || len(live) == 0 {
		return err
	}
	err = pour(index, func(yield func(parley.Passage)) error {
		return eachAdded(ctx, l.DB, agent, since, func(p parley.Passage) {
			live[p.SourceID] = p.VersionID // read after changed, so it knows better
			yield(p)
		})
	})
	if err != nil {
		return err
	}
	index.retain(live)
	return nil
}
