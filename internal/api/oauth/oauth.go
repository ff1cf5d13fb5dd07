// Package oauth lets programs get at an API key that can sign in by OAuth alone, as many AI assistants do: OAuth 2.1
// with the registration of clients (RFC 7591), PKCE, and the documents by which clients find all of it (RFC 8414 and
// 9728). There are no tokens of its own: a person enters an API key on a page of this server, and the program gets that
// key as its access token. So the scopes, the end and the revocation of an access are those of the key.
//
// Nothing is stored: the id of a client holds its registration, signed, and a code holds what it stands for, encrypted.
package oauth

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/store"
)

// Paths of what is served.
const (
	ResourcePath  = "/.well-known/oauth-protected-resource"
	serverPath    = "/.well-known/oauth-authorization-server"
	basePath      = "/oauth"
	authorizePath = basePath + "/authorize"
	stylePath     = basePath + "/consent.css"
)

// Config holds what the API needs.
type Config struct {
	Authenticator *access.Authenticator
	Limiter       *limits.Limiter
	Limits        *limits.Shared // may be nil
	DB            *store.DB
	Key           []byte       // the same on all servers of a database
	Site          httpapi.Site // where clients and browsers reach this server
	Resource      string       // the path that access is asked for: that of MCP
	KeysURL       string       // the page of the console where keys are made

	Now      func() time.Time
	Logger   *slog.Logger
	Observer *httpapi.Observer // may be nil
}

// Serves reports whether a path is one of this package.
func Serves(path string) bool {
	return path == ResourcePath || strings.HasPrefix(path, ResourcePath+"/") || path == serverPath ||
		strings.HasPrefix(path, basePath+"/")
}

// New returns the handler of everything that Serves names.
func New(cfg Config) http.Handler {
	s := &server{Config: cfg, tries: &limits.Limiter{Name: "keys on the page", Limit: tryLimit, Window: tryWindow,
		Shared: cfg.Limits}}
	s.clientKey, s.codeKey = derivedKey(cfg.Key, "oauth client"), derivedKey(cfg.Key, "oauth code")
	api := s.newAPI()
	pages := http.NewServeMux()
	pages.HandleFunc(authorizePath, s.serveConsent)
	pages.Handle("GET "+stylePath, newStyle())
	logged := httpapi.LoggedHandler("oauth pages", pages, cfg.Now, cfg.Logger)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == authorizePath || r.URL.Path == stylePath {
			logged.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

func derivedKey(key []byte, purpose string) []byte {
	sum := sha256.Sum256(append([]byte(purpose+"\x00"), key...))
	return sum[:]
}

type server struct {
	Config
	tries     *limits.Limiter // of keys on the page, by address
	clientKey []byte          // signs registrations
	codeKey   []byte          // encrypts codes
}

// The limit of keys that an address may try on the page.
const (
	tryLimit  = 20
	tryWindow = time.Minute
)

type (
	call      = httpapi.Call
	operation = httpapi.Operation
)

// newAPI returns the operations that programs call. This is the one list of them.
func (s *server) newAPI() *httpapi.API {
	admission := &access.Admission{Authenticator: s.Authenticator, Limiter: s.Limiter, Now: s.Now,
		TrustProxy: s.Site.TrustProxy}
	api := httpapi.New(httpapi.Config{
		Admit:       admission.Admit,
		RenderError: renderFailure,
		Now:         s.Now,
		Logger:      s.Logger,
		Observer:    s.Observer,
	})
	g := api.Groups("OAuth", "").Account
	for _, path := range []string{ResourcePath, ResourcePath + s.Resource} {
		httpapi.Add(g, "GET "+path, operation{
			Name:    "describeResource",
			Summary: "Where access to MCP is asked for",
			Public:  true,
		}, s.describeResource)
	}
	httpapi.Add(g, "GET "+serverPath, operation{
		Name:    "describeServer",
		Summary: "The addresses of OAuth",
		Public:  true,
	}, s.describeServer)
	httpapi.Add(g, "POST "+basePath+"/register", operation{
		Name:    "registerClient",
		Summary: "Register a client",
		Public:  true,
		Status:  http.StatusCreated,
	}, s.registerClient)
	httpapi.Add(g, "POST "+basePath+"/token", operation{
		Name:         "exchangeCode",
		Summary:      "Exchange a code for the access token",
		Public:       true,
		RawBody:      true,
		MaxBodyBytes: maxFormBytes,
	}, s.exchangeCode)
	return api
}

// maxFormBytes is the largest form that is read.
const maxFormBytes = 32 << 10

// Failure is the body of a failure (RFC 6749, section 5.2).
type Failure struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// The failures of OAuth that are told apart.
const (
	invalidRequest   = "invalid_request"
	invalidGrant     = "invalid_grant"
	unsupportedGrant = "unsupported_grant_type"
	invalidRedirect  = "invalid_redirect_uri"
	invalidMetadata  = "invalid_client_metadata"
	accessDenied     = "access_denied"
)

// failureDetail is the detail of an error that names the failure of OAuth.
const failureDetail = "oauth"

// newFailure returns a failure of OAuth, with status 400.
func newFailure(name, message string) error {
	e := parley.NewErrorf(parley.CodeInvalidBody, "%s", message)
	e.Details = map[string]string{failureDetail: name}
	return e
}

// renderFailure renders a failure as OAuth does.
func renderFailure(e *parley.Error) (int, any) {
	f := Failure{Error: invalidRequest, Description: describe(e)}
	switch status := e.Code.Status(); {
	case e.Details[failureDetail] != "":
		f.Error = e.Details[failureDetail]
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		f.Error = "temporarily_unavailable"
	case status >= http.StatusInternalServerError:
		f.Error = "server_error"
	}
	return e.Code.Status(), f
}

// describe returns the message of a failure, with the fields that are wrong.
func describe(e *parley.Error) string {
	text := e.Message
	if e.Details[failureDetail] != "" {
		return text
	}
	for _, field := range slices.Sorted(maps.Keys(e.Details)) {
		text += " " + field + " " + e.Details[field] + "."
	}
	return text
}

// ResourceMetadata says where access to a resource is asked for (RFC 9728).
type ResourceMetadata struct {
	Resource      string         `json:"resource"`
	Name          string         `json:"resource_name"`
	Servers       []string       `json:"authorization_servers"`
	BearerMethods []string       `json:"bearer_methods_supported"`
	Scopes        []parley.Scope `json:"scopes_supported"`
}

// ServerMetadata holds the addresses of OAuth (RFC 8414).
type ServerMetadata struct {
	Issuer           string         `json:"issuer"`
	Authorize        string         `json:"authorization_endpoint"`
	Token            string         `json:"token_endpoint"`
	Register         string         `json:"registration_endpoint"`
	ResponseTypes    []string       `json:"response_types_supported"`
	GrantTypes       []string       `json:"grant_types_supported"`
	ChallengeMethods []string       `json:"code_challenge_methods_supported"`
	AuthMethods      []string       `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer      bool           `json:"authorization_response_iss_parameter_supported"`
	Scopes           []parley.Scope `json:"scopes_supported"`
}

func (s *server) describeResource(_ context.Context, c *call, _ *httpapi.NoInput) (*ResourceMetadata, error) {
	origin := s.origin(c.Request)
	return &ResourceMetadata{Resource: origin + s.Resource, Name: "Parley", Servers: []string{origin},
		BearerMethods: []string{"header"}, Scopes: parley.Scopes()}, nil
}

func (s *server) describeServer(_ context.Context, c *call, _ *httpapi.NoInput) (*ServerMetadata, error) {
	origin := s.origin(c.Request)
	return &ServerMetadata{Issuer: origin, Authorize: origin + authorizePath, Token: origin + basePath + "/token",
		Register: origin + basePath + "/register", ResponseTypes: []string{"code"},
		GrantTypes: []string{"authorization_code"}, ChallengeMethods: []string{"S256"}, AuthMethods: []string{"none"},
		NamesIssuer: true, Scopes: parley.Scopes()}, nil
}

// origin returns the address of this server as clients see it.
func (s *server) origin(r *http.Request) string {
	if s.Site.URL != "" {
		return strings.TrimSuffix(s.Site.URL, "/")
	}
	if s.Site.IsHTTPS(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
