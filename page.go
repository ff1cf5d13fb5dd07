package parley

// Page is one page of a list, newest first unless documented otherwise.
type Page[T any] struct {
	Items []T
	Next  *Cursor // nil on the last page
	Total int     // number of items of the whole list
}

// Cursor is the position in a list where a page ended: the sort value of its last item and that item's id, which
// breaks ties. Clients see it as an opaque, signed text.
type Cursor struct {
	SortValue int64 // what the list is sorted by: milliseconds, or a sequence
	ID        string
}

// PageRequest selects one page.
type PageRequest struct {
	Limit int
	After *Cursor // nil for the first page
}
