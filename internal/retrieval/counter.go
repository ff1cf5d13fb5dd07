package retrieval

// counter counts the terms of one document.
type counter struct {
	times []uint8 // by term
	met   []uint32
}

func (c *counter) add(id uint32) {
	if int(id) >= len(c.times) {
		c.times = append(c.times, make([]uint8, int(id)+1-len(c.times)+len(c.times)/8)...)
	}
	switch c.times[id] {
	case mostTimes:
		return
	case 0:
		c.met = append(c.met, id)
	}
	c.times[id]++
}

// enter writes what was counted into the table and begins anew.
func (c *counter) enter(t *table, doc uint32) {
	for _, id := range c.met {
		t.add(id, doc, c.times[id])
		c.times[id] = 0
	}
	c.met = c.met[:0]
}

// leave takes what was counted out of the table's numbers and begins anew. The lists keep their entries: who reads them passes
// over forgotten documents.
func (c *counter) leave(t *table) {
	for _, id := range c.met {
		t.lists[id].live--
		c.times[id] = 0
	}
	t.live -= int64(len(c.met))
	c.met = c.met[:0]
}
