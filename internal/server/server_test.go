package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// lifecycle records when components start and stop.
type lifecycle struct {
	mu     sync.Mutex
	events []string
}

func (l *lifecycle) record(event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, event)
}

func (l *lifecycle) component(name string) component {
	return component{name, func(ctx context.Context) error {
		<-ctx.Done()
		l.record(name)
		return nil
	}}
}

func TestComponentsStopInReverseOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifecycle
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- runComponents(ctx, []component{l.component("a"), l.component("b"), l.component("c")}) }()
		synctest.Wait()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want := []string{"c", "b", "a"}; !slices.Equal(l.events, want) {
			t.Errorf("stopped %v, want %v", l.events, want)
		}
	})
}

func TestFailedComponentStopsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifecycle
		cause := errors.New("broken")
		failing := component{"b", func(context.Context) error { return cause }}
		err := runComponents(t.Context(), []component{l.component("a"), failing, l.component("c")})
		if !errors.Is(err, cause) || err.Error() != "b: broken" {
			t.Errorf("returned %v", err)
		}
		if want := []string{"c", "a"}; !slices.Equal(l.events, want) {
			t.Errorf("stopped %v, want %v", l.events, want)
		}
	})
}

func TestSignInSettingsAreChecked(t *testing.T) {
	oidc := SignInConfig{OIDCIssuer: "https://id.example", OIDCClientID: "parley"}
	joining := oidc
	joining.OIDCJoinRole, joining.OIDCDomains = "agent", []string{"shop.example"}
	local := oidc
	local.OIDCIssuer = "http://localhost:8080/realms/shop"
	for _, c := range []SignInConfig{{}, oidc, joining, local,
		{SMTPURL: "smtps://kim:pw@mail.example", MailFrom: "parley@shop.example"}} {
		if err := c.Check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	with := func(c SignInConfig, change func(c *SignInConfig)) SignInConfig {
		change(&c)
		return c
	}
	for want, c := range map[string]SignInConfig{
		"--mail-from":      {SMTPURL: "smtp://kim:topsecret@mail.example"},
		"--smtp-url":       {SMTPURL: "smtp://kim:topsecret@mail.example:99999", MailFrom: "parley@shop.example"},
		"PARLEY_SMTP_URL":  {SMTPURL: "smtp://kim:topsecret%@mail.example", MailFrom: "parley@shop.example"},
		"PARLEY_MAIL_FROM": {SMTPURL: "smtp://mail.example", MailFrom: "parley"},
		"is missing":       {OIDCClientSecret: "topsecret"},
		"not an https://":  with(oidc, func(c *SignInConfig) { c.OIDCIssuer = "http://id.example" }),
		"--oidc-client-id": with(oidc, func(c *SignInConfig) { c.OIDCClientID = "" }),
		"--oidc-join-role": with(joining, func(c *SignInConfig) { c.OIDCJoinRole = "owner" }),
		"--oidc-domains":   with(joining, func(c *SignInConfig) { c.OIDCDomains = nil }),
	} {
		err := c.Check()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
