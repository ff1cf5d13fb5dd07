// Command slack connects Slack to an agent by a channel of Parley (docs/manual/channels.md). It takes events of Slack's
// Events API, sends the messages in them to the channel, and posts what the channel sends back. It holds no state that
// must survive: what Slack or Parley could not deliver, they send again.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"
)

// config is what the program is told by its environment.
type config struct {
	slackURL      string // of Slack's Web API
	slackToken    string // of the bot
	slackSecret   string // by which Slack signs events
	parleyURL     string // to which messages are sent: that of the server, with the path of the channel
	parleySecret  string // of the channel
	listenAddress string
}

func readConfig(env func(string) string) (config, error) {
	c := config{slackURL: env("SLACK_API_URL"), slackToken: env("SLACK_BOT_TOKEN"),
		slackSecret: env("SLACK_SIGNING_SECRET"), parleyURL: env("PARLEY_CHANNEL_URL"),
		parleySecret: env("PARLEY_CHANNEL_SECRET"), listenAddress: env("LISTEN")}
	if c.slackURL == "" {
		c.slackURL = "https://slack.com/api"
	}
	if c.listenAddress == "" {
		c.listenAddress = "127.0.0.1:8300"
	}
	if c.slackToken == "" || c.slackSecret == "" || c.parleyURL == "" || c.parleySecret == "" {
		return c, errors.New("set SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, PARLEY_CHANNEL_URL and PARLEY_CHANNEL_SECRET")
	}
	return c, nil
}

func main() {
	cfg, err := readConfig(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	server := &http.Server{Addr: cfg.listenAddress, Handler: newBridge(cfg).handler(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Shutdown(context.Background()) })
	log.Printf("listening at %s: give Slack the address /slack/events and Parley's channel /parley", cfg.listenAddress)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

// bridge passes messages on in both directions.
type bridge struct {
	config
	client *http.Client
	now    func() time.Time
	posted *recentIDs // deliveries of Parley that are in Slack
}

// requestTimeout is longer than Parley lets a message wait for the answer before it.
const requestTimeout = 40 * time.Second

func newBridge(cfg config) *bridge {
	return &bridge{config: cfg, client: &http.Client{Timeout: requestTimeout}, now: time.Now, posted: &recentIDs{}}
}

func (b *bridge) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /slack/events", b.takeSlackEvent)
	mux.HandleFunc("POST /parley", b.takeParleyEvent)
	return mux
}

const maxBodyBytes = 1 << 20

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return nil, false
	}
	return body, true
}

// post sends JSON and returns the status and the body of the reply.
func (b *bridge) post(ctx context.Context, url string, body []byte, header http.Header) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	res, err := b.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(res.Body, maxBodyBytes))
	return res.StatusCode, reply, err
}

// incoming is a message as a channel takes it.
type incoming struct {
	MessageID      string `json:"messageId"`
	ConversationID string `json:"conversationId"`
	UserID         string `json:"userId,omitempty"`
	Text           string `json:"text"`
}

// errRefused is a failure that another try does not mend.
var errRefused = errors.New("refused")

// sendToParley hands a message to the channel. It may be sent again: the channel knows its id.
func (b *bridge) sendToParley(ctx context.Context, m incoming) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	header := http.Header{}
	signParley(header, b.parleySecret, m.MessageID, b.now(), body)
	status, reply, err := b.post(ctx, b.parleyURL, body, header)
	switch {
	case err != nil:
		return err
	case status/100 == 2:
		return nil
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w with %d: %s", errRefused, status, reply)
	}
	return fmt.Errorf("the channel answers with %d: %s", status, reply)
}

// outgoing is what a channel sends.
type outgoing struct {
	Type string `json:"type"`
	Data struct {
		ConversationID string `json:"conversationId"`
		Message        struct {
			Text    string `json:"text"`
			Sources []struct {
				Name string `json:"name"`
				URL  string `json:"url"`
			} `json:"sources"`
		} `json:"message"`
	} `json:"data"`
}

// statusTexts are what is said of what happens besides messages.
var statusTexts = map[string]string{
	"conversation.taken_over": "A person goes on with you from here.",
	"turn.failed":             "I could not answer that. Please try again.",
}

// takeParleyEvent posts what the channel sends. Every status but 2xx has it send that again later, in its place.
func (b *bridge) takeParleyEvent(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if !verifyParley(r.Header, b.parleySecret, b.now(), body) {
		http.Error(w, "the signature is not valid", http.StatusUnauthorized)
		return
	}
	var event outgoing
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	text := statusTexts[event.Type]
	if event.Type == "message.created" {
		text = slackText(event)
	}
	id := r.Header.Get("Webhook-Id")
	if text == "" || b.posted.contains(id) {
		return
	}
	err := b.postToSlack(r.Context(), event.Data.ConversationID, text)
	if err != nil {
		log.Printf("%s was not posted: %v", id, err)
	}
	if err != nil && !errors.Is(err, errRefused) {
		http.Error(w, "Slack did not take it", http.StatusServiceUnavailable)
		return
	}
	b.posted.add(id)
}
