package modelserver

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
)

const (
	maxNameRunes     = 100
	maxModelBytes    = 200
	maxURLBytes      = 2000
	maxKeyBytes      = 8000
	minContextTokens = 2000 // what a prompt with a source fits into
	maxContextTokens = 10_000_000
	maxDimensions    = 8192
)

// usualFormats are the wire formats of the kinds, the usual one of each first.
var usualFormats = map[parley.ModelServerKind][]parley.WireFormat{
	parley.ModelServerChat:      parley.ChatWireFormats(),
	parley.ModelServerEmbedding: {parley.WireFormatOpenAI},
	parley.ModelServerReranking: {parley.WireFormatCohere},
}

// check checks a server by itself and fills what was left out. Fails with VALIDATION_INVALID_BODY.
func (s *Service) check(m *parley.ModelServer) error {
	details := map[string]string{}
	refuse := func(isWrong bool, field, reason string) {
		if isWrong && details[field] == "" {
			details[field] = reason
		}
	}
	checkConnection(m, details)
	m.Name, m.Model = strings.TrimSpace(m.Name), strings.TrimSpace(m.Model)
	refuse(m.Name == "" || utf8.RuneCountInString(m.Name) > maxNameRunes || hasControls(m.Name), "name",
		fmt.Sprintf("must have from 1 to %d characters", maxNameRunes))
	refuse(m.Model == "" && m.Kind != parley.ModelServerReranking, "model", "must name the model to ask for")
	refuse(len(m.Model) > maxModelBytes || hasControls(m.Model), "model", fmt.Sprintf("must have at most %d bytes",
		maxModelBytes))
	refuse(m.Model == model.BuiltinName, "model", "is the name of the built-in model")
	refuse(m.ContextTokens != 0 && (m.ContextTokens < minContextTokens || m.ContextTokens > maxContextTokens),
		"contextTokens", fmt.Sprintf("must be 0, or from %d to %d", minContextTokens, maxContextTokens))
	refuse(m.Dimensions < 0 || m.Dimensions > maxDimensions, "dimensions", fmt.Sprintf("must be from 0 to %d",
		maxDimensions))
	refuse(m.Kind != parley.ModelServerChat && len(m.ModelNames) > 0, "modelNames",
		"is for servers of kind chat alone")
	readable := s.Models.Readable()
	for _, name := range m.ModelNames {
		refuse(!slices.Contains(readable, name), "modelNames", fmt.Sprintf("%q is not a model that agents can have", name))
	}
	slices.Sort(m.ModelNames)
	m.ModelNames = slices.Compact(m.ModelNames)
	return parley.InvalidFields(details)
}

// checkConnection checks what a server is reached by, and fills the format that was left out.
func checkConnection(m *parley.ModelServer, details map[string]string) {
	formats := usualFormats[m.Kind]
	if formats == nil {
		details["kind"] = "must be one of: " + strings.Join(parley.EnumValues("modelServerKind"), ", ")
	} else if m.Format = cmp.Or(m.Format, formats[0]); !slices.Contains(formats, m.Format) {
		details["format"] = fmt.Sprintf("is not one of servers of kind %s", m.Kind)
	}
	switch {
	case !isServerURL(m.URL):
		details["url"] = "must be an http or https address without user name, password, query and fragment"
	case hasKeyInPath(m.URL):
		details["url"] = "must not have a key in its path, where everybody who sees the address reads it: send it as the key"
	}
}

func hasControls(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

func isServerURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(text, "?#") && len(text) <= maxURLBytes && !hasControls(text)
}

// keyForm is the form of the API keys of well-known providers.
var keyForm = regexp.MustCompile(`^((sk|gsk|csk|xai|nvapi|pplx)[-_]|hf_|AIza)[A-Za-z0-9_-]{16,}$`)

// hasKeyInPath reports whether a part of the path of an address looks like an API key: addresses are shown.
func hasKeyInPath(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool {
		return keyForm.MatchString(part) && strings.ContainsAny(part, "0123456789") // others are names of models
	})
}

func checkKey(key string) error {
	if len(key) > maxKeyBytes || hasControls(key) || !utf8.ValidString(key) {
		return parley.Invalid("key", fmt.Sprintf("must have at most %d bytes, and no line breaks", maxKeyBytes))
	}
	return nil
}

func isSameOrigin(a, b string) bool {
	one, err1 := url.Parse(a)
	two, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && one.Scheme == two.Scheme && strings.EqualFold(one.Host, two.Host)
}

// checkOthers checks a server beside the account's others and the operator's settings. Fails with
// VALIDATION_INVALID_BODY.
func (s *Service) checkOthers(m *parley.ModelServer, others []parley.ModelServer) error {
	if m.Kind != parley.ModelServerChat {
		for _, f := range s.Fixed {
			if f.Kind == m.Kind {
				return parley.Invalid("kind", "the operator of this server has set one with "+f.Setting)
			}
		}
		if slices.ContainsFunc(others, func(o parley.ModelServer) bool { return o.Kind == m.Kind }) {
			return parley.Invalid("kind", "the account has one already: change that, or remove it first")
		}
		return nil
	}
	for _, name := range m.ModelNames {
		if setting := s.FixedNames[name]; setting != "" {
			return parley.Invalid("modelNames", fmt.Sprintf("%q is set by the operator of this server with %s", name, setting))
		}
		for i := range others {
			if slices.Contains(others[i].ModelNames, name) {
				return parley.Invalid("modelNames", fmt.Sprintf("%q is answered by %q already", name, others[i].Name))
			}
		}
	}
	return nil
}

// maxNamedAgents is how many of the agents that use a server are named.
const maxNamedAgents = 5

// checkUnused fails with VALIDATION_INVALID_BODY if the server answers for agents.
func (s *Service) checkUnused(ctx context.Context, tx *store.DB, m *parley.ModelServer,
	others []parley.ModelServer) error {
	uses, err := tx.ModelUses(ctx, m.AccountID)
	if err != nil {
		return err
	}
	count, models := s.usesOf(m, others, uses)
	if count == 0 {
		return nil
	}
	names, err := tx.AgentNamesByModel(ctx, m.AccountID, models, maxNamedAgents)
	if err != nil {
		return err
	}
	text := strings.Join(names, ", ")
	if more := count - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	e := parley.NewErrorf(parley.CodeInvalidBody, "Agents are answered by this server: %s.", text)
	e.Details = map[string]string{"evenIfUsed": "must be true to remove a server that answers for agents: " + text}
	return e
}

// usesOf returns how many agents a server answers for, and the models that these have chosen.
func (s *Service) usesOf(m *parley.ModelServer, others []parley.ModelServer, uses []store.ModelUse) (count int,
	models []string) {
	list := append([]parley.ModelServer{*m}, others...)
	for _, u := range uses {
		if o := s.answering(list, u.Model); o != nil && o.ID == m.ID {
			count, models = count+u.Agents, append(models, u.Model)
		}
	}
	return count, models
}

// answering returns which of an account's servers answers for agents with a model; nil for none of them.
func (s *Service) answering(list []parley.ModelServer, name string) *parley.ModelServer {
	if s.FixedNames[name] != "" {
		return nil
	}
	named := func(name string) *parley.ModelServer {
		for i := range list {
			if slices.Contains(list[i].ModelNames, name) {
				return &list[i]
			}
		}
		return nil
	}
	if m := named(name); m != nil || s.FixedNames[model.DefaultModel] != "" {
		return m
	}
	return named(model.DefaultModel)
}
