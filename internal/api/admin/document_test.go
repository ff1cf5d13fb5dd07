package admin

import (
	"log/slog"

	"parley/internal/httpapi"
)

// Document returns the OpenAPI document of the operator's API.
func Document() ([]byte, error) {
	s := &Service{}
	api := newAPI(s, slog.New(slog.DiscardHandler))
	for _, r := range routes() {
		r.add(api, s)
	}
	return api.OpenAPI(httpapi.Info{
		Title:         "Parley for operators",
		Description:   introduction,
		Version:       "1.0.0",
		Contact:       "The operator of this server",
		Servers:       []httpapi.Server{{URL: "http://parley", Description: "The socket admin.sock in the data directory"}},
		Tags:          tags,
		ParamExamples: parameterExamples,
	})
}

const introduction = "What the `parley` commands call. " +
	"The server serves it on a unix socket in its data directory, which only the user that runs the server can open. " +
	"It is private: paths and shapes may change with every version."

var tags = []httpapi.Tag{
	{Name: "Accounts", Description: "Who has agents, on which plan."},
	{Name: "API keys", Description: "What programs of an account send to be let in."},
	{Name: "Members", Description: "The people of an account."},
	{Name: "Webhooks", Description: "Addresses that events are sent to, and what was sent."},
	{Name: "Server", Description: "Maintenance, and the index of searches."},
	{Name: "Agents", Description: "Agents as code, their sources, and what their conversations came to."},
	{Name: "Conversations", Description: "Conversations of all accounts."},
	{Name: "Voice", Description: "Voice sessions, their recordings, and how fast agents answer in them."},
	{Name: "Statuses", Description: "The statuses that an agent's tickets may have."},
	{Name: "Teams", Description: "The teams that take an agent's tickets."},
	{Name: "Rules", Description: "The rules that route an agent's tickets."},
	{Name: "Tickets", Description: "An agent's tickets and its customers."},
}

// parameterExamples describes the parameters of paths and queries.
var parameterExamples = map[string]httpapi.Example{
	"accountId":      {Text: "The account, by its id."},
	"agentId":        {Text: "The agent, by its id."},
	"conversationId": {Text: "The conversation, by its id."},
	"deliveryId":     {Text: "The delivery, by its id."},
	"email":          {Text: "The member, by the e-mail address; in place of the user id."},
	"keyId":          {Text: "The key, by its id."},
	"limit":          {Text: "Most items of the list."},
	"member":         {Text: "The member, by the e-mail address."},
	"rule":           {Text: "The rule, by its key."},
	"sessionId":      {Text: "The voice session, by its id."},
	"status":         {Text: "The status, by its id, key or label."},
	"team":           {Text: "The team, by its id, key or name."},
	"ticketNumber":   {Text: "The ticket, by its number."},
	"userId":         {Text: "The user, by the id."},
	"webhookId":      {Text: "The webhook, by its id."},
}
