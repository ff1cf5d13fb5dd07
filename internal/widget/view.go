package widget

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"parley"
	"parley/internal/api/chatapi"
	"parley/internal/httpapi"
)

//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))

// How the chat is shown.
const (
	modeBubble  = "bubble"
	modeIframe  = "iframe"
	modeStage   = "stage"
	modeHelp    = "help"
	modePreview = "preview"
)

// view is what a browser asks to see.
type view struct {
	agent  parley.AgentID
	mode   string
	ticket string // of a preview
}

// newFrameView reads what a request for the chat frame asks for.
func newFrameView(agent string, query url.Values) *view {
	v := &view{agent: parley.AgentID(agent), mode: modeIframe, ticket: query.Get("preview")}
	switch mode := query.Get("mode"); {
	case query.Has("preview"):
		v.mode = modePreview
	case mode == modeBubble, mode == modeStage:
		v.mode = mode
	}
	return v
}

// isDark reports whether the chat is dark. Its page says so itself, or it would be white until its script has run.
func (v *view) isDark(styles *chatapi.FrameStyles) bool {
	if stage := styles.CenterStage; v.mode == modeStage && stage != nil {
		return stage.Theme == "dark"
	}
	return styles.Chat.Theme == "dark"
}

// servePage writes the chat frame or the help page. An agent that is not there and one that is private are the same to
// whoever asks.
func (p *Pages) servePage(w http.ResponseWriter, r *http.Request, v *view) {
	p.setPolicy(w, r, v, nil)
	if !isRead(r) {
		refuseMethod(w)
		return
	}
	err := p.countRequest(r)
	if err == nil {
		err = p.showChat(w, r, v)
	}
	if err != nil {
		showFailure(w, r, err)
	}
}

// setPolicy sets what the page may do. A help page is shown below hosts of others, which may not be told to use HTTPS
// alone.
func (p *Pages) setPolicy(w http.ResponseWriter, r *http.Request, v *view, agent *parley.Agent) {
	p.policy(r, v, agent).Set(w.Header(), v.mode != modeHelp && p.Site.UsesHTTPS(r))
}

// findAgent finds the agent that the view is of. Fails with AGENT_NOT_FOUND, also where it is private, and for an
// address from which nobody gets the chat.
func (p *Pages) findAgent(r *http.Request, v *view) (*parley.Agent, error) {
	if v.mode == modePreview && !p.Visitors.IsPreviewTicket(v.agent, v.ticket) {
		return nil, parley.NewError(parley.CodeAgentNotFound)
	}
	agent, err := p.FindAgent(r.Context(), v.agent, p.Now())
	if err != nil || v.mode == modePreview {
		return agent, err
	}
	address := httpapi.ClientAddress(r, p.Site.TrustProxy)
	if agent.Visibility == "private" || agent.WidgetLimits.Blocks(address) {
		return nil, parley.NewError(parley.CodeAgentNotFound)
	}
	return agent, nil
}

// chatPage is what the template of the chat shows.
type chatPage struct {
	Locale, Direction string
	IsDark            bool
	Title             string
	Icon              string // of its tab; empty for none
	Style, Script     string
	Config            template.JS
	Mode              string
}

// showChat writes the page of a chat. Nothing is written where it fails.
func (p *Pages) showChat(w http.ResponseWriter, r *http.Request, v *view) error {
	agent, err := p.findAgent(r, v)
	if err != nil {
		return err
	}
	config, err := p.Frames.Show(r.Context(), agent)
	if err != nil {
		return err
	}
	text, err := json.Marshal(config) // which escapes what could end the element
	if err != nil {
		return err
	}
	icon := ""
	if config.Icon != nil {
		icon = *config.Icon
	}
	p.setPolicy(w, r, v, agent)
	locale := chooseLocale(r)
	writePage(w, r, http.StatusOK, "chat.html", chatPage{
		Locale: locale.name, Direction: locale.direction(), IsDark: v.isDark(&config.Styles), Title: agent.Name,
		Icon: icon, Mode: v.mode,
		Style: p.build.entryFile(v.mode, ".css"), Script: p.build.entryFile(v.mode, ".js"),
		Config: template.JS(text), //nolint:gosec // JSON whose < and > are escaped
	})
	return nil
}

// notice is a page of one sentence.
type notice struct{ Locale, Direction, Text string }

// showFailure writes a page that says, in the browser's language, that there is no chat.
func showFailure(w http.ResponseWriter, r *http.Request, err error) {
	locale := chooseLocale(r)
	writePage(w, r, failureStatus(w.Header(), err), "notice.html",
		notice{locale.name, locale.direction(), locale.unavailable})
}

// failureStatus returns the status of a failure, and notes when to come again.
func failureStatus(h http.Header, err error) int {
	switch e := parley.AsError(err); e.Code {
	case parley.CodeAgentNotFound:
		return http.StatusNotFound
	case parley.CodeTooManyRequests:
		h.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(e.RetryAfter.Seconds())))))
		return http.StatusTooManyRequests
	default:
		return http.StatusServiceUnavailable
	}
}

// writePage writes a page, unless the browser has it with the same policy.
func writePage(w http.ResponseWriter, r *http.Request, status int, name string, page any) {
	var b bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&b, name, page); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding, Accept-Language")
	writeText(w, r, status, b.Bytes(), h.Get("Content-Security-Policy"))
}
