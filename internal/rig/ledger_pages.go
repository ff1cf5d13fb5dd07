package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// once finds what is there twice.
type once struct {
	noun  string
	seen  map[string]string // name by id
	names map[string]bool
	errs  []error
}

func newOnce(noun string) *once {
	return &once{noun: noun, seen: map[string]string{}, names: map[string]bool{}}
}

func (o *once) see(id, name string) {
	if _, twice := o.seen[id]; twice || o.names[name] {
		o.errs = append(o.errs, fmt.Errorf("%s %s %q is there twice", o.noun, id, name))
	}
	o.seen[id], o.names[name] = name, true
}

// pages reads every page of a list and checks that its total is true. The items of later pages come after those of earlier
// ones; see backwards for lists that run the other way.
func pages[T any](ctx context.Context, l *Ledger, path string) ([]T, error) {
	var all []T
	err := l.walk(ctx, path, 100, func(data json.RawMessage) (int, error) {
		var page []T
		err := json.Unmarshal(data, &page)
		all = append(all, page...)
		return len(page), err
	})
	return all, err
}

// backwards is pages for a list whose first page holds the newest items, with each page running forward.
func backwards[T any](ctx context.Context, l *Ledger, path string) ([]T, error) {
	var all []T
	err := l.walk(ctx, path, 10, func(data json.RawMessage) (int, error) {
		var page []T
		err := json.Unmarshal(data, &page)
		all = append(page, all...)
		return len(page), err
	})
	return all, err
}

func (l *Ledger) walk(ctx context.Context, path string, limit int, take func(data json.RawMessage) (int, error)) error {
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
		if err := l.Do(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
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
