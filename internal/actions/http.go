package actions

import (
	"bytes"
	"cmp"
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

// request is an http action that can be sent.
type request struct {
	toolbox *Toolbox
	action  *parley.Action
	config  httpConfig
	fields  fieldTree // nil shows the whole reply
	secrets []string
	limits  outbound.Limits
}

// maxReplyBytes is the most bytes of a reply that are read; the model gets fewer.
const maxReplyBytes = 2 << 20

func (t *Toolbox) httpTool(a *parley.Action, tool *chat.Tool) error {
	r, err := t.newRequest(a)
	if err != nil {
		return err
	}
	tool.Run, tool.Timeout, tool.HasEffects = withCheckedInputs(a.Inputs, r.send), r.limits.Timeout+timeoutMargin,
		r.hasEffects()
	return nil
}

func (t *Toolbox) newRequest(a *parley.Action) (*request, error) {
	r := &request{toolbox: t, action: a, secrets: SecretNames(a.Config)}
	if err := decodeStrict(a.Config, &r.config); err != nil {
		return nil, err
	}
	if len(r.config.Response) > 0 {
		r.fields = newFieldTree(r.config.Response)
	}
	seconds := cmp.Or(max(r.config.Timeout, 0), 15)
	r.limits = outbound.Limits{Timeout: time.Duration(min(seconds, 30) * float64(time.Second)), MaxBytes: maxReplyBytes,
		HTTPSOnly: strings.HasPrefix(r.config.URL, "https:")}
	return r, nil
}

func (r *request) send(ctx context.Context, call chat.Call, v values) chat.Output {
	var err error
	if v.secrets, err = r.toolbox.openActionSecrets(r.action, r.secrets); err != nil {
		r.toolbox.Logger.Error("an action's secrets", "agent", r.action.AgentID, "action", r.action.Key, "err", err)
		return failedOutput("%v", err)
	}
	req, err := r.buildRequest(ctx, v)
	if err != nil {
		return failedOutput("%v", err)
	}
	if r.hasEffects() && req.Header.Get(idempotencyHeader) == "" {
		req.Header.Set(idempotencyHeader, call.IdempotencyKey)
	}
	reply, err := r.toolbox.HTTP.Do(req, r.limits)
	if err != nil {
		r.toolbox.Logger.Warn("an action failed", "agent", r.action.AgentID, "conversation", call.Turn.ConversationID,
			"action", r.action.Key, "err", err)
		return unreachableOutput(err)
	}
	return r.replyOutput(reply, secretReplacer(v.secrets))
}

// unreachableOutput returns a failure for the model and the customer; the details are for the operator, in the log.
func unreachableOutput(err error) chat.Output {
	e, ok := errors.AsType[*outbound.Error](err)
	switch {
	case ok && e.Kind == outbound.KindTimeout:
		return failedOutput("the service took too long")
	case ok && e.Kind == outbound.KindTooLarge:
		return failedOutput("the service's reply is too large")
	}
	return failedOutput("the service could not be reached")
}

// idempotencyHeader lets a service tell a repeated request from a new one.
const idempotencyHeader = "Idempotency-Key"

// hasEffects reports whether the request may change something.
func (r *request) hasEffects() bool {
	return r.config.Method != "" && r.config.Method != http.MethodGet
}

// buildRequest fills the templates. Its errors name the place, never a value.
func (r *request) buildRequest(ctx context.Context, v values) (*http.Request, error) {
	address, err := v.buildURL(r.config.URL, r.config.Query)
	if err != nil {
		return nil, err
	}
	var body []byte
	if r.config.Body != nil {
		if body, err = json.Marshal(v.fillJSON(r.config.Body)); err != nil {
			return nil, errors.New("the request's body is not JSON")
		}
	}
	method := cmp.Or(r.config.Method, http.MethodGet)
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
	return req, r.setHeaders(req.Header, v)
}

func (r *request) setHeaders(into http.Header, v values) error {
	for name, template := range r.config.Headers {
		value := strings.TrimSpace(v.fillTemplate(template, nil))
		if strings.ContainsFunc(value, isControl) {
			return fmt.Errorf("the header %s cannot hold such a value", name)
		}
		if !v.isMissing(template) {
			into.Set(name, value)
		}
	}
	return nil
}

// buildURL fills a URL. No input can lead to another host or leave the path that the operator has written.
func (v values) buildURL(template string, query map[string]string) (string, error) {
	path, queryPart, _ := strings.Cut(template, "?")
	path = v.fillTemplate(path, url.PathEscape)
	if slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return part == "." || part == ".." }) {
		return "", errors.New("an input cannot stand in the path of the request")
	}
	more := url.Values{}
	for name, t := range query {
		if !v.isMissing(t) {
			more.Set(name, v.fillTemplate(t, nil))
		}
	}
	queryPart = v.fillTemplate(queryPart, url.QueryEscape)
	if len(more) > 0 {
		queryPart = strings.TrimPrefix(queryPart+"&"+more.Encode(), "&")
	}
	if queryPart != "" {
		path += "?" + queryPart
	}
	u, err := url.Parse(path)
	if err != nil {
		return "", errors.New("the request's address is not valid")
	}
	if want, err := url.Parse(markPattern.ReplaceAllString(template, "x")); err != nil || want.Host != u.Host ||
		want.Scheme != u.Scheme {
		return "", errors.New("the request's address is not valid")
	}
	return path, nil
}
