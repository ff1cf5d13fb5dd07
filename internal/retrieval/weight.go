package retrieval

import "unsafe"

// Bytes is about how much memory the index takes.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const perDoc = int64(unsafe.Sizeof(length{})) + 8 + 4 // and its norms, and its place among those of its source
	return empty + x.bytes + x.vectors.bytes() + x.grams.bytes() + x.stems.bytes() + x.vocabulary.bytes() + x.pen.bytes() +
		int64(cap(x.docs))*int64(unsafe.Sizeof(doc{})) + perDoc*int64(cap(x.lengths)) +
		perPassage*int64(len(x.byID)) + perSource*int64(len(x.sources))
}

const (
	empty      = int64(unsafe.Sizeof(Index{})) + 1<<10 // with its first tables
	perPassage = 44                                    // a place in byID
	perSource  = int64(unsafe.Sizeof(shared{})) + 56   // and a place in sources
)

// bytes is how much memory the pen keeps between two passages.
func (p *pen) bytes() int64 {
	return int64(4*cap(p.sequence) + cap(p.spelled) + cap(p.grams.times) + cap(p.stems.times) + 4*cap(p.grams.met) + 4*cap(p.stems.met))
}

// allotted is about how much memory is taken for so many bytes: sizes come in steps.
func allotted(n int) int64 {
	switch {
	case n <= 128:
		return int64(n+15) &^ 15
	case n <= 1024:
		return int64(n) + int64(n)/20
	}
	return int64(n) + int64(n)/14
}

// makeRoom prepares space for the next chunk of passages while searches go on, as nobody else writes. What it gives puts the
// space to use.
func (x *Index) makeRoom() (use func()) {
	docs, lengths := roomy(x.docs), roomy(x.lengths)
	vocabulary, grams, stems := roomyWords(x.vocabulary), roomyTable(x.grams), roomyTable(x.stems)
	return func() {
		x.docs, x.lengths, x.vocabulary, x.grams, x.stems = docs, lengths, vocabulary, grams, stems
	}
}

func roomyWords(v vocabulary) vocabulary {
	v.ids, v.words, v.stems, v.spelled, v.kinds = roomyKeys(v.ids), roomy(v.words), roomy(v.stems), roomy(v.spelled), roomy(v.kinds)
	return v
}

func roomyTable(t table) table {
	t.ids, t.lists = roomyKeys(t.ids), roomy(t.lists)
	return t
}

func roomyKeys(k keys) keys {
	if len(k.slots) >= quick && k.full(many) {
		k.grow()
	}
	return k
}

const (
	quick = 1 << 14 // elements that are copied in no time
	many  = 2048    // a chunk seldom adds more of anything
)

// roomy gives a list that many more elements fit into, where copying it would take long.
func roomy[T any](list []T) []T {
	if len(list) < quick || cap(list)-len(list) >= many {
		return list
	}
	return append(make([]T, 0, len(list)+len(list)/8+many), list...)
}
