package looks

import (
	"reflect"

	"parley/internal/httpapi"
)

// SuggestedMessage is a message that end users can pick, or a group of them.
type SuggestedMessage = httpapi.Either[SingleSuggestion, SuggestionGroup]

// SuggestedMessages are messages to pick from, in their order.
type SuggestedMessages []SuggestedMessage

// Rules returns the rules of every field that holds them.
func (SuggestedMessages) Rules() reflect.StructTag { return `item:"name=SuggestedMessage"` }

// SingleSuggestion is one message to pick.
type SingleSuggestion struct {
	Type  string              `json:"type" enum:"single"`
	Text  string              `json:"text" min:"1"`
	Order int                 `json:"order"`
	Icon  httpapi.Opt[string] `json:"icon,omitzero" nullable:"true"`
}

// SuggestionGroup is a named group of messages to pick.
type SuggestionGroup struct {
	Type  string              `json:"type" enum:"nested"`
	Name  string              `json:"name" min:"1"`
	Order int                 `json:"order"`
	Icon  httpapi.Opt[string] `json:"icon,omitzero" nullable:"true"`
	Items []SuggestionItem    `json:"items" min:"1" max:"20"`
}

// SuggestionItem is one message of a group.
type SuggestionItem struct {
	Text  string              `json:"text" min:"1"`
	Order int                 `json:"order"`
	Icon  httpapi.Opt[string] `json:"icon,omitzero" nullable:"true"`
}
