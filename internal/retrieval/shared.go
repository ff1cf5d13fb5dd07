package retrieval

import "parley"

// shared is what the passages of one source have in common. It is kept once.
type shared struct {
	latest parley.Passage // without its text
	docs   []uint32       // in the index; of those forgotten some
}

// share lets the passage, which becomes a document, use the strings of its neighbours.
func (x *Index) share(p *parley.Passage, doc uint32) {
	s := x.sources[p.SourceID]
	if s == nil {
		s = &shared{}
		x.sources[p.SourceID] = s
	}
	s.docs = append(s.docs, doc)
	l := &s.latest
	p.SourceID = same(l.SourceID, p.SourceID)
	p.SourceName = same(l.SourceName, p.SourceName)
	p.SourceURL = same(l.SourceURL, p.SourceURL)
	p.VersionID = same(l.VersionID, p.VersionID)
	p.VersionHash = same(l.VersionHash, p.VersionHash)
	p.Heading = same(l.Heading, p.Heading)
	*l = *p
	l.ID, l.Text = "", ""
}

// same gives the first of two equal strings, so that the other is not kept; else the second.
func same[T ~string](kept, other T) T {
	if kept == other {
		return kept
	}
	return other
}

// retain takes out the passages of these sources but those of the version named.
func (x *Index) retain(live map[parley.SourceID]parley.VersionID) {
	var gone []parley.PassageID
	for source, version := range live {
		s := x.sources[source]
		if s == nil {
			continue
		}
		kept := s.docs[:0]
		for _, doc := range s.docs {
			switch p := &x.docs[doc].passage; {
			case p.SourceID != source: // forgotten
			case p.VersionID == version:
				kept = append(kept, doc)
			default:
				gone = append(gone, p.ID)
			}
		}
		if s.docs = kept; len(kept) == 0 {
			delete(x.sources, source)
		}
	}
	x.Forget(gone...)
}
