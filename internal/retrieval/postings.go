package retrieval

// postings lists, for one term, the documents that hold it and how often, ascending. Documents are parted into ranges
// of 4096; a unit is the document's place in its range and, in the low four bits, how often it holds the term. Two
// numbers there say something else: farther, that the upper bits tell how many ranges to go on, and often, that the
// next unit is the number.
type postings struct {
	units     []uint16
	lastRange uint16 // the range of the newest document
	maxTimes  uint8  // the highest number of times so far
	liveDocs  uint32 // documents that hold the term and are not forgotten
}

const (
	rangeBits     = 12
	rangeSize     = 1 << rangeBits
	timesBits     = 4
	timesMask     = 1<<timesBits - 1
	rangeSkip     = 0
	timesOverflow = timesMask
	maxTimes      = 255 // more often counts as so often
	maxRanges     = 1<<16 - 1
)

// add notes a document that is newer than all in the list.
func (p *postings) add(doc uint32, times uint8) {
	for at := uint16(doc >> rangeBits); p.lastRange < at; {
		step := min(at-p.lastRange, rangeSize-1)
		p.units = append(p.units, step<<timesBits|rangeSkip)
		p.lastRange += step
	}
	place := uint16(doc%rangeSize) << timesBits
	if times < timesOverflow {
		p.units = append(p.units, place|uint16(times))
	} else {
		p.units = append(p.units, place|timesOverflow, uint16(times))
	}
	p.maxTimes = max(p.maxTimes, times)
	p.liveDocs++
}

// addSorted notes documents that are newer than all in the list: each by its distance from the first one, and in the
// low byte how often it holds the term.
func (p *postings) addSorted(firstDoc uint32, entries []uint32) {
	units, highest, quick := p.units, uint8(0), uint32(0)
	for _, e := range entries {
		doc, times := firstDoc+e>>8, uint8(e)
		if uint16(doc>>rangeBits) != p.lastRange || times >= timesOverflow {
			p.units = units
			p.add(doc, times)
			units = p.units
			continue
		}
		units = append(units, uint16(doc%rangeSize)<<timesBits|uint16(times))
		highest = max(highest, times)
		quick++
	}
	p.units, p.maxTimes = units, max(p.maxTimes, highest)
	p.liveDocs += quick
}

// addScores adds to each document what the term is worth to it. into and norm reach to the end of a range.
func (p *postings) addScores(into, norm []float32, weight float32) {
	base := 0
	sums, norms := window(into, 0), window(norm, 0)
	for i := 0; i < len(p.units); i++ {
		u := p.units[i]
		times := u & timesMask
		if times-1 >= timesOverflow-1 { // farther or often
			if times == rangeSkip {
				base += int(u>>timesBits) * rangeSize
				sums, norms = window(into, base), window(norm, base)
				continue
			}
			i++
			times = p.units[i]
		}
		tf := float32(times)
		sums[u>>timesBits] += weight * tf / (tf + norms[u>>timesBits])
	}
}

func window(list []float32, from int) *[rangeSize]float32 {
	return (*[rangeSize]float32)(list[from:])
}

// forEach calls yield with every document, the forgotten ones too.
func (p *postings) forEach(yield func(doc uint32, times uint8)) {
	base := uint32(0)
	for i := 0; i < len(p.units); i++ {
		u := p.units[i]
		times := u & timesMask
		switch times {
		case rangeSkip:
			base += uint32(u>>timesBits) * rangeSize
			continue
		case timesOverflow:
			i++
			times = p.units[i]
		}
		yield(base+uint32(u>>timesBits), uint8(times))
	}
}

// counter counts the terms of one document.
type counter struct {
	times []uint8 // by term
	ids   []uint32
}

func (c *counter) add(id uint32, times int32) {
	if int(id) >= len(c.times) {
		c.times = append(c.times, make([]uint8, int(id)+1-len(c.times)+len(c.times)/8)...)
	}
	if c.times[id] == 0 {
		c.ids = append(c.ids, id)
	}
	c.times[id] = uint8(min(int32(c.times[id])+times, maxTimes))
}

// addTo writes the counts into the table and resets them.
func (c *counter) addTo(t *termTable, doc uint32) {
	for _, id := range c.ids {
		t.add(id, doc, c.times[id])
		c.times[id] = 0
	}
	c.ids = c.ids[:0]
}

// removeFrom subtracts the counts from the table's numbers and resets them. The lists keep their entries: their readers
// skip removed documents.
func (c *counter) removeFrom(t *termTable) {
	for _, id := range c.ids {
		t.lists[id].liveDocs--
		c.times[id] = 0
	}
	t.liveEntries -= int64(len(c.ids))
	c.ids = c.ids[:0]
}
