package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
)

// page is one page of a list.
type page[T any] struct {
	Data       []T `json:"data"`
	Pagination struct {
		Cursor  *string `json:"cursor"`
		HasMore bool    `json:"hasMore"`
	} `json:"pagination"`
}

// List returns all items of a list of the interface, page after page: its path below /api/v2, and the parameters of its
// query. The last item is an error where a page cannot be read.
func List[T any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		params := url.Values{}
		for name, values := range query {
			params[name] = values
		}
		var none T
		for {
			var p page[T]
			if err := c.Do(ctx, http.MethodGet, path+"?"+params.Encode(), nil, &p); err != nil {
				yield(none, err)
				return
			}
			for _, item := range p.Data {
				if !yield(item, nil) {
					return
				}
			}
			next := p.Pagination.Cursor
			if !p.Pagination.HasMore || next == nil {
				return
			}
			if *next == params.Get("cursor") {
				yield(none, fmt.Errorf("parley: the list %s leads in a circle", path))
				return
			}
			params.Set("cursor", *next)
		}
	}
}

// Agent is an agent, with its main settings.
type Agent struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Model        string `json:"model"`
	Instructions string `json:"instructions"`
	Visibility   string `json:"visibility"`
	Status       string `json:"status"`
	CreatedAt    string `json:"createdAt"`
}

// Agents returns all agents of the account, the newest first.
func (c *Client) Agents(ctx context.Context) iter.Seq2[Agent, error] {
	return List[Agent](ctx, c, "/agents", nil)
}

// CreateAgent makes an agent and returns its id.
func (c *Client) CreateAgent(ctx context.Context, name, instructions string) (id string, err error) {
	var out struct {
		ID string `json:"id"`
	}
	body := map[string]string{"name": name, "instructions": instructions}
	err = c.Do(ctx, http.MethodPost, "/agents", body, &out)
	return out.ID, err
}

// Source is something that an agent has read.
type Source struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// Sources returns all sources of an agent.
func (c *Client) Sources(ctx context.Context, agent string) iter.Seq2[Source, error] {
	return List[Source](ctx, c, "/agents/"+escape(agent)+"/sources", nil)
}

// AddText adds a text that an agent reads, and returns the new source.
func (c *Client) AddText(ctx context.Context, agent, name, text string) (*Source, error) {
	source := &Source{}
	body := map[string]string{"type": "text", "name": name, "content": text}
	if err := c.Do(ctx, http.MethodPost, "/agents/"+escape(agent)+"/sources", body, source); err != nil {
		return nil, err
	}
	return source, nil
}

// Conversation is the summary of a conversation. Its times are epoch seconds.
type Conversation struct {
	ID        string  `json:"id"`
	Title     *string `json:"title"`
	UserID    *string `json:"userId"`
	Status    string  `json:"status"`
	CreatedAt int64   `json:"createdAt"`
	UpdatedAt int64   `json:"updatedAt"`
}

// Conversations returns the conversations of an agent that began through the interface, the latest first.
func (c *Client) Conversations(ctx context.Context, agent string) iter.Seq2[Conversation, error] {
	return List[Conversation](ctx, c, "/agents/"+escape(agent)+"/conversations", nil)
}

// StoredMessage is a message of a conversation.
type StoredMessage struct {
	ID        string `json:"id"`
	Role      string `json:"role"` // user or assistant
	Parts     []Part `json:"parts"`
	CreatedAt int64  `json:"createdAt"`
	Feedback  string `json:"feedback"`
}

// Messages returns the messages of a conversation, from the newest page to the oldest.
func (c *Client) Messages(ctx context.Context, agent, conversation string) iter.Seq2[StoredMessage, error] {
	path := "/agents/" + escape(agent) + "/conversations/" + escape(conversation) + "/messages"
	return List[StoredMessage](ctx, c, path, nil)
}
