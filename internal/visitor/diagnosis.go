package visitor

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"parley"
)

// Diagnosis says to the developers of a site what a proof is worth, and why.
type Diagnosis struct {
	UserID   parley.EndUserID // empty for a proof that is refused
	Reason   Reason           // empty for one that is not
	Message  string
	Warnings []string // of a proof that is not refused
}

// Diagnose says what a proof is worth. It tells more than visitors may know.
func (s *Service) Diagnose(agent *parley.Agent, p Proof) *Diagnosis {
	now := s.Now()
	id, err := p.check(s.secrets(agent), now)
	if err != nil {
		reason := Reason(parley.AsError(err).Details["reason"])
		return &Diagnosis{Reason: reason, Message: p.explain(reason, now)}
	}
	d := &Diagnosis{UserID: id.userID, Message: fmt.Sprintf("It shows that the user is %q.", id.userID)}
	if _, err := p.check([]string{agent.IdentitySecret}, now); err != nil {
		d.Warnings = append(d.Warnings, "It was made with the secret before the present one, which is valid until "+
			agent.OldIdentityUntil.UTC().Format(time.RFC1123)+".")
	}
	if p.Token != "" && expiryOf(p.Token) == nil {
		d.Warnings = append(d.Warnings, "It has no exp, and so is valid until the secret changes. Let it expire within an "+
			"hour.")
	}
	return d
}

// explain says why a proof was refused.
func (p Proof) explain(reason Reason, now time.Time) string {
	switch reason {
	case ReasonExpired:
		return "It is not valid now: " + p.explainTime(now)
	case ReasonWrongAlgorithm:
		return "It is not signed with HS256, the one algorithm that is taken."
	case ReasonBadSignature:
		return "It was not made with the secret of this agent. The secret is used as text, as it is shown, and not as the " +
			"bytes that it may stand for."
	case ReasonNoUser:
		return "It names no user: user_id, or sub of a token, must have 1 to 128 of the characters A-Z, a-z, 0-9, dot, " +
			"underscore and hyphen."
	case ReasonMalformed:
	}
	return p.explainForm()
}

func (p Proof) explainForm() string {
	_, hexErr := hex.DecodeString(p.UserHash)
	switch parts := strings.Count(p.Token, ".") + 1; {
	case p.Token == "" && hexErr != nil:
		return "The hash must be written in hexadecimal digits, 64 of them."
	case len(p.Token) > maxTokenBytes:
		return fmt.Sprintf("The token has %d bytes, and %d are the most.", len(p.Token), maxTokenBytes)
	case parts != 3:
		return fmt.Sprintf("A JWT has three parts between dots; this has %d.", parts)
	}
	return "It cannot be read as a JWT: its first two parts must be JSON in base64url, with claims of the right types."
}

// explainTime says which of a token's times is not met.
func (p Proof) explainTime(now time.Time) string {
	claims := jwt.RegisteredClaims{}
	_, _, _ = jwt.NewParser().ParseUnverified(p.Token, &claims) // it was read before
	text := func(t time.Time) string { return t.UTC().Format(time.RFC1123) }
	present := "; the time of this server is " + text(now) + "."
	switch {
	case claims.ExpiresAt != nil && now.After(claims.ExpiresAt.Time):
		return "exp is " + text(claims.ExpiresAt.Time) + present
	case claims.NotBefore != nil && now.Before(claims.NotBefore.Time):
		return "nbf is " + text(claims.NotBefore.Time) + present
	case claims.IssuedAt != nil && now.Before(claims.IssuedAt.Time):
		return "iat is " + text(claims.IssuedAt.Time) + present
	}
	return "its times are not those of this server" + present
}

func expiryOf(token string) *jwt.NumericDate {
	claims := jwt.RegisteredClaims{}
	_, _, _ = jwt.NewParser().ParseUnverified(token, &claims) // it was read before
	return claims.ExpiresAt
}

// AddressReason says why an agent may not be embedded at an address.
type AddressReason string

// The reasons.
const (
	ReasonNoAddress   AddressReason = "no_address"
	ReasonOtherDomain AddressReason = "other_domain"
	ReasonPrivate     AddressReason = "private"
)

// AddressCheck says whether an agent may be embedded at an address.
type AddressCheck struct {
	Origin  string        // of the address; empty where it has none
	Reason  AddressReason // empty where the agent may be embedded
	Message string
	Domain  string // of the agent's, the one that allows it; empty for none
}

// CheckAddress says whether an agent may be embedded at an address, which may lack its scheme.
func CheckAddress(agent *parley.Agent, address string) *AddressCheck {
	if !strings.Contains(address, "://") {
		address = "https://" + strings.TrimSpace(address)
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &AddressCheck{Reason: ReasonNoAddress, Message: "This is not the address of a page."}
	}
	c := &AddressCheck{Origin: u.Scheme + "://" + u.Host}
	switch {
	case agent.Visibility == "private":
		c.Reason, c.Message = ReasonPrivate, "The agent is private: no page can show it."
	case agent.AllowedDomains == nil:
		c.Message = "The agent names no domains, and may be embedded on any."
	case IsAllowedOrigin(agent, c.Origin):
		at := slices.IndexFunc(agent.AllowedDomains, func(domain string) bool {
			return IsAllowedOrigin(&parley.Agent{AllowedDomains: []string{domain}}, c.Origin)
		})
		c.Domain = agent.AllowedDomains[at]
		c.Message = fmt.Sprintf("The agent may be embedded here, by its domain %s.", c.Domain)
	default:
		c.Reason = ReasonOtherDomain
		c.Message = fmt.Sprintf("%s is none of the agent's domains, and below none of them.", u.Hostname())
		c.Message += explainDomains(agent.AllowedDomains)
	}
	return c
}

// explainDomains says which domains allow no page, since they are more than the name of a host.
func explainDomains(domains []string) (text string) {
	for _, domain := range domains {
		if strings.ContainsAny(domain, ":/ ") {
			text += fmt.Sprintf(" %q allows nothing: write the name of the host alone, without scheme, port and path.", domain)
		}
	}
	return text
}
