package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"parley"
	"parley/internal/httpapi"
)

// Registration is what a client says of itself. Whatever else it says is ignored.
type Registration struct {
	Body RegistrationBody
}

// RegistrationBody is the body of a registration.
type RegistrationBody struct {
	RedirectURIs []string            `json:"redirect_uris" min:"1" max:"10"`
	ClientName   httpapi.Opt[string] `json:"client_name,omitzero" nullable:"true"`
}

// RegisteredClient is a client as it is registered.
type RegisteredClient struct {
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	ClientName    string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}

// client is what the id of a client holds.
type client struct {
	Name         string   `json:"n"`
	RedirectURIs []string `json:"r"`
}

const (
	maxClientBytes = 2000 // of what the id of a client holds
	maxNameChars   = 80
	namelessClient = "An application"
)

func (s *server) registerClient(_ context.Context, _ *call, in *Registration) (*RegisteredClient, error) {
	one := client{Name: clientName(in.Body.ClientName.Value), RedirectURIs: in.Body.RedirectURIs}
	for _, address := range one.RedirectURIs {
		if !isRedirect(address) {
			return nil, newFailure(invalidRedirect, "A redirect URI must be an https address, an http address of this "+
				"machine, or one of an application's own scheme; without a fragment.")
		}
	}
	content, err := json.Marshal(one)
	if err != nil {
		return nil, err
	}
	if len(content) > maxClientBytes {
		return nil, newFailure(invalidMetadata, "The redirect URIs are too long.")
	}
	return &RegisteredClient{ClientID: s.clientID(content), IssuedAt: s.Now().Unix(), ClientName: one.Name,
		RedirectURIs: one.RedirectURIs, AuthMethod: "none", GrantTypes: []string{"authorization_code"},
		ResponseTypes: []string{"code"}}, nil
}

func clientName(text string) string {
	name := strings.Join(strings.Fields(parley.StorableText(text)), " ")
	if !parley.IsVisible(name) {
		return namelessClient
	}
	return parley.ClipText(name, maxNameChars)
}

func (s *server) clientID(content []byte) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode(content) + "." + encode(s.signClient(content))
}

func (s *server) signClient(content []byte) []byte {
	mac := hmac.New(sha256.New, s.clientKey)
	mac.Write(content)
	return mac.Sum(nil)
}

// findClient returns the client of an id that this server has given; nil for any other.
func (s *server) findClient(id string) *client {
	text, signature, _ := strings.Cut(id, ".")
	content, err := base64.RawURLEncoding.DecodeString(text)
	mac, macErr := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || macErr != nil || !hmac.Equal(mac, s.signClient(content)) {
		return nil
	}
	one := &client{}
	if json.Unmarshal(content, one) != nil {
		return nil
	}
	return one
}

var schemeForm = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// dangerousSchemes are those that browsers run or open by themselves.
var dangerousSchemes = []string{"http", "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "ws",
	"wss", "ftp", "view-source"}

// isRedirect reports whether a client may be led to an address: by https, on the person's own machine, or into an
// application that has a scheme of its own.
func isRedirect(address string) bool {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Fragment != "" || u.User != nil || strings.ContainsAny(address, " \t\r\n\\"):
		return false
	case u.Scheme == "https":
		return u.Hostname() != ""
	case u.Scheme == "http":
		return httpapi.IsLoopbackHost(u.Host)
	}
	return schemeForm.MatchString(u.Scheme) && !slices.Contains(dangerousSchemes, u.Scheme)
}

// allows reports whether the client has registered an address. On the person's own machine the port may be another one
// (RFC 8252, section 7.3).
func (c *client) allows(address string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool {
		return registered == address || withoutPort(registered) == withoutPort(address) && withoutPort(address) != ""
	})
}

// withoutPort returns an http address of the person's own machine without its port; empty for any other.
func withoutPort(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || !httpapi.IsLoopbackHost(u.Host) || !isRedirect(address) {
		return ""
	}
	u.Host = u.Hostname()
	return u.String()
}
