package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"parley/internal/httpapi"
)

const (
	summaryDetail  = "summary"
	maxExportBytes = 256 << 10 // of JSON: an assistant cannot read more at once
)

// runExport returns a page of conversations, without their messages unless they are asked for. A page that is too
// long is halved until it fits. A single conversation that is too long is returned with its oldest messages only.
func runExport(ctx context.Context, s *server, t *tool, args arguments) (any, error) {
	args = maps.Clone(args)
	if args["include"] == nil {
		args["include"] = quoteJSON(summaryDetail)
	}
	limit := args.limitOr(t.maxItems)
	if queryValue(args["conversationId"]) == "" { // an empty one is none here; REST would look for it
		delete(args, "conversationId")
	} else {
		limit = 1
	}
	for n := min(limit, t.maxItems); ; n /= 2 {
		if n < limit {
			args["limit"] = encodeNumber(n)
		}
		p, err := s.exportPage(ctx, t, args)
		switch {
		case err == nil:
			p.Truncated = n < limit && p.hasMore()
			return p, nil
		case !errors.Is(err, errReplyTooLong):
			return nil, err
		case n == 1:
			return s.exportPartialConversation(ctx, t, args)
		}
	}
}

func (s *server) exportPage(ctx context.Context, t *tool, args arguments) (*listPage, error) {
	text, err := s.callOperation(ctx, t.operation, args, maxExportBytes)
	if err != nil {
		return nil, err
	}
	return parsePage(text)
}

// exportPartialConversation returns the one conversation of the page with as many of its messages as fit.
func (s *server) exportPartialConversation(ctx context.Context, t *tool, args arguments) (*listPage, error) {
	args["include"] = quoteJSON(summaryDetail)
	p, err := s.exportPage(ctx, t, args)
	if err != nil || len(p.Data) == 0 {
		return p, err
	}
	conversation := p.Data[0]
	text, err := s.callOperation(ctx, t.operation,
		arguments{"agentId": args["agentId"], "conversationId": conversation["id"],
			"include": quoteJSON("messages")}, maxExportBytes)
	if err != nil && !errors.Is(err, errReplyTooLong) {
		return nil, err
	}
	if conversation["messages"], err = httpapi.Marshal(parseOldestMessages(text)); err != nil {
		return nil, err
	}
	conversation["truncated"], p.Truncated = jsonText("true"), true
	return p, nil
}

// parseOldestMessages returns the complete messages of the first conversation in a truncated export.
func parseOldestMessages(text []byte) []jsonText {
	dec := json.NewDecoder(bytes.NewReader(text))
	read := []jsonText{}
	for range 4 { // {"data":[{
		if _, err := dec.Token(); err != nil {
			return read
		}
	}
	for dec.More() {
		name, err := dec.Token()
		var value jsonText
		if name == "messages" {
			_, err = dec.Token()
			for err == nil && dec.More() {
				if err = dec.Decode(&value); err == nil {
					read = append(read, bytes.Clone(value))
				}
			}
			return read
		}
		if err != nil || dec.Decode(&value) != nil {
			return read
		}
	}
	return read
}

func quoteJSON(text string) jsonText { return fmt.Appendf(nil, "%q", text) }
