// The command talks to a server through the client that oapi-codegen generates:
// main <address of the interface> <API key>.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"check/client"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	err := talk(ctx, os.Args[1], os.Args[2])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func talk(ctx context.Context, address, key string) error {
	c, err := client.NewClientWithResponses(address, client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		return err
	}
	created, err := c.CreateAgentWithResponse(ctx, nil, client.NewAgentBody{Name: "Shop", Visibility: new(client.Private)})
	if err != nil || created.JSON201 == nil {
		return fmt.Errorf("create an agent: %w, %s", err, created.Body)
	}
	agent := created.JSON201.Id
	if err := train(ctx, c, agent); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	conversation, err := ask(ctx, c, agent)
	if err != nil {
		return fmt.Errorf("chat: %w", err)
	}
	if err := stream(ctx, c, agent, conversation); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	list, err := c.ListConversationsWithResponse(ctx, agent, &client.ListConversationsParams{Limit: new(10)})
	if err != nil || list.JSON200 == nil || len(list.JSON200.Data) != 1 || list.JSON200.Data[0].Id.String() != conversation || list.JSON200.Data[0].Status != client.ConversationStatusOngoing {
		return fmt.Errorf("list conversations: %w, %s", err, list.Body)
	}
	return miss(ctx, c)
}

func train(ctx context.Context, c *client.ClientWithResponses, agent string) error {
	var source client.NewSource
	if err := source.FromTextSource(client.TextSource{Type: client.TextSourceTypeText, Name: "Hours", Content: "The shop opens at nine and closes at five."}); err != nil {
		return err
	}
	written, err := c.CreateSourceWithResponse(ctx, agent, nil, source)
	if err != nil || written.JSON201 == nil {
		return fmt.Errorf("%w, %s", err, written.Body)
	}
	for {
		now, err := c.GetSourceWithResponse(ctx, agent, written.JSON201.Id.String())
		if err != nil || now.JSON200 == nil {
			return fmt.Errorf("%w, %s", err, now.Body)
		}
		if now.JSON200.Status == client.SourceStatusTrained {
			return nil
		}
		time.Sleep(50 * time.Millisecond) // as a client polls
	}
}

func ask(ctx context.Context, c *client.ClientWithResponses, agent string) (conversation string, err error) {
	response, err := c.ChatWithResponse(ctx, agent, nil, client.ChatBody{Message: new("When does the shop open?")})
	if err != nil || response.JSON200 == nil {
		return "", fmt.Errorf("%w, %s", err, response.Body)
	}
	answer := response.JSON200.Data
	if answer.Metadata.Citations == nil || len(answer.Parts) == 0 || !strings.Contains(*answer.Parts[0].Text, "nine") {
		return "", fmt.Errorf("the answer is %s", response.Body)
	}
	return answer.Metadata.ConversationId.String(), nil
}

// stream reads the events as they come: the method without "WithResponse" returns the response unread.
func stream(ctx context.Context, c *client.ClientWithResponses, agent, conversation string) error {
	resp, err := c.ClientInterface.Chat(ctx, agent, nil, client.ChatBody{Message: new("And when does it close?"), ConversationId: &conversation, Stream: new(true)})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	deltas, last := 0, ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if event, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			last = event
			if strings.Contains(event, `"text-delta"`) {
				deltas++
			}
		}
	}
	if deltas == 0 || last != "[DONE]" {
		return fmt.Errorf("%d pieces, ended by %q", deltas, last)
	}
	return nil
}

func miss(ctx context.Context, c *client.ClientWithResponses) error {
	none, err := c.GetAgentWithResponse(ctx, "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50")
	if err != nil {
		return err
	}
	if none.JSON404 == nil || none.JSON404.Error.Code != "AGENT_NOT_FOUND" || none.JSON404.Error.Message == "" {
		return fmt.Errorf("an unknown agent: %s %s", none.Status(), none.Body)
	}
	return nil
}
