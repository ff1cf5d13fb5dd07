package v1

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"parley"
)

// suggestion is the part of a suggested message, or of a group of them, that REST v1 uses.
type suggestion struct {
	Type  string `json:"type"` // single, or nested for a group
	Text  string `json:"text"`
	Order int    `json:"order"`
}

// storedSuggestion is a suggestion with its stored JSON.
type storedSuggestion struct {
	suggestion
	raw json.RawMessage
}

// setSuggestions replaces the agent's suggested messages. Groups of them, which REST v1 does not have, keep their
// positions, and a message that was there before keeps its icon.
func setSuggestions(a *parley.Agent, texts []string) error {
	previous, err := parseSuggestions(a)
	if err != nil {
		return err
	}
	var list []storedSuggestion
	groups, singles := map[int]bool{}, map[string]json.RawMessage{}
	for _, item := range previous {
		if item.Type == "single" {
			singles[item.Text] = item.raw
			continue
		}
		groups[item.Order] = true
		list = append(list, item)
	}
	order := 0
	for _, text := range texts {
		for groups[order] {
			order++
		}
		single := suggestion{"single", text, order}
		merged, err := mergeMembers(singles[text], single)
		if err != nil {
			return err
		}
		list = append(list, storedSuggestion{single, merged})
		order++
	}
	slices.SortStableFunc(list, func(a, b storedSuggestion) int { return cmp.Compare(a.Order, b.Order) })
	return storeSuggestions(a, list)
}

func parseSuggestions(a *parley.Agent) (list []storedSuggestion, err error) {
	if a.SuggestedMessages == nil {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(a.SuggestedMessages, &items); err != nil {
		return nil, fmt.Errorf("read suggested messages: %w", err)
	}
	for _, item := range items {
		stored := storedSuggestion{raw: item}
		if err := json.Unmarshal(item, &stored.suggestion); err != nil {
			return nil, fmt.Errorf("read a suggested message: %w", err)
		}
		list = append(list, stored)
	}
	return list, nil
}

func storeSuggestions(a *parley.Agent, list []storedSuggestion) (err error) {
	items := make([]json.RawMessage, len(list))
	for i := range list {
		items[i] = list[i].raw
	}
	a.SuggestedMessages, err = json.Marshal(items)
	return err
}
