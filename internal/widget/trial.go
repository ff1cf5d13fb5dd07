package widget

import (
	"crypto/sha256"
	_ "embed" // the snippet
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/visitor"
	"parley/web"
)

// Paths of the page on which members try an agent as a page of a site has it.
const (
	trialPath       = "/demo/widget/"
	trialStylePath  = "/demo/widget.css"
	trialScriptPath = "/demo/widget.js"
)

// siteSnippet is what sites have in their pages, for an agent and a server that are replaced. The console and the
// manual show the same.
//
//go:embed page/snippet.js
var siteSnippet string

// trialPage is what the template of the page shows.
type trialPage struct {
	Name    string
	Problem string      // why the chat is not shown; empty where it is
	Snippet template.JS // empty where it is not
}

func loadTrialFiles() (map[string]*httpapi.StaticFile, error) {
	files := map[string]*httpapi.StaticFile{}
	for path, contentType := range map[string]string{
		trialStylePath: "text/css; charset=utf-8", trialScriptPath: "text/javascript; charset=utf-8",
	} {
		content, err := web.Files.ReadFile("widget" + path)
		if err != nil {
			return nil, fmt.Errorf("read the test page: %w", err)
		}
		files[path] = httpapi.NewStaticFile(contentType, fileCaching, content)
	}
	return files, nil
}

// isTrialPath reports whether a path is of the test page.
func (p *Pages) isTrialPath(path string) bool {
	return strings.HasPrefix(path, trialPath) || p.trialFiles[path] != nil
}

// serveTrial writes the test page of an agent or one of its files. Only who has a ticket sees the page: it is for
// members, and may be of a private agent.
func (p *Pages) serveTrial(w http.ResponseWriter, r *http.Request) {
	httpapi.PagePolicy{}.Set(w.Header(), p.Site.UsesHTTPS(r)) // until it is known who asks
	if !isRead(r) {
		refuseMethod(w)
		return
	}
	if file := p.trialFiles[r.URL.Path]; file != nil {
		file.ServeHTTP(w, r)
		return
	}
	err := p.countRequest(r)
	if err == nil {
		err = p.showTrial(w, r, parley.AgentID(strings.TrimPrefix(r.URL.Path, trialPath)))
	}
	if err != nil {
		showFailure(w, r, err)
	}
}

// newSnippet returns the snippet of an agent for pages of other sites.
func (p *Pages) newSnippet(r *http.Request, id parley.AgentID) string {
	return strings.NewReplacer("https://agents.example.com", p.ownOrigin(r), "AGENT_ID", string(id)).Replace(siteSnippet)
}

// ownOrigin returns the origin at which a browser has found this server; empty for one that policies cannot name.
func (p *Pages) ownOrigin(r *http.Request) string {
	host := httpapi.PolicyHost(r.Host)
	switch {
	case host == "":
		return ""
	case p.Site.IsHTTPS(r):
		return "https://" + host
	}
	return "http://" + host
}

// trialPolicy lets the page load the chat as pages of sites do. The snippet adds a script: widget.js says from where.
func (p *Pages) trialPolicy(r *http.Request, snippet string) httpapi.PagePolicy {
	hosts, sum := p.Site.Hosts(r), sha256.Sum256([]byte(snippet))
	return httpapi.PagePolicy{
		Sources: []string{
			"script-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
			"style-src 'self'",
			directive("img-src", append(pathsAt(hosts, filesPath), "data:")),
			directive("frame-src", pathsAt(hosts, framePath)),
			"trusted-types default",
		},
		Permissions: voicePermissions,
	}
}

// showTrial writes the page. Nothing is written where it fails.
func (p *Pages) showTrial(w http.ResponseWriter, r *http.Request, id parley.AgentID) error {
	agent, err := p.findAgent(r, &view{agent: id, mode: modePreview, ticket: r.URL.Query().Get("ticket")})
	if err != nil {
		return err
	}
	page := trialPage{Name: agent.Name, Problem: trialProblem(agent, p.ownOrigin(r))}
	snippet := p.newSnippet(r, agent.ID)
	if page.Problem == "" {
		page.Snippet = template.JS(snippet) //nolint:gosec // of an id that was found
	}
	p.trialPolicy(r, snippet).Set(w.Header(), p.Site.UsesHTTPS(r))
	writePage(w, r, http.StatusOK, "trial.html", page)
	return nil
}

// trialProblem says why the chat of an agent is not shown at an origin of this server; empty where it is.
func trialProblem(agent *parley.Agent, origin string) string {
	if agent.Visibility == "private" {
		return "The agent is private, so no page can show its chat. Make it public in its settings."
	}
	if visitor.IsAllowedOrigin(agent, origin) {
		return ""
	}
	_, host, _ := strings.Cut(origin, "://")
	host, _, _ = strings.Cut(host, ":")
	return "The sites on which the chat is allowed do not include this one. To try it here, add " + host + " to them."
}
