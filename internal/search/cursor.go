package search

import (
	"fmt"

	"parley"
)

// place is where a page begins.
type place struct {
	kind byte
	at   int64  // of inList the last activity, of inWalk how many were shown, of inTail the number that comes behind
	id   string // of inList the conversation, of inWalk the walk, of inTail the shelf
}

// The kinds of places.
const (
	inList byte = 'l' // by activity
	inWalk byte = 'w' // among the ranked
	inTail byte = 't' // behind the ranked, from the newest
)

// purpose seals the cursors of all searches alike. Whose they are is told by the fingerprint within: a cursor that is genuine and
// of another search is told from one that was made up.
const purpose = "conversation search"

func (s *search) seal(p place) *string {
	return s.Cursors.Seal(purpose, &parley.Mark{At: p.at, ID: s.mark + string(p.kind) + p.id})
}

// open reads a cursor; the empty one gives nil.
func (s *search) open(cursor string) (*place, error) {
	m, err := s.Cursors.Open(purpose, cursor)
	if m == nil || err != nil {
		return nil, err
	}
	if len(m.ID) <= fingerprintSize {
		return nil, parley.Fail(parley.CodeInvalidCursor)
	}
	if m.ID[:fingerprintSize] != s.mark {
		return nil, parley.Fail(parley.CodeCursorMismatch)
	}
	return &place{kind: m.ID[fingerprintSize], at: m.At, id: m.ID[fingerprintSize+1:]}, nil
}

// shelfID names a shelf in a cursor or a walk.
func (s *shelf) id() string { return fmt.Sprintf("%d.%d", s.number, s.generation) }

// shelfNamed finds a shelf that a cursor names. One that is gone makes the cursor invalid: the index was built anew, long ago.
func (s *search) shelfNamed(call func(number, generation int64) (*shelf, error), id string) (*shelf, error) {
	var number, generation int64
	if _, err := fmt.Sscanf(id, "%d.%d", &number, &generation); err != nil {
		return nil, parley.Because(parley.CodeInvalidCursor, err)
	}
	found, err := call(number, generation)
	if err == nil && found == nil {
		err = parley.Fail(parley.CodeInvalidCursor)
	}
	return found, err
}
