package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// page is a page of a list. Its items stay as REST gave them, but for members that the tool leaves out.
type page struct {
	Data       []map[string]jsonText `json:"data"`
	Pagination jsonText              `json:"pagination"`
	Truncated  bool                  `json:"truncated,omitempty"`
}

func pageOf(text []byte) (*page, error) {
	p := &page{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("read a page of REST: %w", err)
	}
	return p, nil
}

// more reports whether another page follows.
func (p *page) more() bool {
	var end struct{ HasMore bool }
	return json.Unmarshal(p.Pagination, &end) == nil && end.HasMore
}

// page asks for a page of a list, no larger than the tool gives.
func (s *server) page(ctx context.Context, t *tool, args arguments) (any, error) {
	args = maps.Clone(args)
	over := args.limit(t.most) > t.most
	if over {
		args["limit"] = number(t.most)
	}
	p, err := s.pageOnce(ctx, t, args)
	if err != nil {
		return nil, err
	}
	p.Truncated = over && p.more()
	return p, nil
}

func (s *server) pageOnce(ctx context.Context, t *tool, args arguments) (*page, error) {
	req, err := t.operation.request(args)
	if err != nil {
		return nil, err
	}
	text, err := s.ask(ctx, req, 0)
	if err != nil {
		return nil, err
	}
	p, err := pageOf(text)
	if err != nil {
		return nil, err
	}
	for _, item := range p.Data {
		maps.DeleteFunc(item, func(name string, _ jsonText) bool { return t.fields != nil && !slices.Contains(t.fields, name) })
	}
	return p, nil
}

// pageMost is the most items that REST lists on a page; it refuses more than that (interface 8).
const pageMost = 100

// limit gives the number of items asked for, or otherwise where none is, or none that REST would take.
func (args arguments) limit(otherwise int) int {
	n, err := strconv.Atoi(plain(args["limit"]))
	if err != nil || n < 1 || n > pageMost {
		return otherwise
	}
	return n
}

func number(n int) jsonText { return jsonText(strconv.Itoa(n)) }
