package retrieval

// strengths says for each subject how surely it was met.
type strengths [mostSubjects]float64

// read reads one passage.
func (r *reader) read(d *doc) (c closeness) {
	if r.whole == 0 {
		return c
	}
	p := progress{reader: r, near: &c}
	for _, w := range d.sequence {
		if w == pause {
			p.end()
			continue
		}
		if seen := r.seen[w]; seen != 1 {
			p.meet(r.like(w))
		}
		if p.sentences == 0 && r.x.vocabulary.stems[w] != none {
			p.content++
		}
	}
	p.end()
	r.total(&c, &p.all)
	return c
}

// progress is how far a passage has been read.
type progress struct {
	*reader
	near            *closeness
	all, last, this strengths
	met             float64 // of the first sentence
	content         int
	sentences       int
	named, before   bool // this sentence, or the one before, named anything
}

func (p *progress) meet(l likeness) {
	if l.strength > 0 {
		p.this[l.subject] = max(p.this[l.subject], float64(l.strength))
		p.named = true
		if p.sentences == 0 {
			p.met += float64(l.strength)
		}
	}
}

// end ends a sentence.
func (p *progress) end() {
	if p.named || p.before {
		p.weigh()
	}
	p.sentences++
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
	if p.sentences == 0 {
		p.near.first = one / p.whole
		p.near.focus = p.met / max(float64(p.content), 1)
	}
	copy(p.last[:n], p.this[:n])
	clear(p.this[:n])
}

func (r *reader) total(c *closeness, all *strengths) {
	for i, s := range r.subjects {
		c.all += s.weight * all[i] / r.whole
		if r.own > 0 {
			c.cover += s.own * all[i] / r.own
		}
	}
}
