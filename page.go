package parley

// Page is one page of a list, newest first unless the list says otherwise.
type Page[T any] struct {
	Items []T
	Next  *Mark // nil on the last page
	Total int   // items of the whole list
}

// Mark is the place in a list where a page ended: the sort value of its last item and that item's id, which breaks ties.
// Faces turn it into an opaque, signed cursor.
type Mark struct {
	At int64 // milliseconds or a sequence, whatever the list is sorted by
	ID string
}

// PageAsk asks for one page.
type PageAsk struct {
	Limit int
	After *Mark // nil for the first page
}
