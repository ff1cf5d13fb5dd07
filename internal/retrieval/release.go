package retrieval

import (
	"runtime"
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
	bytes       int64 // that it takes so far, about
	reported    int64
	collected   int64           // bytes when garbage was last collected
	source      parley.SourceID // of the last passage
	sources     int             // read so far, the last one among them
	sourceCount int             // of all

	isCollecting atomic.Bool
}

// What an index takes while it is loaded, about: for a byte of text, and besides, for the words on their way into it
// and for garbage.
const (
	bytesPerTextByte = 3.5
	maxLoadBytes     = 48 << 20
	loadShare        = 3       // such a part of a small index
	progressStep     = 8 << 20 // bytes
)

// add counts a passage and reports whether so much has come that others should make space.
func (s *loadProgress) add(p *parley.Passage) bool {
	if p.SourceID != s.source {
		s.source = p.SourceID
		s.sources++
	}
	s.bytes += passageBytes + int64(bytesPerTextByte*float64(len(p.Text)+len(p.Heading)))
	if s.bytes-s.reported < progressStep {
		return false
	}
	s.reported = s.bytes
	return true
}

// share returns how much of all has been read, 0 to 1; 0 is unknown.
func (s *loadProgress) share() float64 { return float64(s.sources-1) / float64(max(s.sourceCount, 1)) }

// memoryBytes returns about how much memory the index and what loads it take.
func (s *loadProgress) memoryBytes() int64 { return s.bytes + min(s.bytes/loadShare, maxLoadBytes) }

// Loading leaves about as much garbage as it adds to a small index. The collector by itself would let it grow to the
// size of all indexes.
const (
	minCollectStep = 24 << 20 // bytes of the index
	collectShare   = 8        // of a large one, such a part
)

// collectGarbage collects garbage once much has been added, and does not wait for it.
func (s *loadProgress) collectGarbage() {
	if s.bytes-s.collected < max(minCollectStep, s.bytes/collectShare) || !s.isCollecting.CompareAndSwap(false, true) {
		return
	}
	s.collected = s.bytes
	go func() {
		runtime.GC()
		s.isCollecting.Store(false)
	}()
}

// makeSpace drops the least recently used indexes where the one that is being loaded needs their space.
func (ix *Indexes) makeSpace(agent parley.AgentID, bytes int64) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if e, ok := ix.entries[agent]; ok {
		v := e.Value.(*agentIndex)
		ix.setBytes(v, max(v.bytes, bytes))
	}
}
