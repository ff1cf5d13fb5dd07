package oauth

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/httpapi"
)

//go:embed page
var pageFiles embed.FS

var consentPage = template.Must(template.ParseFS(pageFiles, "page/consent.html"))

// newStyle returns the style of the page.
func newStyle() *httpapi.StaticFile {
	text, err := pageFiles.ReadFile("page/consent.css")
	if err != nil {
		panic(err) // the program holds it
	}
	return httpapi.NewStaticFile("text/css; charset=utf-8", "no-cache", text)
}

// request is what a client asks a person for.
type request struct {
	ClientID  string
	Redirect  string
	State     string
	Challenge string
	Type      string
	Method    string

	client *client
}

// consentView is what the page shows.
type consentView struct {
	Words   words
	Fault   string   // in red; empty for none
	Request *request // nil where there is nothing to decide
	Client  string
	Host    string // where the client goes on
	KeysURL string
}

// serveConsent serves the page on which a person lets a client in, or not.
func (s *server) serveConsent(w http.ResponseWriter, r *http.Request) {
	texts := wordsFor(r)
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, HEAD, POST")
		s.writePage(w, r, http.StatusMethodNotAllowed, consentView{Words: texts, Fault: texts.BadRequest})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	if err := r.ParseForm(); err != nil {
		s.writePage(w, r, http.StatusBadRequest, consentView{Words: texts, Fault: texts.BadRequest})
		return
	}
	req := s.readRequest(r.Form)
	if req == nil {
		s.writePage(w, r, http.StatusBadRequest, consentView{Words: texts, Fault: texts.BadRequest})
		return
	}
	if r.Method == http.MethodPost {
		s.decide(w, r, req, texts)
		return
	}
	s.writePage(w, r, http.StatusOK, s.newView(req, texts, ""))
}

// readRequest returns what a client asks for; nil where it is wrong. The browser is not led back then: everybody may
// register, and this server must lead nobody anywhere without their consent.
func (s *server) readRequest(form url.Values) *request {
	req := &request{ClientID: form.Get("client_id"), Redirect: form.Get("redirect_uri"), State: form.Get("state"),
		Challenge: form.Get("code_challenge"), Type: form.Get("response_type"), Method: form.Get("code_challenge_method")}
	req.client = s.findClient(req.ClientID)
	if req.client == nil || !req.client.allows(req.Redirect) || req.Type != "code" || req.Challenge == "" ||
		req.Method != "S256" {
		return nil
	}
	return req
}

func (s *server) newView(req *request, texts words, fault string) consentView {
	u, _ := url.Parse(req.Redirect) // it was read before
	host := u.Host
	if u.Scheme != "https" && u.Scheme != "http" {
		host = u.Scheme + ":"
	}
	return consentView{Words: texts, Fault: fault, Request: req, Client: req.client.Name, Host: host,
		KeysURL: s.KeysURL}
}

// decide does what the person has decided.
func (s *server) decide(w http.ResponseWriter, r *http.Request, req *request, texts words) {
	if r.PostForm.Get("decision") != "allow" {
		s.redirect(w, r, req, url.Values{"error": {accessDenied}})
		return
	}
	address := httpapi.ClientAddress(r, s.Site.TrustProxy)
	if rate := s.tries.Take(address, s.Now()); !rate.OK {
		s.writePage(w, r, http.StatusTooManyRequests, s.newView(req, texts, texts.TooMany))
		return
	}
	key := strings.TrimSpace(r.PostForm.Get("key"))
	caller, err := s.Authenticator.Authenticate(r.Context(), "Bearer "+key)
	if err != nil {
		s.writePage(w, r, http.StatusForbidden, s.newView(req, texts, texts.WrongKey))
		return
	}
	if !caller.Plan.API {
		s.writePage(w, r, http.StatusForbidden, s.newView(req, texts, texts.NoAPI))
		return
	}
	code, err := s.sealGrant(grant{Key: key, Client: req.ClientID, Redirect: req.Redirect,
		Challenge: req.Challenge, ExpiresAt: s.Now().Add(codeLifetime).Unix()})
	if err != nil {
		s.Logger.Error("a code could not be made", "err", err)
		s.writePage(w, r, http.StatusInternalServerError, consentView{Words: texts, Fault: texts.BadRequest})
		return
	}
	s.redirect(w, r, req, url.Values{"code": {code}})
}

// redirect leads the browser back to the client.
func (s *server) redirect(w http.ResponseWriter, r *http.Request, req *request, answer url.Values) {
	u, _ := url.Parse(req.Redirect) // it was read before
	query := u.Query()
	for name, values := range answer {
		query[name] = values
	}
	if req.State != "" {
		query.Set("state", req.State)
	}
	query.Set("iss", s.origin(r))
	u.RawQuery = query.Encode()
	s.policy(req).Set(w.Header(), s.Site.UsesHTTPS(r))
	w.Header().Set("Location", u.String())
	w.WriteHeader(http.StatusSeeOther)
}

// policy lets the page send its form here, and be led to the client. Browsers apply it to where the answer leads, too.
func (s *server) policy(req *request) httpapi.PagePolicy {
	formAction := "form-action 'self'"
	if req != nil {
		u, _ := url.Parse(req.Redirect) // it was read before
		target := u.Scheme + ":"
		if host := httpapi.PolicyHost(u.Host); host != "" && (u.Scheme == "https" || u.Scheme == "http") {
			target = u.Scheme + "://" + host
		}
		formAction += " " + target
	}
	return httpapi.PagePolicy{Sources: []string{"style-src 'self'", "img-src data:", formAction}}
}

func (s *server) writePage(w http.ResponseWriter, r *http.Request, status int, view consentView) {
	s.policy(view.Request).Set(w.Header(), s.Site.UsesHTTPS(r))
	var page bytes.Buffer
	if err := consentPage.Execute(&page, view); err != nil {
		s.Logger.Error("the consent page could not be rendered", "err", err)
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // fails if the browser is gone
}
