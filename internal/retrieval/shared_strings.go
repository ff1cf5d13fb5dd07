package retrieval

import "parley"

// sharedStrings is what the passages of one source have in common. It is kept once.
type sharedStrings struct {
	lastPassage parley.Passage // without its text
	docs        []uint32       // in the index; of those forgotten some
}

// shareStrings lets the passage, which becomes a document, use the strings of its neighbours, and gives the bytes of those
// that none has.
func (x *Index) shareStrings(p *parley.Passage, doc uint32) (bytes int64) {
	s := x.sources[p.SourceID]
	if s == nil {
		s = &sharedStrings{}
		x.sources[p.SourceID] = s
	}
	s.docs = append(s.docs, doc)
	l := &s.lastPassage
	bytes += reuseString(&p.SourceID, l.SourceID) + reuseString(&p.SourceName, l.SourceName) + reuseString(&p.SourceURL, l.SourceURL)
	bytes += reuseString(&p.VersionID, l.VersionID) + reuseString(&p.VersionHash, l.VersionHash) + reuseString(&p.Heading, l.Heading)
	*l = *p
	l.ID, l.Text = "", ""
	return bytes
}

// reuseString puts the string that is kept in the place of one that says the same; else that is one more to keep, and its
// bytes are given.
func reuseString[T ~string](s *T, kept T) int64 {
	if *s == kept {
		*s = kept
		return 0
	}
	return allocatedBytes(len(*s))
}

// retainVersions takes out the passages of these sources but those of the version named.
func (x *Index) retainVersions(live map[parley.SourceID]parley.VersionID) {
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
	x.Remove(gone...)
}
