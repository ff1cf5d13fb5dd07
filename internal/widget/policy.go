package widget

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"parley"
	"parley/internal/httpapi"
)

// maxNamedDomains is how many domains of an agent the policy of its help page names. Where there are more it names
// paths alone: headers are bounded.
const maxNamedDomains = 20

// policy lets the chat load its files, and reach the paths of the chat API and no other: any host of this server may be
// the console's as well. agent is nil for a notice.
func (p *Pages) policy(r *http.Request, v *view, agent *parley.Agent) httpapi.PagePolicy {
	own, all := p.Site.Hosts(r), p.chatHosts(r, v, agent)
	files := pathsAt(all, filesPath)
	images, connect := files, pathsAt(own, filesPath)
	if v.mode != modePreview { // which asks for nothing
		images = append(pathsAt(all, chatPath), files...)
		connect = slices.Concat(pathsAt(all, chatPath), connect, voiceSources(p.voice, own))
	}
	return httpapi.PagePolicy{
		IsFrame: v.mode != modeHelp, HasNoOrigin: v.mode == modePreview,
		Sources: []string{
			"script-src 'self'",
			"style-src 'self'",
			directive("img-src", append(images, "data:")),
			"font-src 'self'",
			directive("connect-src", connect),
			"frame-src 'none'",
			"media-src 'self' blob:",
			"manifest-src 'self'",
			directive("frame-ancestors", p.ancestors(v, agent)),
		},
		Permissions: voicePermissions,
	}
}

// directive writes a directive of a policy.
func directive(name string, sources []string) string {
	if len(sources) == 0 {
		return name + " 'none'"
	}
	return name + " " + strings.Join(sources, " ")
}

// pathsAt names a path at hosts. A source of http stands for https as well.
func pathsAt(hosts []string, path string) (sources []string) {
	for _, host := range hosts {
		sources = append(sources, "http://"+host+path)
	}
	return sources
}

// chatHosts lists the hosts at which the page finds the chat. The help page is also shown below the hosts of others,
// which lead some paths to this server.
func (p *Pages) chatHosts(r *http.Request, v *view, agent *parley.Agent) []string {
	hosts := p.Site.Hosts(r)
	if v.mode != modeHelp || agent == nil {
		return hosts
	}
	domains := namedDomains(agent)
	if agent.AllowedDomains == nil || len(domains) > maxNamedDomains {
		return append(hosts, "*:*")
	}
	for _, domain := range domains {
		hosts = append(hosts, domain+":*", "*."+domain+":*")
	}
	return hosts
}

// ancestors lists the pages that may show the frame. A preview is for the console alone, and nothing shows a help page.
func (p *Pages) ancestors(v *view, agent *parley.Agent) (sources []string) {
	switch {
	case v.mode == modeHelp:
		return nil
	case v.mode == modePreview:
		return []string{p.consoleSource()}
	case agent == nil || agent.AllowedDomains == nil:
		return []string{"*"}
	}
	for _, domain := range namedDomains(agent) {
		sources = append(sources, "http://"+domain+":*", "http://*."+domain+":*")
	}
	return sources
}

// consoleSource names where the console is.
func (p *Pages) consoleSource() string {
	u, err := url.Parse(p.ConsoleURL)
	if err != nil || httpapi.PolicyHost(u.Host) == "" {
		return "'self'"
	}
	return u.Scheme + "://" + httpapi.PolicyHost(u.Host)
}

// hostName is a host without a port.
var hostName = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*$`)

// namedDomains lists the domains of an agent that policies can name. No page has another as its host.
func namedDomains(agent *parley.Agent) (domains []string) {
	for _, domain := range agent.AllowedDomains {
		domain = strings.ToLower(strings.TrimPrefix(domain, "*."))
		if hostName.MatchString(domain) && !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	return domains
}
