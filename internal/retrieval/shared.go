package retrieval

import "parley"

// shared is what the passages of one source have in common. It is kept once.
type shared struct {
	latest parley.Passage // without its text
	docs   []uint32       // in the index; of those forgotten some
}

// share lets the passage, which becomes a document, use the strings of its neighbours, and gives the bytes of those
// that none has.
func (x *Index) share(p *parley.Passage, doc uint32) (bytes int64) {
	s := x.sources[p.SourceID]
	if s == nil {
		s = &shared{}
		x.sources[p.SourceID] = s
	}
	s.docs = append(s.docs, doc)
	l := &s.latest
	bytes += same(&p.SourceID, l.SourceID) + same(&p.SourceName, l.SourceName) + same(&p.SourceURL, l.SourceURL)
	bytes += same(&p.VersionID, l.VersionID) + same(&p.VersionHash, l.VersionHash) + same(&p.Heading, l.Heading)
	*l = *p
	l.ID, l.Text = "", ""
	return bytes
}

// same puts the string that is kept in the place of one that says the same; else that is one more to keep, and its
// bytes are given.
func same[T ~string](s *T, kept T) int64 {
	if *s == kept {
		*s = kept
		return 0
	}
	return allotted(len(*s))
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
