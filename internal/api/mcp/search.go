package mcp

import (
	"context"
	"encoding/json"

	"parley"
)

// searchResults are those of the searches of one call, in their order.
type searchResults struct {
	Results []any `json:"results"`
}

// runSearches runs the searches of a call one after the other. Each has a result or a refusal of its own, and counts for itself
// towards the rate of searches (decision 16); only a key that may not search is a refusal of the call.
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

// runSearch runs one search, in the agent that it names or else in the one named beside it.
func (s *server) runSearch(ctx context.Context, t *tool, text, agent jsonText) (any, error) {
	each := t.input["properties"].(object)["searches"].(object)["items"].(object)
	args, err := parseArguments(text, each)
	if err != nil {
		return nil, err
	}
	if args["agentId"] == nil {
		if args["agentId"] = agent; agent == nil {
			return nil, parley.Invalid("agentId", "is required")
		}
	}
	req, err := t.operation.newRequest(args)
	if err != nil {
		return nil, err
	}
	reply, err := s.callREST(ctx, req, 0)
	return jsonText(reply), err
}
