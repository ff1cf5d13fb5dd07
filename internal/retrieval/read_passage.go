package retrieval

// strengths says for each subject how surely it was met.
type strengths [mostSubjects]float64

// read reads one passage. all says which subjects it holds.
func (r *reader) read(doc uint32) (c closeness, all strengths) {
	if r.whole == 0 {
		return c, all
	}
	p := progress{reader: r, near: &c, heads: heads(r.x.docs[doc].passage.Heading)}
	r.sequence, r.spots, r.kinds = r.x.sequence(doc, r.sequence), r.spots[:0], r.kinds[:0]
	for at, w := range r.sequence {
		if w == pause {
			p.end()
			continue
		}
		p.word(at, w)
	}
	p.end()
	r.total(&c, &p.all)
	c.phrase, c.kind = p.worth(), p.kind()
	return c, p.all
}

// progress is how far a passage has been read.
type progress struct {
	*reader
	near            *closeness
	all, last, this strengths
	met             float64 // of this sentence
	content         int     // words of this sentence with a meaning of their own
	sentences       int
	heads           int    // sentences of the title
	named, before   bool   // this sentence, or the one before, named anything
	found           uint64 // codes and quotations, a bit each
}

func (p *progress) word(at int, w uint32) {
	v := &p.x.vocabulary
	if p.seen[w] != 1 {
		p.meet(at, p.like(w))
	}
	if p.ends&bit(w) != 0 {
		p.phrase(at)
	}
	if p.wants != 0 && v.kinds[w]&p.wants != 0 && !p.asked(w) {
		p.kinds = append(p.kinds, at)
	}
	if p.sentences < p.heads && v.stems[w] != none {
		p.content++
	}
}

// asked reports that the question itself has the word: it is not what it asks for.
func (p *progress) asked(w uint32) bool { return p.like(w).strength == 1 }

func (p *progress) meet(at int, l likeness) {
	if l.strength > 0 {
		p.this[l.subject] = max(p.this[l.subject], float64(l.strength))
		p.named = true
		p.met += float64(l.strength)
		p.spots = append(p.spots, spot{at, l.subject, float64(l.strength)})
	}
}

// end ends a sentence.
func (p *progress) end() {
	if p.named || p.before {
		p.weigh()
	}
	p.sentences++
	p.met, p.content = 0, 0
	p.named, p.before = false, p.named
}

func (p *progress) weigh() {
	n := len(p.subjects)
	var two, one float64
	for i, s := range p.subjects {
		two += s.weight * max(p.last[i], p.this[i])
		one += s.weight * p.this[i]
		p.all[i] = max(p.all[i], p.this[i])
	}
	p.near.stretch = max(p.near.stretch, two/p.whole)
	if p.sentences < p.heads { // of several questions above an answer the best counts
		focus := min(1, p.met/max(float64(p.content), 1))
		p.near.first, p.near.focus = max(p.near.first, one/p.whole), max(p.near.focus, focus)
		p.near.asked = max(p.near.asked, focus*one/p.whole)
	}
	copy(p.last[:n], p.this[:n])
	clear(p.this[:n])
}

func (r *reader) total(c *closeness, all *strengths) {
	for i, s := range r.subjects {
		c.all += s.weight * all[i] / r.whole
	}
}
