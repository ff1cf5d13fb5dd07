package retrieval

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// bulk gathers the words of thousands of documents before their terms go into the tables, term by term: one document
// after another would go to a hundred and more places all over the memory for each. While one log is written into the
// tables, the next one fills.
type bulk struct {
	log         *wordLog
	free, full  chan *wordLog
	done        chan struct{}
	recentWords recentWords
	share       atomic.Uint64 // how much of all documents has been read, as the bits of a float; 0 is unknown
}

// setShare notes how much of all documents has been read, 0 to 1, so that space is made for those to come.
func (b *bulk) setShare(share float64) { b.share.Store(math.Float64bits(share)) }

// growth returns how many times as long what is there now may become.
func (b *bulk) growth() float64 {
	share := math.Float64frombits(b.share.Load())
	if share <= 0 {
		return unknownGrowth
	}
	return max(minGrowth, min(1.02/share, maxGrowth))
}

// Bounds of how much longer a list is made than it must be: a list that grows again and again leaves as much garbage,
// and words do not occur everywhere as often as in the documents read first.
const (
	minGrowth     = 1.125
	maxGrowth     = 3
	unknownGrowth = 1.25
)

// recentWords holds the ids of words that have occurred lately, one for each of the lower bits of a key: the table of
// all words does not fit the processor's cache.
type recentWords [1 << 14]slot

func (r *recentWords) slot(key uint64) *slot { return &r[key%uint64(len(r))] }

// wordLog is the words of documents that follow each other.
type wordLog struct {
	firstDoc             uint32
	words                []uint32 // document by document
	times                []uint8
	ends                 []uint32   // by document, in words
	vocabulary           vocabulary // when the log was handed over; what it held then does not change
	gramCount, stemCount int        // of the tables then
	growth               float64
}

// Bounds of a log.
const (
	maxLogDocs  = 4 * rangeSize
	maxLogWords = 1 << 20
)

// beginBulk has documents' words gathered until endBulk. Until then no searches are allowed.
func (x *Index) beginBulk() {
	x.bulk = &bulk{log: &wordLog{}, free: make(chan *wordLog, 1), full: make(chan *wordLog), done: make(chan struct{})}
	x.bulk.free <- &wordLog{}
	go x.bulk.writeLogs(&x.grams, &x.stems)
}

func (b *bulk) writeLogs(grams, stems *termTable) {
	defer close(b.done)
	var w logWriter
	for log := range b.full {
		w.write(log, grams, stems)
		b.free <- log
	}
}

// endBulk ends what beginBulk began: searches are allowed again.
func (x *Index) endBulk() {
	x.bulk.handOver(x)
	close(x.bulk.full)
	<-x.bulk.done
	x.bulk = nil
	x.grams.pack()
	x.stems.pack()
}

// handOver has the log written and goes on with the other one.
func (b *bulk) handOver(x *Index) {
	b.log.vocabulary, b.log.gramCount, b.log.stemCount = x.vocabulary, x.grams.ids.count, x.stems.ids.count
	b.log.growth = b.growth()
	b.full <- b.log
	b.log = <-b.free
}

// addWords writes the words of a document, which are in writerScratch.sequence, into the log, and returns how many
// terms they have.
func (b *bulk) addWords(x *Index, doc uint32) (l length) {
	log, p := b.log, &x.writerScratch
	if len(log.ends) == 0 {
		log.firstDoc = doc
	}
	p.countWords(p.sequence, len(x.vocabulary.words))
	log.reserve(len(p.words))
	for _, w := range p.words {
		times := p.wordTimes[w]
		p.wordTimes[w] = 0
		v := &x.vocabulary.words[w]
		l.grams += times * int32(v.last-v.first)
		if x.vocabulary.stems[w] != noStem {
			l.stems += times
		}
		log.words, log.times = append(log.words, w), append(log.times, uint8(min(times, maxTimes)))
	}
	log.ends = append(log.ends, uint32(len(log.words)))
	if len(log.ends) == maxLogDocs || len(log.words) >= maxLogWords {
		b.handOver(x)
	}
	return l
}

// reserve makes space for more words: twice as much as there was, or growing would leave several times as much garbage.
func (l *wordLog) reserve(more int) {
	if n := len(l.words); n+more > cap(l.words) {
		l.words = append(make([]uint32, 0, 2*n+more), l.words...)
		l.times = append(make([]uint8, 0, 2*n+more), l.times...)
	}
}

// logWriter writes logs into the tables of terms. What its buffers hold is of the log at hand.
type logWriter struct {
	log     *wordLog
	byWord  groups            // a document's place in the log, and in the low byte how often it holds the word
	byTerm  groups            // words that have the term
	times   [maxLogDocs]uint8 // by document, of the term at hand; 0 in between
	marks   [maxLogDocs / 64]uint64
	entries []uint32
}

// write writes the log into the tables and empties it.
func (w *logWriter) write(log *wordLog, grams, stems *termTable) {
	w.log = log
	w.groupByWord()
	w.groupByTerm(log.gramCount, log.vocabulary.grams)
	w.writeTerms(grams)
	w.groupByTerm(log.stemCount, log.vocabulary.stem)
	w.writeTerms(stems)
	log.words, log.times, log.ends, log.vocabulary = log.words[:0], log.times[:0], log.ends[:0], vocabulary{}
}

func (w *logWriter) groupByWord() {
	w.byWord.begin(len(w.log.vocabulary.words))
	for _, word := range w.log.words {
		w.byWord.count(word)
	}
	w.byWord.allocate()
	at := 0
	for doc, end := range w.log.ends {
		for ; at < int(end); at++ {
			w.byWord.put(w.log.words[at], uint32(doc)<<8|uint32(w.log.times[at]))
		}
	}
}

func (w *logWriter) groupByTerm(terms int, termsOf func(word uint32) []uint32) {
	w.byTerm.begin(terms)
	for word := range uint32(len(w.log.vocabulary.words)) {
		if len(w.byWord.of(word)) > 0 {
			for _, term := range termsOf(word) {
				w.byTerm.count(term)
			}
		}
	}
	w.byTerm.allocate()
	for word := range uint32(len(w.log.vocabulary.words)) {
		if len(w.byWord.of(word)) > 0 {
			for _, term := range termsOf(word) {
				w.byTerm.put(term, word)
			}
		}
	}
}

// writeTerms adds the documents to the lists of their terms.
func (w *logWriter) writeTerms(t *termTable) {
	count := len(w.byTerm.starts) - 2
	t.lists = slices.Grow(t.lists, count-len(t.lists))
	for len(t.lists) < count {
		t.addList()
	}
	for id := range uint32(count) {
		switch list := w.byTerm.of(id); len(list) {
		case 0:
		case 1:
			w.addDocs(t, id, w.byWord.of(list[0]))
		default:
			w.addDocs(t, id, w.mergeDocs(list))
		}
	}
}

// addDocs adds documents to a term's list.
func (w *logWriter) addDocs(t *termTable, id uint32, entries []uint32) {
	list := &t.lists[id]
	capacity := cap(list.units)
	if need := len(list.units) + len(entries) + 1; need > capacity {
		size := need + need/2
		if need >= minPredictedUnits {
			size = int(float64(need) * w.log.growth)
		}
		list.units = append(make([]uint16, 0, size), list.units...)
	}
	list.addSorted(w.log.firstDoc, entries)
	t.unitCapacity += int64(cap(list.units) - capacity)
	t.liveEntries += int64(len(entries))
}

// minPredictedUnits is how long a list is before its length says something of what is to come.
const minPredictedUnits = 32

// mergeDocs returns the documents that hold any of the words, ascending, and how often they hold all of them together.
func (w *logWriter) mergeDocs(list []uint32) []uint32 {
	first, last := uint32(maxLogDocs), uint32(0)
	for _, word := range list {
		docs := w.byWord.of(word)
		first, last = min(first, docs[0]>>8), max(last, docs[len(docs)-1]>>8)
		for _, e := range docs {
			doc := e >> 8 % maxLogDocs
			w.times[doc] = uint8(min(uint32(w.times[doc])+e&0xFF, maxTimes))
			w.marks[doc/64] |= 1 << (doc % 64)
		}
	}
	return w.takeMarked(first, last)
}

// takeMarked returns the documents that are marked, and resets what is noted of them.
func (w *logWriter) takeMarked(first, last uint32) []uint32 {
	w.entries = w.entries[:0]
	for i := first / 64; i <= last/64; i++ {
		for marks := w.marks[i]; marks != 0; marks &= marks - 1 {
			doc := i*64 + uint32(bits.TrailingZeros64(marks))
			w.entries = append(w.entries, doc<<8|uint32(w.times[doc]))
			w.times[doc] = 0
		}
		w.marks[i] = 0
	}
	return w.entries
}

// groups holds numbers by group. They are counted first, and then put.
type groups struct {
	starts []uint32 // by group, in all; and that of the group after the last one
	all    []uint32
}

// begin begins with so many groups.
func (g *groups) begin(count int) {
	g.starts = resize(g.starts, count+2)
	clear(g.starts)
}

func (g *groups) count(group uint32) { g.starts[group+2]++ }

// allocate makes space for what has been counted.
func (g *groups) allocate() {
	for i := 1; i < len(g.starts); i++ {
		g.starts[i] += g.starts[i-1]
	}
	g.all = resize(g.all, int(g.starts[len(g.starts)-1]))
}

func (g *groups) put(group, number uint32) {
	g.all[g.starts[group+1]] = number
	g.starts[group+1]++
}

// of returns the numbers of a group.
func (g *groups) of(group uint32) []uint32 { return g.all[g.starts[group]:g.starts[group+1]] }
