package testkit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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
func readPages[T any](ctx context.Context, l *VerifyingClient, path string) ([]T, error) {
	var all []T
	err := l.walkPages(ctx, path, 100, func(data json.RawMessage) (int, error) {
		var page []T
		err := json.Unmarshal(data, &page)
		all = append(all, page...)
		return len(page), err
	})
	return all, err
}

// readPagesBackward is readPages for a list whose first page has the newest items, with each page in ascending order.
func readPagesBackward[T any](ctx context.Context, l *VerifyingClient, path string) ([]T, error) {
	var all []T
	err := l.walkPages(ctx, path, 10, func(data json.RawMessage) (int, error) {
		var page []T
		err := json.Unmarshal(data, &page)
		all = append(page, all...)
		return len(page), err
	})
	return all, err
}

func (c *VerifyingClient) walkPages(ctx context.Context, path string, limit int,
	take func(data json.RawMessage) (int, error)) error {
	cursor, read := "", 0
	for {
		var page struct {
			Data       json.RawMessage
			Pagination struct {
				Cursor  *string
				HasMore bool
				Total   int
			}
		}
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := c.Do(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		n, err := take(page.Data)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		read += n
		if !page.Pagination.HasMore || page.Pagination.Cursor == nil {
			if read != page.Pagination.Total {
				return fmt.Errorf("read %s: %d items of %d", path, read, page.Pagination.Total)
			}
			return nil
		}
		cursor = *page.Pagination.Cursor
	}
}
