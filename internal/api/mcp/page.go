package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// listPage is a page of a list. Its items are those of REST, without the members that the tool leaves out.
type listPage struct {
	Data       []map[string]jsonText `json:"data"`
	Pagination jsonText              `json:"pagination"`
	Truncated  bool                  `json:"truncated,omitempty"`
}

func parsePage(text []byte) (*listPage, error) {
	p := &listPage{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("read a page of REST: %w", err)
	}
	return p, nil
}

// hasMore reports whether another page follows.
func (p *listPage) hasMore() bool {
	var end struct{ HasMore bool }
	return json.Unmarshal(p.Pagination, &end) == nil && end.HasMore
}

// getPage returns a page of a list with at most maxItems items of the tool.
func (s *server) getPage(ctx context.Context, t *tool, args arguments) (any, error) {
	args = maps.Clone(args)
	isOver := args.limitOr(t.maxItems) > t.maxItems
	if isOver {
		args["limit"] = encodeNumber(t.maxItems)
	}
	text, err := s.callOperation(ctx, t.operation, args, 0)
	if err != nil {
		return nil, err
	}
	p, err := parsePage(text)
	if err != nil {
		return nil, err
	}
	for _, item := range p.Data {
		maps.DeleteFunc(item, func(name string, _ jsonText) bool {
			return t.fields != nil && !slices.Contains(t.fields, name)
		})
	}
	p.Truncated = isOver && p.hasMore()
	return p, nil
}

// maxPageItems is the maximum number of items on a page of REST, which refuses higher limits.
const maxPageItems = 100

// limitOr returns the limit argument, or fallback if there is none that REST would accept.
func (args arguments) limitOr(fallback int) int {
	n, err := strconv.Atoi(queryValue(args["limit"]))
	if err != nil || n < 1 || n > maxPageItems {
		return fallback
	}
	return n
}

func encodeNumber(n int) jsonText { return jsonText(strconv.Itoa(n)) }
