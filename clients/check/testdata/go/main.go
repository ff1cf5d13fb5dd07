// The program talks to a server through the client for Go: it makes an agent, has it read a text, asks and reads lists.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"parley/client"
)

func main() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := talk(ctx, client.New(os.Args[1], os.Args[2])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func talk(ctx context.Context, parley *client.Client) error {
	agent, err := parley.CreateAgent(ctx, "Shop", "")
	if err != nil {
		return err
	}
	if _, err := parley.AddText(ctx, agent, "Hours", "The shop is open from 9 to 5 on weekdays."); err != nil {
		return err
	}
	if err := awaitTraining(ctx, parley, agent); err != nil {
		return err
	}
	answer, err := parley.Chat(ctx, agent, client.Message{Text: "When is the shop open?", UserID: "user-1"})
	if err != nil {
		return err
	}
	if answer.Text() == "" || len(answer.Metadata.Citations) == 0 {
		return fmt.Errorf("the answer has no text or no source: %+v", answer)
	}
	conversation := answer.Metadata.ConversationID
	text, end := "", client.Metadata{}
	for e, err := range parley.Stream(ctx, agent, client.Message{Text: "On weekdays?", ConversationID: conversation}) {
		if err != nil {
			return err
		}
		if text += e.Delta; e.Type == "finish" {
			end = e.Metadata
		}
	}
	if text == "" || end.ConversationID != conversation || end.FinishReason != "stop" {
		return fmt.Errorf("the stream ended with %q, %+v", text, end)
	}
	messages := 0
	for _, err := range parley.Messages(ctx, agent, conversation) {
		if err != nil {
			return err
		}
		messages++
	}
	if messages != 4 {
		return fmt.Errorf("%d messages", messages)
	}
	if _, err := parley.Chat(ctx, "nobody", client.Message{Text: "Hello"}); !client.IsCode(err, "AGENT_NOT_FOUND") {
		return fmt.Errorf("an agent that is not there: %w", err)
	}
	return nil
}

func awaitTraining(ctx context.Context, parley *client.Client, agent string) error {
	for {
		isTrained := true
		for s, err := range parley.Sources(ctx, agent) {
			if err != nil {
				return err
			}
			isTrained = isTrained && s.Status == "trained"
		}
		if isTrained {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}
