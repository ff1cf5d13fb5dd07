package actions

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"parley"
)

var configCheckers = map[parley.ActionKind]func(f faults, a *parley.Action){
	parley.ActionHTTP:         checkHTTP,
	parley.ActionClient:       func(f faults, a *parley.Action) { f.decodeConfig(a.Config, &struct{}{}) },
	parley.ActionCollectLeads: checkLeads,
	parley.ActionEscalate:     func(f faults, a *parley.Action) { f.decodeConfig(a.Config, &messageConfig{}) },
	parley.ActionCustomButton: checkButton,
	parley.ActionWebSearch:    checkSearch,
}

var kindList = func() string {
	var names []string
	for kind := range configCheckers {
		names = append(names, string(kind))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}()

// messageConfig is the config of collect-leads and escalate.
type messageConfig struct {
	Message string `json:"message"` // the result; a default when empty
}

// leadInputs are the fields of a form that defines none.
var leadInputs = []parley.ActionInput{
	{Name: "name", Type: "string", Description: "the customer's name"},
	{Name: "email", Type: "string", Description: "the customer's e-mail address", Required: true},
	{Name: "phone", Type: "string", Description: "the customer's phone number"},
}

func checkLeads(f faults, a *parley.Action) {
	f.decodeConfig(a.Config, &messageConfig{})
	inputs := actionInputs(a)
	if findInput(inputs, "email") == nil && findInput(inputs, "phone") == nil {
		f.add("inputs", "must hold email or phone: there is no other way to reach a lead")
	}
}

type buttonConfig struct {
	Label string `json:"label"`
	URL   string `json:"url"` // with {input} in the path and the query
}

func checkButton(f faults, a *parley.Action) {
	var c buttonConfig
	if !f.decodeConfig(a.Config, &c) {
		return
	}
	f.checkText("config.label", c.Label, 100)
	if strings.ContainsAny(c.Label, "\r\n") {
		f.add("config.label", "must be one line")
	}
	f.checkURL("config.url", c.URL, a.Inputs, "https", "http", "mailto", "tel")
	f.checkTemplate("config.url", c.URL, a.Inputs)
}

type searchConfig struct {
	Sites []string `json:"sites"` // hosts that results may come from; empty for all
}

var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$`)

func checkSearch(f faults, a *parley.Action) {
	var c searchConfig
	if !f.decodeConfig(a.Config, &c) {
		return
	}
	if len(c.Sites) > 20 {
		f.add("config.sites", "must have at most 20 items")
	}
	for i, site := range c.Sites {
		if !hostPattern.MatchString(site) {
			f.add(joinPath("config.sites", i), "must be a host name such as docs.example.com")
		}
	}
	if inputs := actionInputs(a); findInput(inputs, "query") == nil {
		f.add("inputs", "must hold query")
	}
}

var searchInputs = []parley.ActionInput{{Name: "query", Type: "string", Description: "what to search the web for",
	Required: true}}

var escalateInputs = []parley.ActionInput{{Name: "reason", Type: "string",
	Description: "why a person should take over, in one sentence"}}

// actionInputs returns an action's inputs, with those that its kind always has.
func actionInputs(a *parley.Action) []parley.ActionInput {
	if len(a.Inputs) > 0 {
		return a.Inputs
	}
	switch a.Kind {
	case parley.ActionCollectLeads:
		return leadInputs
	case parley.ActionWebSearch:
		return searchInputs
	case parley.ActionEscalate:
		return escalateInputs
	default:
		return nil
	}
}

// checkURL checks a URL template: its scheme and host are written out, so that no input chooses the server.
func (f faults) checkURL(path, template string, inputs []parley.ActionInput, schemes ...string) {
	if template == "" {
		f.add(path, "is required")
		return
	}
	u, err := url.Parse(markPattern.ReplaceAllString(template, "x"))
	switch {
	case err != nil || !slices.Contains(schemes, u.Scheme):
		f.add(path, "must be an address that begins with %s:", strings.Join(schemes, ": or "))
	case u.Host == "" && (u.Opaque == "" || u.Scheme == "http" || u.Scheme == "https"):
		f.add(path, "must name a host")
	case u.User != nil:
		f.add(path, "must not hold a user or a password: use a header")
	case u.Fragment != "" || len(template) > 2000:
		f.add(path, "must have no # and at most 2000 characters")
	case u.Host != "" && markPattern.MatchString(authority(template)):
		f.add(path, "must have its host written out: inputs and secrets stand in the path and the query")
	}
	before, _, _ := strings.Cut(template, "?")
	names, _ := findMarks(before)
	for _, name := range names {
		if in := findInput(inputs, name); in != nil && !in.Required {
			f.add(path, "has {%s} in its path, so this input must be required", name)
		}
	}
}

// authority returns a URL template up to its path: scheme, host and port.
func authority(template string) string {
	scheme, rest, _ := strings.Cut(template, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest
}

type httpConfig struct {
	Method   string            `json:"method"` // GET when empty
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Query    map[string]string `json:"query"`
	Body     any               `json:"body"`     // a JSON template
	Response []string          `json:"response"` // paths of the reply that are shown; empty for all
	Timeout  float64           `json:"timeout"`  // seconds; 15 when 0
}

// reservedHeaders are headers that the client sets itself.
var reservedHeaders = []string{"host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade",
	"keep-alive", "proxy-authorization", "proxy-connection", "accept-encoding", "expect"}

var headerPattern = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]{1,100}$`)

func checkHTTP(f faults, a *parley.Action) {
	var c httpConfig
	if !f.decodeConfig(a.Config, &c) {
		return
	}
	if !slices.Contains([]string{"", "GET", "POST", "PUT", "PATCH", "DELETE"}, c.Method) {
		f.add("config.method", "must be one of: GET, POST, PUT, PATCH, DELETE")
	}
	if c.Body != nil && (c.Method == "" || c.Method == "GET") {
		f.add("config.body", "is not for GET")
	}
	if c.Timeout < 0 || c.Timeout > 30 {
		f.add("config.timeout", "must be from 0 to 30 seconds")
	}
	f.checkURL("config.url", c.URL, a.Inputs, "https", "http")
	f.checkInputsExist("config.url", c.URL, a.Inputs)
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		at := "config.headers." + name
		if !headerPattern.MatchString(name) || slices.Contains(reservedHeaders, strings.ToLower(name)) {
			f.add(at, "cannot be set")
		}
		if strings.ContainsFunc(c.Headers[name], isControl) {
			f.add(at, "must be one line")
		}
		f.checkInputsExist(at, c.Headers[name], a.Inputs)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Query)) {
		f.checkInputsExist("config.query."+name, c.Query[name], a.Inputs)
	}
	f.checkBody("config.body", c.Body, a.Inputs)
	for i, text := range c.Response {
		if text == "" || !fieldPathPattern.MatchString(text) {
			f.add(joinPath("config.response", i), "must be a path such as status, order.total or items[].name")
		}
	}
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// checkInputsExist checks that a template names inputs that exist.
func (f faults) checkInputsExist(path, template string, inputs []parley.ActionInput) {
	names, _ := findMarks(template)
	for _, name := range names {
		if findInput(inputs, name) == nil {
			f.add(path, "names {%s}, and there is no input of this name", name)
		}
	}
}

func (f faults) checkBody(path string, template any, inputs []parley.ActionInput) {
	switch t := template.(type) {
	case string:
		f.checkInputsExist(path, t, inputs)
	case []any:
		for i, item := range t {
			f.checkBody(joinPath(path, i), item, inputs)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			f.checkBody(joinPath(path, key), t[key], inputs)
		}
	}
}
