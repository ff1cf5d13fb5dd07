package widget

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/api/chatapi"
	"parley/internal/api/looks"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/store"
	"parley/internal/visitor"
)

// Paths of what visitors' browsers load.
const (
	filesPath = "/__cb/"
	bootPath  = filesPath + "boot/"
	framePath = "/chatbot-iframe/"
	chatPath  = "/api/chat/"
)

// The rate limit of an address, for what is made for each request.
const (
	requestLimit  = 60
	requestWindow = 10 * time.Second
)

// Config holds what the pages need.
type Config struct {
	Site       httpapi.Site
	VoiceURL   string // where browsers join voice sessions; empty for this server
	ConsoleURL string // of a console that has a host of its own; empty for one on this host
	Visitors   *visitor.Service
	Frames     *chatapi.Frames
	Limits     *limits.Shared // may be nil

	// FindAgent finds an agent of any account. Fails with AGENT_NOT_FOUND.
	FindAgent func(ctx context.Context, id parley.AgentID, now time.Time) (*parley.Agent, error)
	// FindPicture finds a picture of an agent. Fails with AGENT_NOT_FOUND.
	FindPicture func(ctx context.Context, id parley.AgentID, kind agents.Picture) (*store.Blob, []byte, error)
	Now         func() time.Time
}

// Pages serves what visitors' browsers load: the loaders, the chat frame and the help page with their files.
type Pages struct {
	Config
	voice   *url.URL // nil for this server
	build   *build
	limiter *limits.Limiter // by address

	trialFiles map[string]*httpapi.StaticFile // by their paths
}

// NewPages returns the pages.
func NewPages(cfg Config) (*Pages, error) {
	b, err := loadBuild()
	if err != nil {
		return nil, err
	}
	trialFiles, err := loadTrialFiles()
	if err != nil {
		return nil, err
	}
	return &Pages{Config: cfg, voice: voiceAddress(cfg.VoiceURL), build: b, trialFiles: trialFiles,
		limiter: &limits.Limiter{Name: "pages", Limit: requestLimit, Window: requestWindow, Shared: cfg.Limits}}, nil
}

// helpPaths are those of the help page: an agent's id and then help, or the other way round, and whatever is below. Ids
// have 21 characters, so that no other path is taken.
var helpPaths = regexp.MustCompile(`^/(?:([A-Za-z0-9_-]{21})/help|help/([A-Za-z0-9_-]{21}))(?:/.*)?$`)

// Serves reports whether a path is of these pages.
func (p *Pages) Serves(path string) bool {
	return loaderNames[strings.TrimPrefix(path, "/")] || strings.HasPrefix(path, filesPath) ||
		strings.HasPrefix(path, framePath) || helpPaths.MatchString(path) || p.isTrialPath(path)
}

func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	boot, isBoot := strings.CutPrefix(path, bootPath)
	picture, isPicture := strings.CutPrefix(path, looks.PicturesPath)
	frame, isFrame := strings.CutPrefix(path, framePath)
	help := helpPaths.FindStringSubmatch(path)
	switch {
	case isFrame:
		p.servePage(w, r, newFrameView(strings.TrimSuffix(frame, "/"), r.URL.Query()))
	case help != nil:
		p.servePage(w, r, &view{agent: parley.AgentID(help[1] + help[2]), mode: modeHelp})
	case p.isTrialPath(path):
		p.serveTrial(w, r)
	case !isRead(r):
		refuseMethod(w)
	case isPicture:
		p.servePicture(w, r, picture)
	case isBoot:
		p.serveBoot(w, r, parley.AgentID(strings.TrimSuffix(boot, ".js")))
	default:
		p.serveFile(w, r)
	}
}

func isRead(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

func refuseMethod(w http.ResponseWriter) {
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "Only GET and HEAD are known here.", http.StatusMethodNotAllowed)
}

// serveFile writes a loader or a file of the chat. They are the same for everybody and contain no secret, so pages of
// any site may load them.
func (p *Pages) serveFile(w http.ResponseWriter, r *http.Request) {
	allowEverySite(w.Header())
	name, isChat := strings.CutPrefix(r.URL.Path, filesPath)
	name = strings.TrimPrefix(name, "/")
	if file := p.build.find(name); file != nil && isChat != loaderNames[name] {
		file().ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-cache") // a page of another version asks for it
	http.Error(w, "There is no such file.", http.StatusNotFound)
}

// allowEverySite lets pages of every site load an answer and read it, also a frame that is shut off from its origin.
func allowEverySite(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// countRequest counts a request for its address. Fails with RATE_LIMIT_TOO_MANY_REQUESTS.
func (p *Pages) countRequest(r *http.Request) error {
	return p.limiter.Take(httpapi.ClientAddress(r, p.Site.TrustProxy), p.Now()).Err()
}
