package server

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/jobs"
	"parley/internal/limits"
	"parley/internal/mail"
)

// consolePath is where the console is.
const consolePath = "/console"

// insecureConsoleOn is the value of the setting InsecureConsole that lets people sign in over plain HTTP.
const insecureConsoleOn = "on"

// defaultBaseURL is what a command calls a server of which it knows nothing.
const defaultBaseURL = "http://localhost:8080"

// consoleURL returns the address of the console. Loopback is called localhost, because passkeys need a host name.
func (c Config) consoleURL() string {
	base := cmp.Or(c.ConsoleURL, c.BaseURL, defaultBaseURL)
	if u, err := url.Parse(base); err == nil {
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsLoopback() {
			port := u.Port()
			if u.Host = "localhost"; port != "" {
				u.Host = net.JoinHostPort("localhost", port)
			}
			base = u.String()
		}
	}
	return strings.TrimSuffix(base, "/") + consolePath
}

// newUsers returns what signs people in. A console whose address allows no passkeys has none.
func (c Config) newUsers(accounts *access.Accounts, queue *jobs.Queue, shared *limits.Shared) *access.Users {
	passkeys, err := access.NewPasskeyVerifier(c.consoleURL())
	if err != nil {
		c.Logger.Warn("there are no passkeys at this address", "error", err)
	}
	if c.InsecureConsole == insecureConsoleOn {
		c.Logger.Warn("people may sign in to the console over plain HTTP, so their passwords can be read on the way")
	}
	return &access.Users{
		DB: accounts.DB, Accounts: accounts, Now: c.Now, ConsoleURL: c.consoleURL(), Logger: c.Logger,
		Sessions: &access.WebSessions{DB: accounts.DB, Now: c.Now, Idle: c.SessionIdle, Lifetime: c.SessionLifetime,
			Logger: c.Logger, NoPasskeys: passkeys == nil},
		Passwords: access.NewPasswords(), Throttle: &access.SignInThrottle{Shared: shared}, Passkeys: passkeys,
		Mail: c.newLinkMail(queue, shared), OIDC: c.newOIDC(), Challenges: access.NewChallengeLimiter(shared),
	}
}

// ConsoleURL returns the address of the console.
func (s *Server) ConsoleURL() string { return s.cfg.consoleURL() }

// Check reports invalid settings.
func (s SignInConfig) Check() error {
	var faults settingFaults
	check := faults.check
	check((s.SMTPURL == "") == (s.MailFrom == ""), "--smtp-url and --mail-from: each needs the other")
	if s.SMTPURL != "" && s.MailFrom != "" {
		_, err := mail.NewSMTP(s.SMTPURL, s.MailFrom)
		check(err == nil, "--smtp-url (PARLEY_SMTP_URL) and --mail-from (PARLEY_MAIL_FROM): %w", err)
	}
	faults = append(faults, s.checkOIDC())
	return errors.Join(faults...)
}

func (s SignInConfig) checkOIDC() error {
	var faults settingFaults
	check := faults.check
	if s.OIDCIssuer == "" {
		hasOther := s.OIDCClientID+s.OIDCClientSecret+s.OIDCJoinRole+s.OIDCName != "" || len(s.OIDCDomains) > 0
		check(!hasOther, "--oidc-issuer (PARLEY_OIDC_ISSUER): is missing, while other settings of it are there")
		return errors.Join(faults...)
	}
	u, err := url.Parse(s.OIDCIssuer)
	check(err == nil && u.Host != "" && u.User == nil && u.RawQuery == "" &&
		(u.Scheme == "https" || u.Scheme == "http" && httpapi.IsLoopbackHost(u.Hostname())),
		"--oidc-issuer (PARLEY_OIDC_ISSUER): not an https:// address")
	check(s.OIDCClientID != "", "--oidc-client-id (PARLEY_OIDC_CLIENT_ID): is missing")
	check(s.OIDCJoinRole == "" || slices.Contains(joinRoles, parley.Role(s.OIDCJoinRole)),
		"--oidc-join-role (PARLEY_OIDC_JOIN_ROLE): must be admin, agent or viewer")
	check(s.OIDCJoinRole == "" || len(s.OIDCDomains) > 0, "--oidc-join-role (PARLEY_OIDC_JOIN_ROLE): needs "+
		"--oidc-domains (PARLEY_OIDC_DOMAINS), or everybody whom the issuer knows gets in; * stands for all domains")
	return errors.Join(faults...)
}

// joinRoles are the roles with which people can join by themselves.
var joinRoles = []parley.Role{parley.RoleAdmin, parley.RoleAgent, parley.RoleViewer}

// newLinkMail returns what mails links, nil without a mail server. The settings have been checked.
func (s SignInConfig) newLinkMail(queue *jobs.Queue, shared *limits.Shared) *access.LinkMail {
	if s.SMTPURL == "" {
		return nil
	}
	sender, err := mail.NewSMTP(s.SMTPURL, s.MailFrom)
	if err != nil {
		return nil
	}
	return access.NewLinkMail(sender, queue, shared)
}

// oidcCallback is where the provider of single sign-on sends people back, below the console.
const oidcCallback = "/api/v1/session/oidc/callback"

// newOIDC returns single sign-on, nil if it is not configured.
func (c Config) newOIDC() *access.OIDC {
	if c.OIDCIssuer == "" {
		return nil
	}
	name := c.OIDCName
	if u, err := url.Parse(c.OIDCIssuer); err == nil && name == "" {
		name = u.Hostname()
	}
	return access.NewOIDC(access.OIDCConfig{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, Domains: c.OIDCDomains,
		JoinRole: parley.Role(c.OIDCJoinRole), Name: name, RedirectURL: c.consoleURL() + oidcCallback,
	}, c.Now)
}

// newSSOProviders returns the providers that accounts set themselves. They are reached as everything is that others
// name.
func (b *builder) newSSOProviders() *access.SSOProviders {
	return &access.SSOProviders{DB: b.DB, Vault: b.vault, HTTP: b.Outbound.StreamClient(), Now: b.cfg.Now,
		Callback: b.cfg.consoleURL() + oidcCallback}
}

// SetUpLink makes the link by which the first person gets into the console, and returns its address; the empty text
// where somebody can sign in. A token that the operator has chosen is not shown.
func (s *Server) SetUpLink(ctx context.Context) (string, error) {
	link, err := s.Users.SetUpLink(ctx, s.cfg.SetupToken)
	if s.cfg.SetupToken != "" {
		link = strings.Replace(link, s.cfg.SetupToken, "PARLEY_SETUP_TOKEN", 1)
	}
	return link, err
}

// deleteEndedSessions deletes sessions and links that are of no use any more, now and then until ctx is done.
func (s *Services) deleteEndedSessions(ctx context.Context) error {
	return jobs.RunEvery(ctx, keyCleanupInterval, s.cfg.Logger, "old sessions were not deleted", s.Users.Sessions.Sweep)
}
