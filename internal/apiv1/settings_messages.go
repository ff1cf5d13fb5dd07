package apiv1

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

// suggested is a suggestion with all that is kept of it.
type suggested struct {
	suggestion
	whole json.RawMessage
}

// suggest gives the agent messages to pick. Groups of them, which REST v1 does not know, stay in their places, and a message that was
// there keeps its icon.
func suggest(a *parley.Agent, texts []string) error {
	kept, err := suggestionsOf(a)
	if err != nil {
		return err
	}
	var list []suggested
	groups, singles := map[int]bool{}, map[string]json.RawMessage{}
	for _, each := range kept {
		if each.Type == "single" {
			singles[each.Text] = each.whole
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
		whole, err := lay(singles[text], single)
		if err != nil {
			return err
		}
		list = append(list, suggested{single, whole})
		order++
	}
	slices.SortStableFunc(list, func(a, b suggested) int { return cmp.Compare(a.Order, b.Order) })
	return keepSuggestions(a, list)
}

func suggestionsOf(a *parley.Agent) (list []suggested, err error) {
	if a.SuggestedMessages == nil {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(a.SuggestedMessages, &items); err != nil {
		return nil, fmt.Errorf("read suggested messages: %w", err)
	}
	for _, item := range items {
		each := suggested{whole: item}
		if err := json.Unmarshal(item, &each.suggestion); err != nil {
			return nil, fmt.Errorf("read a suggested message: %w", err)
		}
		list = append(list, each)
	}
	return list, nil
}

func keepSuggestions(a *parley.Agent, list []suggested) (err error) {
	items := make([]json.RawMessage, len(list))
	for i := range list {
		items[i] = list[i].whole
	}
	a.SuggestedMessages, err = json.Marshal(items)
	return err
}
