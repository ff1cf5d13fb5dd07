package retrieval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"parley"
)

func randomVector(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	sum := 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// near returns a vector that leans towards another.
func leaningVector(r *rand.Rand, to []float32, by float64) []float32 {
	v := randomVector(r, len(to))
	for i := range v {
		v[i] = float32(by*float64(to[i]) + (1-by)*float64(v[i]))
	}
	return v
}

func cosineOf(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// The fast loop returns what the plain one returns, at every length and with the largest numbers.
func TestDotIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{dotStep, 2 * dotStep, 384, 1536, maxDims} {
		a, b := make([]int16, n), make([]int8, n)
		for i := range a {
			a[i], b[i] = int16(r.IntN(2*maxQueryCode+1)-maxQueryCode), int8(r.IntN(2*maxCode+1)-maxCode)
		}
		if got, want := dot(a, b), dotPlain(a, b); got != want {
			t.Errorf("%d numbers: %d, want %d", n, got, want)
		}
		for i := range a {
			a[i], b[i] = -maxQueryCode, maxCode
		}
		if got := int64(dot(a, b)); got != -int64(n)*maxQueryCode*maxCode {
			t.Errorf("%d of the largest numbers: %d", n, got)
		}
	}
}

func TestInvalidVectors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {}, {0, 0}, {1, nan}, {nan, 1}, {inf, 1}, make([]float32, maxDims+1)} {
		if PackVector(v) != nil || newDirection(v) != nil {
			t.Errorf("%.3v is taken for a vector", v)
		}
	}
}

// vectorIndex holds n passages of the one word each, with vectors.
func vectorIndex(t testing.TB, n int, of func(i int) []float32) *Index {
	t.Helper()
	x := NewIndex()
	for part := range slices.Chunk(make([]int, n), 1024) {
		first := x.Len()
		var passages []parley.Passage
		var list []Vector
		for i := range part {
			id := parley.PassageID(fmt.Sprintf("p%07d", first+i))
			passages = append(passages, parley.Passage{ID: id, SourceID: parley.SourceID(id), Text: "word"})
			list = append(list, Vector{id, PackVector(of(first + i))})
		}
		x.Put(passages...)
		x.PutVectors(list...)
	}
	return x
}

// A byte for a number is enough: the ten nearest are those of the whole numbers, but for ties within a thousandth.
func TestBytesKeepTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dims := range []int{100, 384, 1536} {
		question := randomVector(r, dims)
		all := make([][]float32, 3000)
		for i := range all {
			all[i] = leaningVector(r, question, r.Float64()*.6)
		}
		x := vectorIndex(t, len(all), func(i int) []float32 { return all[i] })
		got := x.nearest(newDirection(question), 10)
		exact := make([]float64, len(all))
		for i, v := range all {
			exact[i] = cosineOf(question, v) * math.Sqrt(cosineLength(v))
		}
		ranked := slices.Clone(exact)
		slices.Sort(ranked)
		tenth := ranked[len(ranked)-10]
		for _, p := range got {
			if math.Abs(p.score-exact[p.doc]) > 2e-3 || exact[p.doc] < tenth-2e-3 {
				t.Errorf("%d numbers: document %d scores %.4f, exactly %.4f; the tenth has %.4f", dims, p.doc, p.score,
					exact[p.doc], tenth)
			}
		}
		if len(got) != 10 {
			t.Errorf("%d numbers: %d found", dims, len(got))
		}
	}
}

// cosineLength returns the squared length.
func cosineLength(v []float32) (sum float64) {
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum
}

func TestVectorsAreErasedWithTheirPassages(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	question := randomVector(r, 64)
	x := vectorIndex(t, 300, func(int) []float32 { return leaningVector(r, question, .5) })
	d := newDirection(question)
	before := x.nearest(d, 5)
	if bytes := x.vectors.bytes(); len(before) != 5 || !x.HasVectors() || bytes < 300*64 || bytes > 600*(64+20) ||
		bytes >= x.Bytes() {
		t.Fatalf("%v, %d bytes of %d", before, bytes, x.Bytes())
	}
	x.Remove(x.docs[before[0].doc].passage.ID)
	if after := x.nearest(d, 4); !slices.Equal(after, before[1:]) {
		t.Errorf("after the best was forgotten: %v, want %v", after, before[1:])
	}
	second := x.docs[before[1].doc].passage.ID
	x.PutVectors(Vector{second, PackVector(randomVector(r, 64))}, Vector{"nobody", PackVector(question)},
		Vector{"p0000000", PackVector(randomVector(r, 32))}, Vector{"p0000001", []byte{}})
	if after := x.nearest(d, 4); !slices.Equal(after, before[1:]) {
		t.Errorf("after vectors that may not come in: %v", after)
	}
	if other := x.nearest(newDirection(randomVector(r, 32)), 4); other != nil {
		t.Errorf("a question of another dimension finds %v", other)
	}
}

// What only the vector finds is a hit, with no more confidence than its words give it; what has no vector yet is not
// lost.
func TestWordsAndVectorsTogether(t *testing.T) {
	x := NewIndex()
	x.Put(
		parley.Passage{ID: "a", SourceID: "a", Text: "Parcels travel by night train to the islands."},
		parley.Passage{ID: "b", SourceID: "b", Text: "Money comes back within ten days."},
		parley.Passage{ID: "c", SourceID: "c", Text: "The refund desk has a plant in the corner."},
	)
	q := Query{Text: "How long does a refund take?"}
	if hits := x.Nearest(q); len(hits) != 1 || hits[0].Passage.ID != "c" {
		t.Fatalf("by words: %+v", hits)
	}
	q.Vector = []float32{1, 0, 0, 0}
	if hits := x.Nearest(q); len(hits) != 1 {
		t.Errorf("a vector without vectors of passages: %+v", hits)
	}
	x.PutVectors(Vector{"a", PackVector([]float32{0, 1, 0, .1})}, Vector{"b", PackVector([]float32{.9, .1, 0, 0})})
	hits := x.Nearest(q)
	var ids string
	for _, h := range hits {
		ids += string(h.Passage.ID)
	}
	if ids != "cb" && ids != "cba" || hits[1].Score >= hits[0].Score {
		t.Errorf("together: %s %+v", ids, hits)
	}
	q.VectorWeight = 1
	if hits := x.Nearest(q); hits[0].Passage.ID != "b" {
		t.Errorf("by vectors: %+v", hits)
	}
}

// BenchmarkScan compares a question's vector with all of an agent's: the search as it is, its loop in plain Go, the
// same in 32-bit floats, and for comparison a pass that only reads the bytes.
func BenchmarkScan(b *testing.B) {
	for _, dims := range []int{384, 1536} {
		for _, n := range []int{20_000, 200_000} {
			r := rand.New(rand.NewPCG(7, 8))
			some := make([][]byte, 512)
			for i := range some {
				some[i] = PackVector(randomVector(r, dims))
			}
			x := &Index{}
			for i := range n {
				x.docs = append(x.docs, doc{passage: parley.Passage{ID: "p", Ordinal: i}})
				x.vectors.put(uint32(i), some[i%len(some)])
			}
			question := randomVector(r, dims)
			d := newDirection(question)
			name := fmt.Sprintf("%dx%d/", n, dims)
			b.Run(name+"search", func(b *testing.B) {
				for b.Loop() {
					x.nearest(d, vectorCandidates)
				}
				b.ReportMetric(float64(x.vectors.bytes())/1e6, "MB")
			})
			b.Run(name+"plain", func(b *testing.B) { benchRows(b, x, func(row []int8) { sink += dotPlain(d.codes, row) }) })
			b.Run(name+"floor", func(b *testing.B) { benchRows(b, x, func(row []int8) { sink += dotBare(row) }) })
			if n*dims < 100_000_000 {
				benchFloats(b, name, r, question, n)
			}
		}
	}
}

var sink int32

func benchRows(b *testing.B, x *Index, read func(row []int8)) {
	width := stride(x.vectors.dims)
	for b.Loop() {
		for _, block := range x.vectors.blocks {
			for from := 0; from < len(block); from += width {
				read(block[from : from+width])
			}
		}
	}
}

// dotBare reads eight bytes at a time.
func dotBare(row []int8) int32 {
	sum := uint64(0)
	for _, w := range unsafe.Slice((*uint64)(unsafe.Pointer(&row[0])), len(row)/8) {
		sum += w
	}
	return int32(sum)
}

func benchFloats(b *testing.B, name string, r *rand.Rand, question []float32, n int) {
	all := make([][]float32, n)
	for i := range all {
		all[i] = randomVector(r, len(question))
	}
	b.Run(name+"float32", func(b *testing.B) {
		for b.Loop() {
			for _, v := range all {
				var s, t, u, w float32
				for i := 0; i+4 <= len(v); i += 4 {
					s, t, u, w = s+question[i]*v[i], t+question[i+1]*v[i+1], u+question[i+2]*v[i+2], w+question[i+3]*v[i+3]
				}
				sink += int32(s + t + u + w)
			}
		}
	})
}

// Codes that a passage holds exactly stay where the words have put them, however near others are by their vectors.
func TestVectorsLeaveExactCodes(t *testing.T) {
	x := NewIndex()
	var list []parley.Passage
	var vectors []Vector
	for i := range 60 {
		id := parley.PassageID(fmt.Sprintf("p%02d", i))
		list = append(list, parley.Passage{ID: id, SourceID: parley.SourceID(id),
			Text: fmt.Sprintf("The pump ZK-%d is made of steel and weighs %d kg.", 100+i, i)})
		vectors = append(vectors, Vector{id, PackVector([]float32{1, float32(i), .5, 0})})
	}
	x.Put(list...)
	x.PutVectors(vectors...)
	for _, weight := range []float64{0, .5, .95} {
		q := Query{Text: "Welches Gewicht hat die Pumpe ZK-142?", Vector: []float32{1, 0, 0, 0}, VectorWeight: weight}
		hits := x.Nearest(q)
		if len(hits) == 0 || hits[0].Passage.ID != "p42" {
			t.Errorf("weight %g: %+v", weight, hits)
		}
	}
}

func TestKeepClose(t *testing.T) {
	for _, c := range []struct {
		protected []uint32
		last      uint32 // that is read closely
	}{{nil, 19}, {[]uint32{0, 19}, 19}, {[]uint32{30}, 30}, {[]uint32{19, 30}, 30}, {[]uint32{18, 19, 20, 59, 3}, 59}} {
		places, protected := make([]scoredDoc, 60), []scoredDoc{}
		for i := range places {
			places[i].doc = uint32(i)
		}
		for _, doc := range c.protected {
			protected = append(protected, scoredDoc{doc: doc})
		}
		keepClose(places, protected)
		seen := map[uint32]bool{}
		for i, p := range places {
			if seen[p.doc] = true; i >= maxCloseReads && slices.Contains(c.protected, p.doc) {
				t.Errorf("%v: %d is at %d", c.protected, p.doc, i)
			}
		}
		if len(seen) != len(places) || places[maxCloseReads-1].doc != c.last {
			t.Errorf("%v: %v", c.protected, places)
		}
	}
}
