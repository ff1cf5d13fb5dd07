package retrieval

// readWithPrevious reads a passage, and the one before it for what it may rest on: what a passage speaks of was often named above.
func (r *reader) readWithPrevious(doc uint32) closeness {
	c, all := r.read(doc)
	before, ok := r.x.previousPassage(doc)
	if !ok || c.allWords >= 1 {
		return c
	}
	_, above := r.read(before)
	for i, s := range r.subjects {
		c.inPrevious += s.weight * max(0, above[i]-all[i])
	}
	c.inPrevious /= max(r.totalWeight, 1e-9)
	return c
}

// previousPassage returns the passage before in the same version of a source.
func (x *Index) previousPassage(doc uint32) (before uint32, ok bool) {
	if doc == 0 {
		return 0, false
	}
	p, q := &x.docs[doc].passage, &x.docs[doc-1].passage
	return doc - 1, p.SourceID == q.SourceID && p.VersionID == q.VersionID && p.Ordinal == q.Ordinal+1
}
