package store

import (
	"math"

	"parley"
)

// newest gives the place after which a list that runs from the newest begins: everything lies after the first page's.
func newest(ask parley.PageAsk) parley.Mark {
	if ask.After == nil {
		return parley.Mark{At: math.MaxInt64}
	}
	return *ask.After
}

// cut takes the one item too many off a list, which says that there is a next page, and gives the mark where this one ends.
func cut[T any](list []T, limit int, mark func(T) parley.Mark) ([]T, *parley.Mark) {
	if len(list) <= limit {
		return list, nil
	}
	m := mark(list[limit-1])
	return list[:limit], &m
}
