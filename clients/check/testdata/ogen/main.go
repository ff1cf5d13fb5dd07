// The command talks to a server through the client that ogen generates: main <address of the interface> <API key>.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"check/client"
)

type key string

// Bearer returns the API key to each request.
func (k key) Bearer(context.Context, client.OperationName) (client.Bearer, error) {
	return client.Bearer{Token: string(k)}, nil
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	err := talk(ctx, os.Args[1], key(os.Args[2]))
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func talk(ctx context.Context, address string, key key) error {
	c, err := client.NewClient(address, key)
	if err != nil {
		return err
	}
	created, err := c.CreateAgent(ctx, &client.NewAgentBody{Name: "Shop", Visibility: client.NewOptVisibility(client.VisibilityPrivate)}, client.CreateAgentParams{})
	agent, ok := created.(*client.CreatedAgentHeaders)
	if !ok {
		return fmt.Errorf("create an agent: %w, %+v", err, created)
	}
	id := agent.Response.ID
	if err := train(ctx, c, id); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	conversation, err := ask(ctx, c, id)
	if err != nil {
		return fmt.Errorf("chat: %w", err)
	}
	if err := stream(ctx, c, id, conversation); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	list, err := c.ListConversations(ctx, client.ListConversationsParams{AgentId: id, Limit: client.NewOptInt(10)})
	page, ok := list.(*client.ConversationPageHeaders)
	if !ok || len(page.Response.Data) != 1 || page.Response.Data[0].ID.String() != conversation || page.Response.Data[0].Status != client.ConversationStatusOngoing {
		return fmt.Errorf("list conversations: %w, %+v", err, list)
	}
	return miss(ctx, c)
}

func train(ctx context.Context, c *client.Client, agent string) error {
	text := client.NewTextSourceNewSource(client.TextSource{Type: client.TextSourceTypeText, Name: "Hours", Content: "The shop opens at nine and closes at five."})
	created, err := c.CreateSource(ctx, &text, client.CreateSourceParams{AgentId: agent})
	written, ok := created.(*client.WrittenSourceHeaders)
	if !ok {
		return fmt.Errorf("%w, %+v", err, created)
	}
	for {
		now, err := c.GetSource(ctx, client.GetSourceParams{AgentId: agent, SourceId: written.Response.ID.String()})
		source, ok := now.(*client.SourceHeaders)
		if !ok {
			return fmt.Errorf("%w, %+v", err, now)
		}
		if source.Response.Status == client.SourceStatusTrained {
			return nil
		}
		time.Sleep(50 * time.Millisecond) // as a client polls
	}
}

func ask(ctx context.Context, c *client.Client, agent string) (conversation string, err error) {
	response, err := c.Chat(ctx, &client.ChatBody{Message: client.NewOptNilString("When does the shop open?")}, client.ChatParams{AgentId: agent})
	reply, ok := response.(*client.ChatReplyDataHeaders)
	if !ok {
		return "", fmt.Errorf("%w, %+v", err, response)
	}
	answer := reply.Response.Data
	if len(answer.Parts) == 0 || !strings.Contains(answer.Parts[0].Text.Value, "nine") {
		return "", fmt.Errorf("the answer is %+v", answer)
	}
	return answer.Metadata.ConversationId.String(), nil
}

// stream gets the events all at once: the generated client reads a response to its end.
func stream(ctx context.Context, c *client.Client, agent, conversation string) error {
	body := &client.ChatBody{Message: client.NewOptNilString("And when does it close?"), ConversationId: client.NewOptNilString(conversation),
		Stream: client.NewOptNilBool(true)}
	response, err := c.Chat(ctx, body, client.ChatParams{AgentId: agent})
	events, ok := response.(*client.ChatOKTextEventStreamHeaders)
	if !ok {
		return fmt.Errorf("%w, %+v", err, response)
	}
	text, err := io.ReadAll(events.Response)
	if err != nil || !strings.Contains(string(text), `"text-delta"`) || !strings.HasSuffix(string(text), "data: [DONE]\n\n") {
		return fmt.Errorf("%w, %s", err, text)
	}
	return nil
}

func miss(ctx context.Context, c *client.Client) error {
	none, err := c.GetAgent(ctx, client.GetAgentParams{AgentId: "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50"})
	failure, ok := none.(*client.NotFoundHeaders)
	if !ok || failure.Response.Error.Code != "AGENT_NOT_FOUND" || failure.Response.Error.Message == "" || failure.XRequestID == "" {
		return fmt.Errorf("an unknown agent: %w, %+v", err, none)
	}
	return nil
}
