package access

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/vault"
)

// SSOProviders finds the providers of single sign-on that accounts have set for their own people.
type SSOProviders struct {
	DB        *store.DB
	Vault     *vault.Vault // seals the secrets
	HTTP      *http.Client // connects where accounts may have this server connect
	LookUpTXT TXTLookUp    // nil for the system's resolver
	Callback  string       // where providers send people back to, before the account's id
	Now       func() time.Time

	mu    sync.Mutex
	known map[parley.AccountID]knownProvider
}

// TXTLookUp returns the texts of the TXT records of a name.
type TXTLookUp func(ctx context.Context, name string) ([]string, error)

// knownProvider keeps the addresses that were asked for while the settings stay as they are.
type knownProvider struct {
	oidc     *OIDC
	settings string
}

const (
	maxProviderAnswer = 1 << 20 // bytes
	maxSSODomains     = 20
	domainTimeout     = 10 * time.Second
	domainRecordName  = "_parley-sign-in." // before the domain
	domainRecordStart = "parley-domain="   // before the token
)

// CallbackOf returns where the provider of an account sends people back to. Each account has an address of its own, so
// that no provider can have what another one says taken for its word.
func (p *SSOProviders) CallbackOf(account parley.AccountID) string {
	return p.Callback + "/" + string(account)
}

// DomainRecord returns the name and the text of the TXT record that proves a domain.
func DomainRecord(d *parley.SSODomain) (name, text string) {
	return domainRecordName + d.Domain, domainRecordStart + d.Token
}

// AccountOIDC returns single sign-on by the provider of an account. One that no owner has tried is there for trying it
// alone. Fails with an *OIDCError.
func (u *Users) AccountOIDC(ctx context.Context, account parley.AccountID, purpose OIDCPurpose) (*OIDC, error) {
	missing := oidcFailure(OIDCUnavailable, "account %s has no provider", account)
	if u.Accounts.Providers == nil {
		return nil, missing
	}
	stored, err := u.DB.FindSSOProvider(ctx, account)
	if err != nil {
		return nil, err
	}
	if stored == nil || stored.TestedAt == nil && purpose != OIDCTry {
		return nil, missing
	}
	return u.Accounts.Providers.open(ctx, stored)
}

// FindOIDCOfEmail returns the account whose provider signs in people with an e-mail address, and what it is called; the
// empty account if there is none. It depends on the domain alone.
func (u *Users) FindOIDCOfEmail(ctx context.Context, email string) (account parley.AccountID, name string, err error) {
	stored, err := u.DB.FindSSOProviderOfDomain(ctx, emailDomain(strings.TrimSpace(email)))
	if err != nil || stored == nil || u.Accounts.Providers == nil {
		return "", "", err
	}
	return stored.AccountID, stored.Name, nil
}

// open returns single sign-on by a stored provider, the same as long as nothing changes.
func (p *SSOProviders) open(ctx context.Context, s *parley.SSOProvider) (*OIDC, error) {
	domains, err := p.provedDomains(ctx, s.AccountID)
	if err != nil {
		return nil, err
	}
	own := []string{s.Issuer, s.ClientID, s.SealedSecret, string(s.JoinRole), s.Name}
	settings := strings.Join(append(own, domains...), "\n")
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.known[s.AccountID]; k.settings == settings && k.oidc.isTested == (s.TestedAt != nil) {
		return k.oidc, nil
	}
	o, err := p.newOIDC(s, domains)
	if err != nil {
		return nil, err
	}
	if p.known == nil {
		p.known = map[parley.AccountID]knownProvider{}
	}
	p.known[s.AccountID] = knownProvider{o, settings}
	return o, nil
}

func (p *SSOProviders) provedDomains(ctx context.Context, account parley.AccountID) (names []string, err error) {
	list, err := p.DB.SSODomains(ctx, account)
	for i := range list {
		if list[i].ProvedAt != nil {
			names = append(names, list[i].Domain)
		}
	}
	return names, err
}

func (p *SSOProviders) newOIDC(s *parley.SSOProvider, domains []string) (*OIDC, error) {
	secret := ""
	if s.SealedSecret != "" {
		opened, err := p.Vault.Open(s.AccountID, s.SealedSecret)
		if err != nil {
			return nil, err
		}
		secret = string(opened)
	}
	client := *p.HTTP
	client.Timeout, client.Transport = oidcTimeout, shortAnswers{client.Transport}
	o := NewOIDC(OIDCConfig{Account: s.AccountID, Issuer: s.Issuer, ClientID: s.ClientID, ClientSecret: secret,
		Domains: domains, JoinRole: s.JoinRole, Name: s.Name, RedirectURL: p.CallbackOf(s.AccountID), HTTP: &client}, p.Now)
	o.isTested = s.TestedAt != nil
	return o, nil
}

// shortAnswers cuts answers off that are too long for a provider.
type shortAnswers struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t shortAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxProviderAnswer), res.Body}
	}
	return res, err
}

// check asks a provider for its description and its keys.
func (o *OIDC) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, o.HTTP), oidcTimeout)
	defer cancel()
	found, err := oidc.NewProvider(ctx, o.Issuer)
	if err != nil {
		return err
	}
	var description struct {
		Keys string `json:"jwks_uri"`
	}
	if err := found.Claims(&description); err != nil {
		return err
	}
	if !isProviderURL(found.Endpoint().AuthURL) || !isProviderURL(found.Endpoint().TokenURL) {
		return errors.New("its addresses for signing in are not https:// addresses")
	}
	return o.checkKeys(ctx, description.Keys)
}

func (o *OIDC) checkKeys(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := o.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(res.Body).Decode(&set); err != nil || len(set.Keys) == 0 {
		return errors.New("it publishes no keys")
	}
	return nil
}

// isProviderURL reports whether people and secrets may be sent to an address: by HTTPS, or to this machine.
func isProviderURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	isLocal := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && isLocal
}

// SSOSettings are what is set of the provider of an account.
type SSOSettings struct {
	Issuer   string
	ClientID string
	Secret   *string // nil leaves it as it is; empty for a public client
	Name     string  // for people; empty for the host of the issuer
	JoinRole parley.Role
}

// SetSSOProvider sets the provider of an account. One with another issuer or client counts once an owner has come back
// from it. A secret that is kept does not go to another issuer. Fails with ACCOUNT_NOT_FOUND or
// VALIDATION_INVALID_BODY, also where people would be locked out.
func (ac *Accounts) SetSSOProvider(ctx context.Context, account parley.AccountID, n SSOSettings) error {
	now := ac.Now().UTC().Truncate(time.Millisecond)
	p := &parley.SSOProvider{AccountID: account, Issuer: strings.TrimSpace(n.Issuer), Name: parley.TrimName(n.Name),
		ClientID: strings.TrimSpace(n.ClientID), JoinRole: n.JoinRole, CreatedAt: now, UpdatedAt: now}
	if err := checkSSOProvider(p); err != nil {
		return err
	}
	return ac.changeSSO(ctx, account, func(tx *store.DB) error {
		old, err := tx.FindSSOProvider(ctx, account)
		if err != nil {
			return err
		}
		if err := ac.replaceProvider(ctx, tx, p, old, n.Secret); err != nil {
			return err
		}
		if err := tx.SaveSSOProvider(ctx, p); err != nil {
			return err
		}
		return ac.audit(ctx, tx, account, "single-sign-on.set", string(account), map[string]any{"issuer": p.Issuer,
			"clientId": p.ClientID, "hasSecret": p.SealedSecret != "", "name": p.Name, "joinRole": p.JoinRole})
	})
}

// replaceProvider keeps what stays of the provider before, and seals a new secret.
func (ac *Accounts) replaceProvider(ctx context.Context, tx *store.DB, p, old *parley.SSOProvider,
	secret *string) (err error) {
	if old != nil {
		p.CreatedAt = old.CreatedAt
		if old.Issuer == p.Issuer && old.ClientID == p.ClientID {
			p.TestedAt, p.SealedSecret = old.TestedAt, old.SealedSecret
		} else if err := ac.checkOtherWays(ctx, tx, p.AccountID, "issuer"); err != nil {
			return err
		}
	}
	if secret == nil {
		return nil
	}
	if p.SealedSecret = ""; *secret != "" {
		p.SealedSecret, err = ac.Providers.Vault.Seal(p.AccountID, []byte(*secret))
	}
	return err
}

var ssoJoinRoles = []parley.Role{"", parley.RoleAdmin, parley.RoleAgent, parley.RoleViewer}

// checkSSOProvider checks what was set, and names a provider that has no name.
func checkSSOProvider(p *parley.SSOProvider) error {
	details := map[string]string{}
	if !isProviderURL(p.Issuer) || strings.Contains(p.Issuer, "?") {
		details["issuer"] = "must be an https:// address"
	}
	if p.ClientID == "" {
		details["clientId"] = "must not be empty"
	}
	if !slices.Contains(ssoJoinRoles, p.JoinRole) {
		details["joinRole"] = "must be admin, agent, viewer or empty"
	}
	if u, err := url.Parse(p.Issuer); err == nil && p.Name == "" {
		p.Name = cutText(u.Hostname(), maxUserNameLength)
	}
	if details["issuer"] == "" {
		checkName(details, p.Name)
	}
	return parley.InvalidFields(details)
}

// RemoveSSOProvider removes the provider of an account. Fails with ACCOUNT_NOT_FOUND, NOT_FOUND without one, and
// VALIDATION_INVALID_BODY where people would be locked out.
func (ac *Accounts) RemoveSSOProvider(ctx context.Context, account parley.AccountID) error {
	return ac.changeSSO(ctx, account, func(tx *store.DB) error {
		old, err := tx.FindSSOProvider(ctx, account)
		if err != nil {
			return err
		}
		if old == nil {
			return parley.NewError(parley.CodeNotFound)
		}
		return firstError(
			func() error { return ac.checkOtherWays(ctx, tx, account, "issuer") },
			func() error { return tx.DeleteSSOProvider(ctx, account) },
			func() error {
				return ac.audit(ctx, tx, account, "single-sign-on.remove", string(account), map[string]any{"issuer": old.Issuer})
			},
		)
	})
}

// TrySSOProvider asks the provider of an account for its description and its keys, and returns what is wrong, or the
// empty text. Fails with NOT_FOUND without one.
func (ac *Accounts) TrySSOProvider(ctx context.Context, account parley.AccountID) (fault string, err error) {
	stored, err := ac.DB.FindSSOProvider(ctx, account)
	if err != nil {
		return "", err
	}
	if stored == nil || ac.Providers == nil {
		return "", parley.NewError(parley.CodeNotFound)
	}
	o, err := ac.Providers.open(ctx, stored)
	if err != nil {
		return "", err
	}
	if err := o.check(ctx); err != nil {
		return cutText(err.Error(), 300), nil
	}
	return "", nil
}

func (ac *Accounts) changeSSO(ctx context.Context, account parley.AccountID, change func(tx *store.DB) error) error {
	if ac.Providers == nil {
		return parley.NewErrorf(parley.CodeInvalidBody, "Accounts cannot have providers of single sign-on here.")
	}
	return ac.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockAccount(ctx, account); err != nil {
			return err
		}
		return change(tx)
	})
}

// checkOtherWays fails where nobody could get into an account without its provider, or only the exempt owner.
func (ac *Accounts) checkOtherWays(ctx context.Context, tx *store.DB, account parley.AccountID, field string) error {
	if ac.HasSSO {
		return nil
	}
	a, err := tx.Account(ctx, account)
	if err != nil {
		return err
	}
	if a.OnlySSO {
		return parley.Invalid(field, "is needed while members enter the account by single sign-on alone")
	}
	owners, err := tx.OwnersWhoSignIn(ctx, account)
	if err != nil {
		return err
	}
	canSignIn := tx.CanSignInAlone
	if a.NoPasswords {
		canSignIn = tx.HasPasskey
	}
	for _, owner := range owners {
		if canSignIn, err := canSignIn(ctx, owner); err != nil || canSignIn {
			return err
		}
	}
	switch {
	case len(owners) == 0:
		return nil
	case a.NoPasswords:
		return parley.Invalid(field, "is how the owners get in without passwords: add a passkey first")
	}
	return parley.Invalid(field, "is the only way in of the owners: set a password or add a passkey first")
}

// AddSSODomain names a domain whose people the provider of an account is to sign in. Fails with ACCOUNT_NOT_FOUND,
// RESOURCE_ALREADY_EXISTS or VALIDATION_INVALID_BODY.
func (ac *Accounts) AddSSODomain(ctx context.Context, account parley.AccountID, name string) error {
	d, err := ac.newDomain(account, name)
	if err != nil {
		return err
	}
	return ac.changeSSO(ctx, account, func(tx *store.DB) error {
		list, err := tx.SSODomains(ctx, account)
		if err != nil {
			return err
		}
		return ac.addDomain(ctx, tx, d, len(list))
	})
}

func (ac *Accounts) newDomain(account parley.AccountID, name string) (*parley.SSODomain, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if !isDomain(name) {
		return nil, parley.Invalid("domain", "must be a domain such as shop.example")
	}
	return &parley.SSODomain{AccountID: account, Domain: name, Token: newToken(), CreatedAt: ac.Now()}, nil
}

// addDomain adds a domain to those that an account names already.
func (ac *Accounts) addDomain(ctx context.Context, tx *store.DB, d *parley.SSODomain, named int) error {
	if named >= maxSSODomains {
		return parley.Invalid("domain", "is one too many: an account may name 20")
	}
	if err := tx.CreateSSODomain(ctx, d); err != nil {
		return err
	}
	return ac.audit(ctx, tx, d.AccountID, "sign-in-domain.add", d.Domain, nil)
}

func isDomain(name string) bool {
	_, err := netip.ParseAddr(name)
	isOther := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-", r) }
	return err != nil && len(name) <= 200 && isPlausibleEmail("a@"+name) && !strings.ContainsFunc(name, isOther)
}

// ProveSSODomain looks for the TXT record of a domain and notes that the domain is the account's. Fails with NOT_FOUND
// or VALIDATION_INVALID_BODY.
func (ac *Accounts) ProveSSODomain(ctx context.Context, account parley.AccountID, name string) error {
	if ac.Providers == nil {
		return parley.NewError(parley.CodeNotFound)
	}
	list, err := ac.DB.SSODomains(ctx, account)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(d parley.SSODomain) bool { return d.Domain == name })
	if i < 0 {
		return parley.NewError(parley.CodeNotFound)
	}
	if err := ac.Providers.checkRecord(ctx, &list[i]); err != nil {
		return err
	}
	return ac.changeSSO(ctx, account, func(tx *store.DB) error {
		if err := ac.noteDomainProof(ctx, tx, account, name, false); err != nil {
			return err
		}
		return ac.audit(ctx, tx, account, "sign-in-domain.prove", name, nil)
	})
}

// noteDomainProof notes that a domain is the account's, unless it is another's.
func (ac *Accounts) noteDomainProof(ctx context.Context, tx *store.DB, account parley.AccountID, name string,
	byOperator bool) error {
	isTaken, err := tx.IsSSODomainTaken(ctx, account, name)
	if err == nil && isTaken {
		err = parley.Invalid("domain", "is that of another company on this server; ask its operator")
	}
	if err != nil {
		return err
	}
	return tx.NoteSSODomainProof(ctx, account, name, byOperator, ac.Now())
}

// ConfirmSSODomain notes by the operator's word that a domain is an account's, for whom no record can be looked up. A
// domain that the account has not named yet is added. Fails with ACCOUNT_NOT_FOUND or VALIDATION_INVALID_BODY.
func (ac *Accounts) ConfirmSSODomain(ctx context.Context, account parley.AccountID, name string) error {
	d, err := ac.newDomain(account, name)
	if err != nil {
		return err
	}
	return ac.changeSSO(ctx, account, func(tx *store.DB) error {
		list, err := tx.SSODomains(ctx, account)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(named parley.SSODomain) bool { return named.Domain == d.Domain }) {
			if err := ac.addDomain(ctx, tx, d, len(list)); err != nil {
				return err
			}
		}
		if err := ac.noteDomainProof(ctx, tx, account, d.Domain, true); err != nil {
			return err
		}
		return ac.audit(ctx, tx, account, "sign-in-domain.confirm", d.Domain, nil)
	})
}

func (p *SSOProviders) checkRecord(ctx context.Context, d *parley.SSODomain) error {
	ctx, cancel := context.WithTimeout(ctx, domainTimeout)
	defer cancel()
	lookUp := p.LookUpTXT
	if lookUp == nil {
		lookUp = net.DefaultResolver.LookupTXT
	}
	name, text := DomainRecord(d)
	found, err := lookUp(ctx, name)
	if err != nil || !slices.Contains(found, text) {
		return parley.Invalid("domain", "has no TXT record "+name+" with this text yet; changes can take an hour")
	}
	return nil
}

// RemoveSSODomain removes a domain of an account. Fails with ACCOUNT_NOT_FOUND, NOT_FOUND, and VALIDATION_INVALID_BODY
// where people would be locked out.
func (ac *Accounts) RemoveSSODomain(ctx context.Context, account parley.AccountID, name string) error {
	return ac.changeSSO(ctx, account, func(tx *store.DB) error {
		list, err := tx.SSODomains(ctx, account)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(d parley.SSODomain) bool { return d.Domain == name })
		if i >= 0 && list[i].ProvedAt != nil {
			if err := ac.checkOtherWays(ctx, tx, account, "domain"); err != nil {
				return err
			}
		}
		if err := tx.DeleteSSODomain(ctx, account, name); err != nil {
			return err
		}
		return ac.audit(ctx, tx, account, "sign-in-domain.remove", name, nil)
	})
}
