package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

const (
	summary    = "summary"
	exportMost = 256 << 10 // bytes of JSON: an assistant cannot read more at a time
)

// runExport gives a page of conversations, without their messages unless they are asked for. A page that is too long is halved
// until it is not; of a conversation that is too long by itself the oldest messages are given.
func runExport(ctx context.Context, s *server, t *tool, args arguments) (any, error) {
	args = maps.Clone(args)
	if args["include"] == nil {
		args["include"] = quoted(summary)
	}
	asked := args.limit(t.most)
	if plain(args["conversationId"]) == "" { // here an empty one is none; REST would look for it
		delete(args, "conversationId")
	} else {
		asked = 1
	}
	for n := min(asked, t.most); ; n /= 2 {
		if n < asked {
			args["limit"] = number(n)
		}
		p, err := s.export(ctx, t, args)
		switch {
		case err == nil:
			p.Truncated = n < asked && p.more()
			return p, nil
		case !errors.Is(err, errCut):
			return nil, err
		case n == 1:
			return s.exportPart(ctx, t, args)
		}
	}
}

func (s *server) export(ctx context.Context, t *tool, args arguments) (*page, error) {
	req, err := t.operation.request(args)
	if err != nil {
		return nil, err
	}
	text, err := s.ask(ctx, req, exportMost)
	if err != nil {
		return nil, err
	}
	return pageOf(text)
}

// exportPart gives the one conversation of the page with as many of its messages as may be.
func (s *server) exportPart(ctx context.Context, t *tool, args arguments) (*page, error) {
	args["include"] = quoted(summary)
	p, err := s.export(ctx, t, args)
	if err != nil || len(p.Data) == 0 {
		return p, err
	}
	conversation := p.Data[0]
	req, err := t.operation.request(arguments{"agentId": args["agentId"], "conversationId": conversation["id"], "include": quoted("messages")})
	if err != nil {
		return nil, err
	}
	text, err := s.ask(ctx, req, exportMost)
	if err != nil && !errors.Is(err, errCut) {
		return nil, err
	}
	if conversation["messages"], err = encode(oldest(text)); err != nil {
		return nil, err
	}
	conversation["truncated"], p.Truncated = jsonText("true"), true
	return p, nil
}

// oldest reads the messages of an export's first conversation, as far as the text goes.
func oldest(text []byte) []jsonText {
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

func quoted(text string) jsonText { return fmt.Appendf(nil, "%q", text) }
