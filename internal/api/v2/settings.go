package v2

import (
	"encoding/json"

	"parley"
	"parley/internal/httpapi"
)

// ChannelInstructions are instructions that hold in one channel only, by the channel's key (facts 2.8b).
type ChannelInstructions map[string]httpapi.Either[string, ModeInstructions]

// ModeInstructions tell chat and voice apart.
type ModeInstructions struct {
	Chat  httpapi.Opt[string] `json:"chat,omitzero"`
	Voice httpapi.Opt[string] `json:"voice,omitzero"`
}

// SuggestedMessage is a message that end users can pick, or a group of them.
type SuggestedMessage = httpapi.Either[SingleSuggestion, SuggestionGroup]

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

// Notifications are the daily mails about an agent.
type Notifications struct {
	DailyLeadsCollected Notification `json:"dailyLeadsCollected"`
	DailyConversations  Notification `json:"dailyConversations"`
}

// Notification is one daily mail.
type Notification struct {
	Active bool     `json:"active"`
	Emails []string `json:"emails" max:"10" item:"format=email"`
}

// NotificationsChange holds the mails to change; the other one stays.
type NotificationsChange struct {
	DailyLeadsCollected httpapi.Opt[NotificationChange] `json:"dailyLeadsCollected,omitzero"`
	DailyConversations  httpapi.Opt[NotificationChange] `json:"dailyConversations,omitzero"`
}

// NotificationChange holds what to change of one daily mail.
type NotificationChange struct {
	Active httpapi.Opt[bool]     `json:"active,omitzero"`
	Emails httpapi.Opt[[]string] `json:"emails,omitzero" max:"10" item:"format=email"`
}

func (n NotificationChange) apply(to *Notification) {
	replaceIfSent(&to.Active, n.Active)
	replaceIfSent(&to.Emails, n.Emails)
}

func (n NotificationsChange) apply(a *parley.Agent, sent httpapi.Opt[NotificationsChange]) error {
	if sent.Null {
		a.Notifications = nil
	}
	if sent.Ptr() == nil {
		return nil
	}
	off := Notification{Emails: []string{}}
	now := Notifications{off, off}
	if a.Notifications != nil {
		if err := json.Unmarshal(a.Notifications, &now); err != nil {
			return err
		}
	}
	n.DailyLeadsCollected.Value.apply(&now.DailyLeadsCollected)
	n.DailyConversations.Value.apply(&now.DailyConversations)
	return replaceJSONIfSent(&a.Notifications, httpapi.Some(now))
}
