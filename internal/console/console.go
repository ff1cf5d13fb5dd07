package console

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/access"
	"parley/internal/api/admin"
	v2 "parley/internal/api/v2"
	"parley/internal/httpapi"
	"parley/internal/limits"
)

// RESTBase is the path below which members call REST v2.
const RESTBase = apiPath + "/v2"

// The document of the operations for members.
const (
	documentRoute = "/openapi.json"
	documentPath  = apiPath + documentRoute
)

// The rate limit of a person, and of an address from which nobody has signed in.
const (
	requestLimit  = 600
	requestWindow = 10 * time.Second
)

// Config holds what the console's API needs.
type Config struct {
	Users         *access.Users
	Authenticator *access.Authenticator
	Admin         *admin.Service
	REST          v2.Config      // how REST v2 runs; members call it below RESTBase
	Live          *Live          // nil if nothing is told while it happens
	Limits        *limits.Shared // may be nil
	URL           string         // of the console as browsers see it, such as https://parley.example/console
	HasOwnHost    bool           // the host of URL is the console's alone, and the console is on no other
	AllowInsecure bool           // takes passwords over plain HTTP from anywhere
	TrustProxy    bool           // take address and scheme of the browser from X-Forwarded-For and X-Forwarded-Proto
	Now           func() time.Time
	Logger        *slog.Logger
}

// API serves what the console calls: signing in, the operator's API for members, and REST v2 for members.
type API struct {
	Config
	limiter *limits.Limiter
	origin  http.CrossOriginProtection
	open    map[string]bool // names of the operations for whoever has not signed in
	members *httpapi.API
	rest    *httpapi.API

	document httpapi.Document // of what is below /console/api/v1
}

// NewAPI returns the handler of everything below /console/api.
func NewAPI(cfg Config) *API {
	a := &API{Config: cfg, open: map[string]bool{},
		limiter: &limits.Limiter{Name: "console", Limit: requestLimit, Window: requestWindow, Shared: cfg.Limits}}
	a.members = httpapi.New(admin.MemberConfig(httpapi.Config{
		BasePath:         admin.MemberBase,
		Keyless:          true,
		Admit:            a.admit,
		RenderError:      httpapi.RenderEnvelope,
		Now:              cfg.Now,
		Logger:           cfg.Logger,
		Observer:         cfg.REST.Observer,
		OnUndeclaredCode: cfg.Admin.OnUndeclaredCode,
	}, cfg.Admin))
	a.addSessionRoutes()
	a.addPasskeyRoutes()
	a.addMeRoutes()
	admin.AddMemberRoutes(a.members, cfg.Admin)
	if cfg.Live != nil {
		a.addLiveRoutes(cfg.Live)
	}
	rest := cfg.REST
	rest.BasePath, rest.Admit = RESTBase, a.admitREST
	a.rest = v2.NewAPI(rest)
	a.document = httpapi.NewDocument(a.renderDocument)
	return a
}

// Serves reports whether a request is for the API.
func (a *API) Serves(r *http.Request) bool {
	return r.URL.Path == apiPath || strings.HasPrefix(r.URL.Path, apiPath+"/")
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	policy.Set(w.Header(), a.site().UsesHTTPS(r))
	switch {
	case r.URL.Path == oidcPath, isOIDCCallback(r.URL.Path):
		httpapi.LoggedHandler(oidcRoute(r.URL.Path), http.HandlerFunc(a.serveOIDC), a.Now, a.Logger).ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path+"/", RESTBase+"/"):
		a.rest.ServeHTTP(w, r)
	case r.URL.Path == documentPath:
		document := r.Clone(r.Context())
		document.URL.Path = admin.MemberBase + documentRoute
		a.members.ServeHTTP(w, document)
	default:
		a.members.ServeHTTP(w, r)
	}
}

// site is how browsers reach the console.
func (a *API) site() httpapi.Site { return httpapi.Site{URL: a.URL, TrustProxy: a.TrustProxy} }

// IsHost reports whether a request is for the host of the console; false of every request where the console has none
// of its own.
func (a *API) IsHost(r *http.Request) bool {
	u, err := url.Parse(a.URL)
	return a.HasOwnHost && err == nil && httpapi.IsHostOf(r.Host, u)
}
