package v1

import (
	"encoding/json"
	"fmt"

	"parley"
)

// extraSettings is what REST v1 says of an agent and REST v2 has no place for.
type extraSettings struct {
	Domains                    []string        `json:"domains,omitempty"` // kept while everybody may embed the chatbot
	CollectCustomerInformation json.RawMessage `json:"collectCustomerInformation,omitempty"`
}

func parseExtraSettings(a *parley.Agent) (x extraSettings, err error) {
	if a.V1 == nil {
		return x, nil
	}
	if err := json.Unmarshal(a.V1, &x); err != nil {
		return x, fmt.Errorf("read what version 1 keeps of the agent: %w", err)
	}
	return x, nil
}

func (b *SettingsChangeBody) applyExtra(a *parley.Agent) error {
	x, err := parseExtraSettings(a)
	if err != nil {
		return err
	}
	b.applyDomains(a, &x)
	if b.CollectCustomerInformation.Present {
		if x.CollectCustomerInformation, err = mergeMembers(x.CollectCustomerInformation, b.CollectCustomerInformation.Value); err != nil {
			return err
		}
	}
	if x.Domains == nil && x.CollectCustomerInformation == nil {
		a.V1 = nil
		return nil
	}
	a.V1, err = json.Marshal(x)
	return err
}

// applyDomains turns the restriction to domains on or off and changes their list. An agent that is held to domains has a list of
// them, and any other has none: the list of a restriction that is off is kept aside.
func (b *SettingsChangeBody) applyDomains(a *parley.Agent, x *extraSettings) {
	list, on := a.AllowedDomains, a.AllowedDomains != nil
	if !on {
		list = x.Domains
	}
	if b.Domains.Present {
		list = b.Domains.Value
	}
	replaceIfSent(&on, b.OnlyAllowOnAddedDomains)
	if !on {
		a.AllowedDomains, x.Domains = nil, list
		return
	}
	a.AllowedDomains, x.Domains = append([]string{}, list...), nil
}

// mergeMembers puts the members that were sent in the place of those that are kept, objects member by member.
func mergeMembers(stored json.RawMessage, sent any) (json.RawMessage, error) {
	text, err := json.Marshal(sent)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	return mergeJSON(stored, text)
}

func mergeJSON(stored, sent json.RawMessage) (json.RawMessage, error) {
	var changed map[string]json.RawMessage
	if json.Unmarshal(sent, &changed) != nil || changed == nil { // no object: it takes the place of what was there
		return sent, nil //nolint:nilerr // see above
	}
	all := parseMembers(stored)
	for name, value := range changed {
		laid, err := mergeJSON(all[name], value)
		if err != nil {
			return nil, err
		}
		all[name] = laid
	}
	return json.Marshal(all)
}

// parseMembers returns the members of an object; there are none in anything else.
func parseMembers(kept json.RawMessage) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(kept, &all) != nil || all == nil {
		return map[string]json.RawMessage{}
	}
	return all
}
