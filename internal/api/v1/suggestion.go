package v1

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"parley"
)

// suggestion is what REST v1 knows of a message to pick, or of a group of them, as an agent keeps it.
type suggestion struct {
	Type  string `json:"type"` // single, or nested for a group
	Text  string `json:"text"`
	Order int    `json:"order"`
}

// storedSuggestion is a suggestion with all that is kept of it.
type storedSuggestion struct {
	suggestion
	raw json.RawMessage
}

// setSuggestions returns the agent messages to pick. Groups of them, which REST v1 does not know, stay in their places, and a message that was
// there keeps its icon.
func setSuggestions(a *parley.Agent, texts []string) error {
	previous, err := parseSuggestions(a)
	if err != nil {
		return err
	}
	var list []storedSuggestion
	groups, singles := map[int]bool{}, map[string]json.RawMessage{}
	for _, each := range previous {
		if each.Type == "single" {
			singles[each.Text] = each.raw
			continue
		}
		groups[each.Order] = true
		list = append(list, each)
	}
	order := 0
	for _, text := range texts {
		for groups[order] {
			order++
		}
		single := suggestion{"single", text, order}
		whole, err := mergeMembers(singles[text], single)
		if err != nil {
			return err
		}
		list = append(list, storedSuggestion{single, whole})
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
		each := storedSuggestion{raw: item}
		if err := json.Unmarshal(item, &each.suggestion); err != nil {
			return nil, fmt.Errorf("read a suggested message: %w", err)
		}
		list = append(list, each)
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
