package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/outbound"
)

// request is an http action, ready to be sent.
type request struct {
	box     *Box
	action  *parley.Action
	config  httpConfig
	picks   picks // nil shows the whole reply
	secrets []string
	limits  outbound.Limits
}

// maxFetched is the most of a reply that is read, in bytes; what is shown of it is less.
const maxFetched = 2 << 20

func (b *Box) http(a *parley.Action, tool *chat.Tool) error {
	r := &request{box: b, action: a, secrets: SecretNames(a.Config)}
	if err := strictly(a.Config, &r.config); err != nil {
		return err
	}
	if len(r.config.Response) > 0 {
		r.picks = pickTree(r.config.Response)
	}
	seconds := r.config.Timeout
	if seconds <= 0 {
		seconds = 15
	}
	r.limits = outbound.Limits{Time: time.Duration(min(seconds, 30) * float64(time.Second)), Bytes: maxFetched, HTTPSOnly: strings.HasPrefix(r.config.URL, "https:")}
	tool.Run, tool.Timeout, tool.Effects = checked(a.Inputs, r.send), r.limits.Time+margin, r.effects()
	return nil
}

func (r *request) send(ctx context.Context, call chat.Call, v values) chat.Output {
	var err error
	if v.secrets, err = r.box.secrets(r.action, r.secrets); err != nil {
		r.box.Logger.Error("an action's secrets", "agent", r.action.AgentID, "action", r.action.Key, "err", err)
		return failed("%v", err)
	}
	req, err := r.build(ctx, v)
	if err != nil {
		return failed("%v", err)
	}
	if r.effects() && req.Header.Get(onceHeader) == "" {
		req.Header.Set(onceHeader, call.Once)
	}
	reply, err := r.box.HTTP.Do(req, r.limits)
	if err != nil {
		r.box.Logger.Warn("an action failed", "agent", r.action.AgentID, "conversation", call.Turn.ConversationID, "action", r.action.Key, "err", err)
		return unreached(err)
	}
	return r.shown(reply, mask(v.secrets))
}

// unreached words a failure for the model and the customer; why it came so is the operator's affair, and in the log.
func unreached(err error) chat.Output {
	var e *outbound.Error
	switch {
	case errors.As(err, &e) && e.Kind == outbound.TooSlow:
		return failed("the service took too long")
	case errors.As(err, &e) && e.Kind == outbound.TooLarge:
		return failed("the service's reply is too large")
	}
	return failed("the service could not be reached")
}

// onceHeader lets a service tell a repeated request from a new one.
const onceHeader = "Idempotency-Key"

// effects reports a request that changes something.
func (r *request) effects() bool { return r.config.Method != "" && r.config.Method != http.MethodGet }

// build fills the templates. Its errors name the place, never a value.
func (r *request) build(ctx context.Context, v values) (*http.Request, error) {
	address, err := r.address(v)
	if err != nil {
		return nil, err
	}
	var body []byte
	if r.config.Body != nil {
		if body, err = json.Marshal(v.json(r.config.Body)); err != nil {
			return nil, errors.New("the request's body is not JSON")
		}
	}
	method := r.config.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the request's address is not valid")
	}
	if body == nil {
		req.Body, req.GetBody = http.NoBody, nil
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Parley")
	return req, r.headers(req.Header, v)
}

func (r *request) headers(into http.Header, v values) error {
	for name, template := range r.config.Headers {
		value := strings.TrimSpace(v.fill(template, nil))
		if strings.ContainsFunc(value, control) {
			return fmt.Errorf("the header %s cannot hold such a value", name)
		}
		if !v.absent(template) {
			into.Set(name, value)
		}
	}
	return nil
}

// address fills the URL. No input leads to another host or climbs out of the path that the operator has written.
func (r *request) address(v values) (string, error) {
	return v.address(r.config.URL, r.config.Query)
}

func (v values) address(template string, query map[string]string) (string, error) {
	path, asked, _ := strings.Cut(template, "?")
	path = v.fill(path, url.PathEscape)
	if slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return part == "." || part == ".." }) {
		return "", errors.New("an input cannot stand in the path of the request")
	}
	more := url.Values{}
	for name, t := range query {
		if !v.absent(t) {
			more.Set(name, v.fill(t, nil))
		}
	}
	asked = v.fill(asked, url.QueryEscape)
	if len(more) > 0 {
		asked = strings.TrimPrefix(asked+"&"+more.Encode(), "&")
	}
	if asked != "" {
		path += "?" + asked
	}
	u, err := url.Parse(path)
	if err != nil {
		return "", errors.New("the request's address is not valid")
	}
	if want, err := url.Parse(mark.ReplaceAllString(template, "x")); err != nil || want.Host != u.Host || want.Scheme != u.Scheme {
		return "", errors.New("the request's address is not valid")
	}
	return path, nil
}
