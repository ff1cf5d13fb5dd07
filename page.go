package parley

// Page is one page of a list, newest first unless the list says otherwise.
type Page[T any] struct {
	Items []T
	Next  *Cursor // nil on the last page
	Total int     // items of the whole list
}

// Cursor is the place in a list where a page ended: the sort value of its last item and that item's id, which breaks ties.
// Faces turn it into an opaque, signed cursor.
type Cursor struct {
	SortValue int64 // milliseconds or a sequence, whatever the list is sorted by
	ID        string
}

// PageRequest asks for one page.
type PageRequest struct {
	Limit int
	After *Cursor // nil for the first page
}
