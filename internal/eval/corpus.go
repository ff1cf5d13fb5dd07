package eval

import (
	"fmt"

	"parley"
	"parley/internal/ingest"
	"parley/internal/retrieval"
)

// passageFinder is what finds passages: the server's own search, or the plain one it is compared with.
type passageFinder interface {
	Put(passages ...parley.Passage)
	Nearest(q retrieval.Query) []retrieval.Hit
	Len() int
}

var (
	_ passageFinder = (*retrieval.Index)(nil)
	_ passageFinder = (*bm25Index)(nil)
)

// corpus holds the texts of a set and finds passages in them.
type corpus struct {
	passageFinder
	texts           map[parley.SourceID]string
	passages        []parley.Passage     // kept for their vectors only
	questionVectors map[string][]float32 // vectors of the questions, by their text
}

func newCorpus(docs []Doc, baseline bool) *corpus {
	s := &corpus{passageFinder: retrieval.NewIndex(), texts: map[parley.SourceID]string{}}
	if baseline {
		s.passageFinder = newBM25Index()
	}
	for _, d := range docs {
		list := s.splitDoc(d)
		s.Put(list...)
		s.passages = append(s.passages, list...)
	}
	return s
}

// splitDoc cuts a document as a source is cut, unless it is one passage as it stands.
func (c *corpus) splitDoc(d Doc) (list []parley.Passage) {
	id := parley.SourceID(d.ID)
	if d.IsPassage {
		c.texts[id] = d.Text
		return []parley.Passage{{ID: passageID(d.ID, 0), SourceID: id, SourceName: d.SourceName, Heading: d.Title,
			End: len(d.Text), Text: d.Text}}
	}
	text := withTitle(d.Title, d.Text)
	c.texts[id] = text
	for i, p := range ingest.Split(text) {
		list = append(list, parley.Passage{ID: passageID(d.ID, i), SourceID: id, SourceName: d.SourceName, Ordinal: i,
			Heading: p.Heading,
			Start:   p.Start, End: p.End, Text: text[p.Start:p.End]})
	}
	return list
}

func passageID(doc string, ordinal int) parley.PassageID {
	return parley.PassageID(fmt.Sprintf("%s#%d", doc, ordinal))
}
