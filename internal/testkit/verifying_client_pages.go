package testkit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// duplicateCheck finds duplicates.
type duplicateCheck struct {
	noun     string
	nameByID map[string]string // name by id
	names    map[string]bool
	errs     []error
}

func newDuplicateCheck(noun string) *duplicateCheck {
	return &duplicateCheck{noun: noun, nameByID: map[string]string{}, names: map[string]bool{}}
}

func (d *duplicateCheck) add(id, name string) {
	if _, twice := d.nameByID[id]; twice || d.names[name] {
		d.errs = append(d.errs, fmt.Errorf("%s %s %q is there twice", d.noun, id, name))
	}
	d.nameByID[id], d.names[name] = name, true
}

// readPages reads every page of a list and checks that its total is right. The items of later pages come after those of
// earlier ones; see readPagesBackward for lists that run the other way.
func readPages[T any](ctx context.Context, c *VerifyingClient, path string) ([]T, error) {
	pages, err := walkPages[T](ctx, c, path, 100)
	return slices.Concat(pages...), err
}

// readPagesBackward is readPages for a list whose first page has the newest items, with each page in ascending order.
func readPagesBackward[T any](ctx context.Context, c *VerifyingClient, path string) ([]T, error) {
	pages, err := walkPages[T](ctx, c, path, 10)
	slices.Reverse(pages)
	return slices.Concat(pages...), err
}

// walkPages returns the pages of a list in the order in which they are read.
func walkPages[T any](ctx context.Context, c *VerifyingClient, path string, limit int) (pages [][]T, err error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	for read := 0; ; {
		var page struct {
			Data       []T
			Pagination struct {
				Cursor  *string
				HasMore bool
				Total   int
			}
		}
		if err := c.Do(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		pages, read = append(pages, page.Data), read+len(page.Data)
		if !page.Pagination.HasMore || page.Pagination.Cursor == nil {
			if read != page.Pagination.Total {
				return nil, fmt.Errorf("read %s: %d items of %d", path, read, page.Pagination.Total)
			}
			return pages, nil
		}
		query.Set("cursor", *page.Pagination.Cursor)
	}
}
