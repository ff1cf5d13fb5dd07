package server

import (
	"net/http"
	"net/netip"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/api/channelapi"
	"parley/internal/api/chatapi"
	"parley/internal/api/mcp"
	"parley/internal/api/mobile"
	"parley/internal/api/oauth"
	"parley/internal/api/openai"
	"parley/internal/api/pairingapi"
	v1 "parley/internal/api/v1"
	v2 "parley/internal/api/v2"
	"parley/internal/channel"
	"parley/internal/console"
	"parley/internal/contact"
	"parley/internal/httpapi"
	"parley/internal/listen"
	"parley/internal/manual"
	"parley/internal/ready"
	"parley/internal/visitor"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
	"parley/internal/widget"
)

// newHandler returns the public handler: MCP at its path, REST v1, the API in OpenAI's form, and those of apps, of
// command lines that pair themselves and of channels below their bases, the signalling of voice, the demo page, the
// console and the manual at theirs, REST v2 everywhere else. MCP calls a REST v2 of its own, which does not count
// requests a second time.
func (s *Services) newHandler(voicePage *widget.Page, observer *httpapi.Observer) (http.Handler, error) {
	cfg := s.v2Config(observer)
	current, older := v2.New(cfg), v1.New(s.v1Config(cfg))
	mcpHandler := s.newMCPHandler(cfg)
	shell, err := console.NewShell(httpapi.Site{URL: s.cfg.consoleURL(), TrustProxy: s.cfg.TrustProxy},
		s.cfg.pagesURL())
	if err != nil {
		return nil, err
	}
	oauthAPI := oauth.New(s.oauthConfig(cfg))
	openaiAPI := openai.New(s.openaiConfig(cfg))
	mobileAPI := mobile.New(mobile.Config{REST: cfg, Visitors: s.newVisitors(), Limits: s.Limits,
		Plan: s.Authenticator.Plans.Plan})
	pairingAPI := pairingapi.New(s.pairingConfig(cfg))
	channelAPI := channelapi.New(s.channelConfig(cfg))
	visitorAPI := chatapi.New(s.chatConfig(cfg))
	chatPages, err := widget.NewPages(s.widgetConfig())
	if err != nil {
		return nil, err
	}
	pages, consoleAPI := s.logged("console pages", shell), s.newConsoleAPI(cfg)
	manualPages := s.logged("manual", manual.New(s.cfg.Version, s.cfg.site()))
	nothing := s.logged("/", http.NotFoundHandler())
	signalling, page := s.logged("voice signalling", s.Media.Proxy()), s.logged("voice page", voicePage)
	chatPagesHandler := s.logged("chat pages", chatPages)
	readiness := httpapi.PlainHandler(s.Ready) // it is asked all the time: the log would hold little else
	proxies, err := s.cfg.proxies()
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = proxies.Resolve(r, s.cfg.TrustProxy)
		origin := parley.Origin{Address: httpapi.ClientAddress(r, s.cfg.TrustProxy)}
		r = r.WithContext(parley.WithOrigin(r.Context(), origin))
		isConsole := shell.Serves(r) || consoleAPI.Serves(r)
		switch path := r.URL.Path; {
		case manual.Serves(path): // on the console's own host as well
			manualPages.ServeHTTP(w, r)
		case consoleAPI.HasOwnHost && isConsole != consoleAPI.IsHost(r):
			nothing.ServeHTTP(w, r)
		case path == ready.Path:
			readiness.ServeHTTP(w, r)
		case rtc.IsSignalPath(path):
			signalling.ServeHTTP(w, r)
		case voicePage.IsPagePath(path):
			page.ServeHTTP(w, r)
		case chatPages.Serves(path):
			chatPagesHandler.ServeHTTP(w, r)
		case shell.Serves(r):
			pages.ServeHTTP(w, r)
		case consoleAPI.Serves(r):
			consoleAPI.ServeHTTP(w, r)
		case strings.HasPrefix(path+"/", chatapi.Base+"/"):
			visitorAPI.ServeHTTP(w, r)
		case oauth.Serves(path):
			oauthAPI.ServeHTTP(w, r)
		case strings.HasPrefix(path+"/", channelapi.Base+"/"):
			channelAPI.ServeHTTP(w, r)
		case strings.HasPrefix(path+"/", pairingapi.Base+"/"):
			pairingAPI.ServeHTTP(w, r)
		case path == mcp.Path:
			mcpHandler.ServeHTTP(w, r)
		case path == v1.DocumentPath, strings.HasPrefix(path+"/", v1.Base+"/"):
			older.ServeHTTP(w, r)
		case strings.HasPrefix(path+"/", mobile.Base+"/"):
			mobileAPI.ServeHTTP(w, r)
		case strings.HasPrefix(path+"/", openai.Base+"/"):
			openaiAPI.ServeHTTP(w, r)
		default:
			current.ServeHTTP(w, r)
		}
	}), nil
}

// logged returns the handler of pages, which are logged under one name.
func (s *Services) logged(name string, h http.Handler) http.Handler {
	return httpapi.LoggedHandler(name, h, s.cfg.Now, s.cfg.Logger)
}

// site is how browsers reach this server.
func (c Config) site() httpapi.Site { return httpapi.Site{URL: c.BaseURL, TrustProxy: c.TrustProxy} }

// pagesURL is where the console finds the pages of visitors; empty where they are at its own host.
func (c Config) pagesURL() string {
	if c.ConsoleURL == "" {
		return ""
	}
	return strings.TrimSuffix(c.BaseURL, "/")
}

// newConsoleAPI returns what the console calls.
func (s *Services) newConsoleAPI(rest v2.Config) *console.API {
	return console.NewAPI(console.Config{
		Users: s.Users, Authenticator: s.Authenticator, Admin: s.Admin(), REST: rest,
		Live: s.Live, Limits: s.Limits, URL: s.cfg.consoleURL(), HasOwnHost: s.cfg.ConsoleURL != "",
		AllowInsecure: s.cfg.InsecureConsole == insecureConsoleOn, TrustProxy: s.cfg.TrustProxy,
		Now: s.cfg.Now, Logger: s.cfg.Logger,
	})
}

func (s *Services) v2Config(observer *httpapi.Observer) v2.Config {
	return v2.Config{
		Authenticator: s.Authenticator, Limiter: s.Limiter, Chat: s.Engine, Conversations: s.Conversations, Agents: s.Agents,
		Ingest: s.Ingest, Search: s.Search, Insight: s.Insight, Helpdesk: s.Helpdesk, Voice: s.Voice, DB: s.DB,
		CursorKey: s.cursorKey, CanSetModel: s.Models.CanSet,
		BaseURL: s.cfg.BaseURL, FilesURL: s.cfg.FilesURL, Now: s.cfg.Now, Logger: s.cfg.Logger, Observer: observer,
		TrustProxy: s.cfg.TrustProxy, KeepAliveInterval: s.cfg.KeepAliveInterval,
	}
}

func (s *Services) v1Config(cfg v2.Config) v1.Config {
	return v1.Config{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Chat: cfg.Chat, Agents: cfg.Agents, Ingest: cfg.Ingest,
		DB:      cfg.DB,
		BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger, Observer: cfg.Observer, TrustProxy: cfg.TrustProxy,
		Contacts: &contact.Service{DB: cfg.DB, Now: cfg.Now, DeleteUnusedFiles: s.Ingest.RemoveUnusedFiles},
		Webhooks: s.Webhooks, KeepAliveInterval: cfg.KeepAliveInterval,
	}
}

func (s *Services) oauthConfig(cfg v2.Config) oauth.Config {
	return oauth.Config{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Limits: s.Limits, DB: cfg.DB,
		Key: s.cursorKey, Site: s.cfg.site(),
		Resource: mcp.Path, KeysURL: s.cfg.consoleURL() + "/workspace/keys",
		Now: cfg.Now, Logger: cfg.Logger, Observer: cfg.Observer,
	}
}

func (s *Services) channelConfig(cfg v2.Config) channelapi.Config {
	return channelapi.Config{
		DB: cfg.DB, Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Limits: s.Limits, Webhooks: s.Webhooks,
		Channels: &channel.Service{DB: cfg.DB, Chat: cfg.Chat, Conversations: cfg.Conversations, Now: cfg.Now,
			Logger: cfg.Logger},
		Now: cfg.Now, Logger: cfg.Logger, Observer: cfg.Observer, TrustProxy: cfg.TrustProxy,
	}
}

func (s *Services) pairingConfig(cfg v2.Config) pairingapi.Config {
	return pairingapi.Config{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Limits: s.Limits, Accounts: s.Accounts,
		Pairings:    s.newPairings(),
		ApprovalURL: s.cfg.consoleURL() + "/pair", TrustProxy: cfg.TrustProxy, Now: cfg.Now, Logger: cfg.Logger,
		Observer: cfg.Observer,
	}
}

func (s *Services) openaiConfig(cfg v2.Config) openai.Config {
	return openai.Config{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Chat: cfg.Chat, DB: cfg.DB, Now: cfg.Now,
		Logger: cfg.Logger, Observer: cfg.Observer, TrustProxy: cfg.TrustProxy,
		KeepAliveInterval: cfg.KeepAliveInterval,
	}
}

func (s *Services) chatConfig(cfg v2.Config) chatapi.Config {
	return chatapi.Config{
		Visitors: s.newVisitors(), Frames: s.newFrames(), Chat: cfg.Chat, Conversations: cfg.Conversations, DB: cfg.DB,
		Plan: s.Authenticator.Plans.Plan, Limits: s.Limits,
		Actions: s.Actions, Helpdesk: s.Helpdesk, Voice: s.Voice,
		Dictation: voice.Dictation{Transcriber: s.Speech.Transcriber}, IncomingFolder: s.Ingest.Files.Incoming,
		CanMail: s.MailRunner != nil, OnTyping: s.Live.CustomerTypes,
		Now: cfg.Now, Logger: cfg.Logger, Observer: cfg.Observer, TrustProxy: cfg.TrustProxy,
		KeepAliveInterval: cfg.KeepAliveInterval,
	}
}

func (s *Services) widgetConfig() widget.Config {
	return widget.Config{
		Site: s.cfg.site(), VoiceURL: s.cfg.clientURL(), ConsoleURL: s.cfg.ConsoleURL, Visitors: s.newVisitors(),
		Frames: s.newFrames(), Limits: s.Limits, FindAgent: s.DB.AgentInAnyAccount, FindPicture: s.Agents.PictureOf,
		Now: s.cfg.Now,
	}
}

// newVisitors returns what knows the visitors of agents.
func (s *Services) newVisitors() *visitor.Service {
	return &visitor.Service{DB: s.DB, Contacts: &contact.Service{DB: s.DB, Now: s.cfg.Now}, Key: s.cursorKey,
		Now: s.cfg.Now}
}

// newFrames returns what pages and chat frames are told of agents.
func (s *Services) newFrames() *chatapi.Frames {
	f := &chatapi.Frames{
		DB: s.DB, Plan: s.Authenticator.Plans.Plan, HasTranscriber: s.Speech.Transcriber != nil,
		HasVoice: s.Voice.Rooms != nil, CanMail: s.MailRunner != nil, HasFiles: true,
	}
	if s.cfg.VoiceURL != "" || s.cfg.LiveKitURL != "" {
		f.VoiceURL = s.cfg.clientURL()
	}
	return f
}

func (s *Services) newMCPHandler(cfg v2.Config) http.Handler {
	document := func() ([]byte, error) { return v2.Document(cfg.BaseURL, cfg.FilesURL) }
	admission := &access.Admission{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy,
	}
	observer := cfg.Observer
	cfg.Limiter, cfg.Observer = nil, nil
	return mcp.New(mcp.Config{
		Admit: admission.Admit, REST: v2.New(cfg), Document: document, Version: s.cfg.Version,
		BaseURL: cfg.BaseURL, ResourceMetadata: oauth.ResourcePath + mcp.Path,
		Now: cfg.Now, Logger: cfg.Logger, Observer: observer,
	})
}

const (
	maxConnections   = 20_000 // where the system would allow more
	spareConnections = 16     // beyond them, for health checks
)

// newConnectionTable returns the table of the public connections. Half of what the system allows stays free, for files,
// databases and the services that turns call.
func (c Config) newConnectionTable() *listen.ConnTable {
	proxies, _ := c.proxies() // those of a configuration that was checked
	l := listen.Limits{MaxConns: c.MaxConnections, SpareConns: spareConnections, MaxPerAddress: c.AddressConnections,
		IsExempt: func(ip netip.Addr) bool { return ip.IsLoopback() || proxies.Contain(ip) }}
	if files := listen.Descriptors(); l.MaxConns == 0 && files > 0 {
		l.MaxConns = min(files/2, maxConnections)
	} else if l.MaxConns == 0 {
		l.MaxConns = maxConnections
	}
	if c.TrustProxy { // the address is the proxy's
		l.MaxPerAddress = 0
	}
	return listen.NewConnTable(l)
}
