package retrieval

import (
	"runtime"
	"slices"
)

// bulk gathers the terms of thousands of documents before they go into the tables, by term: one document after another
// would go to a hundred and more places all over the memory for each. While one log is written into the tables, the
// next one fills.
type bulk struct {
	log        *termLogs
	free, full chan *termLogs
	done       chan struct{}
}

type termLogs struct {
	grams, stems termLog
	isFull       bool
}

// termLog is the terms of one kind in documents that follow each other.
type termLog struct {
	firstDoc  uint32
	termCount int      // of the table
	ids       []uint32 // of terms, document by document
	times     []uint8
	ends      []uint32 // by document, in ids
	starts    []uint32 // by term, in sorted
	sorted    []uint32 // by term: a document's place in the log, and in the low byte how often it holds the term
}

// Bounds of a log.
const (
	maxLogDocs  = 4 * rangeSize
	maxLogTerms = 3 << 20
)

// beginBulk has documents' terms gathered until endBulk. Until then no searches are allowed.
func (x *Index) beginBulk() {
	x.bulk = &bulk{log: &termLogs{}, free: make(chan *termLogs, 1), full: make(chan *termLogs), done: make(chan struct{})}
	x.bulk.free <- &termLogs{}
	go x.bulk.writeLogs(&x.grams, &x.stems)
}

func (b *bulk) writeLogs(grams, stems *termTable) {
	defer close(b.done)
	for log := range b.full {
		log.grams.flush(grams)
		log.stems.flush(stems)
		if log.isFull {
			runtime.GC() // or garbage would grow to the size of the index
		}
		b.free <- log
	}
}

// endBulk ends what beginBulk began: searches are allowed again.
func (x *Index) endBulk() {
	x.bulk.handOver(x)
	close(x.bulk.full)
	<-x.bulk.done
	x.bulk = nil
}

// handOver has the log written and goes on with the other one.
func (b *bulk) handOver(x *Index) {
	b.log.grams.termCount, b.log.stems.termCount = x.grams.ids.count, x.stems.ids.count
	b.full <- b.log
	b.log = <-b.free
	b.log.isFull = false
}

// addTerms writes the counts of a document into the log, and resets them.
func (b *bulk) addTerms(x *Index, doc uint32) {
	b.log.grams.add(&x.writerScratch.grams, doc)
	b.log.stems.add(&x.writerScratch.stems, doc)
	if len(b.log.grams.ends) == maxLogDocs || len(b.log.grams.ids) >= maxLogTerms {
		b.log.isFull = true
		b.handOver(x)
	}
}

func (l *termLog) add(c *counter, doc uint32) {
	if len(l.ends) == 0 {
		l.firstDoc = doc
	}
	for _, id := range c.ids {
		l.ids, l.times = append(l.ids, id), append(l.times, c.times[id])
		c.times[id] = 0
	}
	c.ids = c.ids[:0]
	l.ends = append(l.ends, uint32(len(l.ids)))
}

// flush writes the log into the table and empties it.
func (l *termLog) flush(t *termTable) {
	l.sort()
	t.lists = slices.Grow(t.lists, l.termCount-len(t.lists))
	for len(t.lists) < l.termCount {
		t.addList()
	}
	for id := range t.lists {
		if from, to := l.starts[id], l.starts[id+1]; from < to {
			t.addSorted(uint32(id), l.firstDoc, l.sorted[from:to])
		}
	}
	l.ids, l.times, l.ends = l.ids[:0], l.times[:0], l.ends[:0]
}

// sort orders the log by term. It leaves in starts where each term begins in sorted, and the next one after it.
func (l *termLog) sort() {
	l.starts, l.sorted = resize(l.starts, l.termCount+2), resize(l.sorted, len(l.ids))
	clear(l.starts)
	for _, id := range l.ids {
		l.starts[id+2]++
	}
	for id := range l.termCount {
		l.starts[id+1] += l.starts[id]
	}
	at := 0
	for doc, end := range l.ends {
		for ; at < int(end); at++ {
			place := &l.starts[l.ids[at]+1]
			l.sorted[*place] = uint32(doc)<<8 | uint32(l.times[at])
			*place++
		}
	}
}

// addSorted adds documents to a term's list.
func (t *termTable) addSorted(id, firstDoc uint32, entries []uint32) {
	list := &t.lists[id]
	capacity := cap(list.units)
	if need := len(list.units) + len(entries) + 1; need > capacity {
		list.units = append(make([]uint16, 0, need+need/8), list.units...)
	}
	for _, e := range entries {
		list.add(firstDoc+e>>8, uint8(e))
	}
	t.unitCapacity += int64(cap(list.units) - capacity)
	t.liveEntries += int64(len(entries))
}
