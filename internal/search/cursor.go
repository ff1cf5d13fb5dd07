package search

import (
	"fmt"

	"parley"
)

// cursorPosition is where a page begins.
type cursorPosition struct {
	kind byte
	// of cursorList the last activity, of cursorSnapshot how many were shown, of cursorTail the number that comes
	// behind
	value int64
	id    string // of cursorList the conversation, of cursorSnapshot the walk, of cursorTail the partition
}

// The kinds of places.
const (
	cursorList     byte = 'l' // by activity
	cursorSnapshot byte = 'w' // among the ranked
	cursorTail     byte = 't' // behind the ranked, from the newest
)

// cursorPurpose seals the cursors of all searches alike. Whose they are is told by the fingerprint within: a cursor
// that is genuine and of another search is told from one that was made up.
const cursorPurpose = "conversation search"

func (s *searchRun) sealCursor(p cursorPosition) *string {
	return s.Cursors.Seal(cursorPurpose, &parley.Cursor{SortValue: p.value, ID: s.fingerprint + string(p.kind) + p.id})
}

// openCursor reads a cursor; it returns nil for the empty one.
func (s *searchRun) openCursor(cursor string) (*cursorPosition, error) {
	m, err := s.Cursors.Open(cursorPurpose, cursor)
	if m == nil || err != nil {
		return nil, err
	}
	if len(m.ID) <= fingerprintSize {
		return nil, parley.NewError(parley.CodeInvalidCursor)
	}
	if m.ID[:fingerprintSize] != s.fingerprint {
		return nil, parley.NewError(parley.CodeCursorMismatch)
	}
	return &cursorPosition{kind: m.ID[fingerprintSize], value: m.SortValue, id: m.ID[fingerprintSize+1:]}, nil
}

// partitionID names a partition in a cursor or a walk.
func (ap *agentPartition) id() string { return fmt.Sprintf("%d.%d", ap.number, ap.generation) }

// findPartitionByID returns the partition that a cursor names. Where it is gone the cursor is invalid: the index was
// rebuilt long ago.
func (s *searchRun) findPartitionByID(call func(number, generation int64) (*agentPartition, error),
	id string) (*agentPartition, error) {
	var number, generation int64
	if _, err := fmt.Sscanf(id, "%d.%d", &number, &generation); err != nil {
		return nil, parley.WrapError(parley.CodeInvalidCursor, err)
	}
	found, err := call(number, generation)
	if err == nil && found == nil {
		err = parley.NewError(parley.CodeInvalidCursor)
	}
	return found, err
}
