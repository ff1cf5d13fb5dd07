package retrieval

import "parley"

// sharedStrings holds the strings that the passages of one source have in common, once.
type sharedStrings struct {
	lastPassage parley.Passage // without its text
	docs        []uint32       // in the index; some of them removed
}

// shareStrings lets the passage, which becomes a document, use the strings of its neighbours, and returns the bytes of
// those that no neighbour has.
func (x *Index) shareStrings(p *parley.Passage, doc uint32) (bytes int64) {
	s := x.sources[p.SourceID]
	if s == nil {
		s = &sharedStrings{}
		x.sources[p.SourceID] = s
	}
	s.docs = append(s.docs, doc)
	l := &s.lastPassage
	bytes += reuseString(&p.SourceID, l.SourceID) + reuseString(&p.SourceName, l.SourceName) + reuseString(&p.SourceURL,
		l.SourceURL)
	bytes += reuseString(&p.VersionID, l.VersionID) + reuseString(&p.VersionHash, l.VersionHash) +
		reuseString(&p.Heading, l.Heading)
	*l = *p
	l.ID, l.Text = "", ""
	return bytes
}

// reuseString replaces a string by an equal one that is in memory already and returns 0, or returns the bytes of one
// that is new.
func reuseString[T ~string](s *T, earlier T) int64 {
	if *s == earlier {
		*s = earlier
		return 0
	}
	return allocatedBytes(len(*s))
}

// retainVersions removes the passages of these sources but for those of the named versions.
func (x *Index) retainVersions(live map[parley.SourceID]parley.VersionID) {
	var removed []parley.PassageID
	for source, version := range live {
		s := x.sources[source]
		if s == nil {
			continue
		}
		remaining := s.docs[:0]
		for _, doc := range s.docs {
			switch p := &x.docs[doc].passage; {
			case p.SourceID != source: // removed
			case p.VersionID == version:
				remaining = append(remaining, doc)
			default:
				removed = append(removed, p.ID)
			}
		}
		if s.docs = remaining; len(remaining) == 0 {
			delete(x.sources, source)
		}
	}
	x.Remove(removed...)
}
