package retrieval

// counter counts the terms of one document.
type counter struct {
	times []uint8 // by term
	ids   []uint32
}

func (c *counter) add(id uint32) {
	if int(id) >= len(c.times) {
		c.times = append(c.times, make([]uint8, int(id)+1-len(c.times)+len(c.times)/8)...)
	}
	switch c.times[id] {
	case maxTimes:
		return
	case 0:
		c.ids = append(c.ids, id)
	}
	c.times[id]++
}

// addTo writes what was counted into the table and begins anew.
func (c *counter) addTo(t *termTable, doc uint32) {
	for _, id := range c.ids {
		t.add(id, doc, c.times[id])
		c.times[id] = 0
	}
	c.ids = c.ids[:0]
}

// removeFrom takes what was counted out of the table's numbers and begins anew. The lists keep their entries: who reads them passes
// over forgotten documents.
func (c *counter) removeFrom(t *termTable) {
	for _, id := range c.ids {
		t.lists[id].liveDocs--
		c.times[id] = 0
	}
	t.liveEntries -= int64(len(c.ids))
	c.ids = c.ids[:0]
}
