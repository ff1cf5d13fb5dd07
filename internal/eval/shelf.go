package eval

import (
	"fmt"

	"parley"
	"parley/internal/ingest"
	"parley/internal/retrieval"
)

// finder is what finds passages: the server's own search, or the plain one it is compared with.
type finder interface {
	Put(passages ...parley.Passage)
	Nearest(q retrieval.Query) []retrieval.Hit
	Len() int
}

var (
	_ finder = (*retrieval.Index)(nil)
	_ finder = (*plain)(nil)
)

// shelf holds the texts of a set and finds passages in them.
type shelf struct {
	finder
	texts    map[parley.SourceID]string
	passages []parley.Passage     // kept for their vectors only
	asked    map[string][]float32 // vectors of the questions, by their text
}

func newShelf(docs []Doc, baseline bool) *shelf {
	s := &shelf{finder: retrieval.NewIndex(), texts: map[parley.SourceID]string{}}
	if baseline {
		s.finder = newPlain()
	}
	for _, d := range docs {
		list := s.cut(d)
		s.Put(list...)
		s.passages = append(s.passages, list...)
	}
	return s
}

// cut cuts a document as a source is cut, unless it is one passage as it stands.
func (s *shelf) cut(d Doc) (list []parley.Passage) {
	id := parley.SourceID(d.ID)
	if d.Whole {
		s.texts[id] = d.Text
		return []parley.Passage{{ID: passageID(d.ID, 0), SourceID: id, SourceName: d.Name, Heading: d.Title, End: len(d.Text), Text: d.Text}}
	}
	text := titled(d.Title, d.Text)
	s.texts[id] = text
	for i, p := range ingest.Split(text) {
		list = append(list, parley.Passage{ID: passageID(d.ID, i), SourceID: id, SourceName: d.Name, Ordinal: i, Heading: p.Heading,
			Start: p.Start, End: p.End, Text: text[p.Start:p.End]})
	}
	return list
}

func passageID(doc string, ordinal int) parley.PassageID {
	return parley.PassageID(fmt.Sprintf("%s#%d", doc, ordinal))
}
