package store

import (
	"math"

	"parley"
)

// startCursor returns the place after which a list that runs from the newest begins: everything lies after the first page's.
func startCursor(ask parley.PageRequest) parley.Cursor {
	if ask.After == nil {
		return parley.Cursor{SortValue: math.MaxInt64}
	}
	return *ask.After
}

// cutPage takes the one item too many off a list, which says that there is a next page, and gives the mark where this one ends.
func cutPage[T any](list []T, limit int, cursorOf func(T) parley.Cursor) ([]T, *parley.Cursor) {
	if len(list) <= limit {
		return list, nil
	}
	m := cursorOf(list[limit-1])
	return list[:limit], &m
}
