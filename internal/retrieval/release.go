package retrieval

import (
	"runtime/debug"
	"sync/atomic"

	"parley"
)

// Go returns memory to the system late, and collects garbage only when there is as much of it as there is in use.
// A budget for memory is one for what the process takes from the system, so that is seen to here.

// releaseShare is which part of the budget is garbage before it is returned.
const releaseShare = 8

// memoryRelease returns memory to the system, once there is much of it.
type memoryRelease struct {
	garbage atomic.Int64 // bytes, about
	isBusy  atomic.Bool
}

func (r *memoryRelease) add(bytes int64) { r.garbage.Add(bytes) }

// runAbove returns memory where there are more bytes of garbage than the threshold. It does not wait for it.
func (r *memoryRelease) runAbove(threshold int64) {
	if r.garbage.Load() <= threshold || !r.isBusy.CompareAndSwap(false, true) {
		return
	}
	r.garbage.Store(0)
	go func() {
		debug.FreeOSMemory()
		r.isBusy.Store(false)
	}()
}

// loadProgress is how far an index has been loaded.
type loadProgress struct {
	bytes    int64 // that it takes so far, about
	reported int64
}

const (
	bytesPerTextByte = 3       // of an index
	progressStep     = 8 << 20 // bytes
)

// add counts a passage and reports whether so much has come that others should make space.
func (s *loadProgress) add(p *parley.Passage) bool {
	s.bytes += passageBytes + bytesPerTextByte*int64(len(p.Text)+len(p.Heading))
	if s.bytes-s.reported < progressStep {
		return false
	}
	s.reported = s.bytes
	return true
}

// makeSpace drops the least recently used indexes where the one that is being loaded needs their space.
func (l *Indexes) makeSpace(agent parley.AgentID, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.entries[agent]; ok {
		v := e.Value.(*agentIndex)
		l.setBytes(v, max(v.bytes, bytes))
	}
}
