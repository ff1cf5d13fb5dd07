package mcp

import (
	"context"
	"encoding/json"

	"parley"
)

// searchResults holds the results of the searches of one call, in their order.
type searchResults struct {
	Results []any `json:"results"`
}

// runSearches runs the searches of a call one after the other. Each has its own result or failure, and counts
// towards the rate limit of searches. Only a key without the scope fails the whole call.
func runSearches(ctx context.Context, s *server, t *tool, args arguments) (any, error) {
	var searches []jsonText
	if err := json.Unmarshal(args["searches"], &searches); err != nil {
		return nil, parley.Invalid("searches", "must be an array")
	}
	if len(searches) < 1 || len(searches) > maxSearches {
		return nil, parley.Invalid("searches", "must have from 1 to 5 items")
	}
	out := searchResults{}
	for _, text := range searches {
		found, err := s.runSearch(ctx, t, text, args["agentId"])
		if err != nil {
			failure := newRefusal(err)
			if failure.Code == parley.CodeInsufficientScope {
				return nil, err
			}
			found = object{"error": failure}
		}
		out.Results = append(out.Results, found)
	}
	return out, nil
}

// runSearch runs one search, in the agent that it names or else in the given one.
func (s *server) runSearch(ctx context.Context, t *tool, text, agent jsonText) (any, error) {
	itemSchema := t.input["properties"].(object)["searches"].(object)["items"].(object)
	args, err := parseArguments(text, itemSchema)
	if err != nil {
		return nil, err
	}
	if args["agentId"] == nil {
		if args["agentId"] = agent; agent == nil {
			return nil, parley.Invalid("agentId", "is required")
		}
	}
	reply, err := s.callOperation(ctx, t.operation, args, 0)
	return jsonText(reply), err
}
