package retrieval_test

import (
	"fmt"

	"parley"
	"parley/internal/ingest"
	"parley/internal/retrieval"
)

// collection is an index with its trials.
type collection struct {
	index  *retrieval.Index
	trials []trial
}

// trial is a question and the sources that answer it: none for a question that they leave open.
type trial struct {
	query retrieval.Query
	right []string
}

func newCollection() *collection { return &collection{index: retrieval.NewIndex()} }

// add adds a text as one passage.
func (c *collection) add(id, heading, text string) {
	c.index.Put(parley.Passage{ID: parley.PassageID(id), SourceID: parley.SourceID(id), Heading: heading, Text: text})
}

// page adds a text as an agent does: split into passages.
func (c *collection) page(id, name, text string) {
	for i, p := range ingest.Split(text) {
		c.index.Put(parley.Passage{ID: parley.PassageID(fmt.Sprintf("%s#%d", id, i)), SourceID: parley.SourceID(id), SourceName: name, Ordinal: i,
			Heading: p.Heading, Start: p.Start, End: p.End, Text: text[p.Start:p.End]})
	}
}

func titled(title, text string) string {
	if title == "" {
		return text
	}
	return "# " + title + "\n\n" + text
}

func (c *collection) ask(q retrieval.Query, right ...string) {
	c.trials = append(c.trials, trial{q, right})
}
