package manifest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Reference finds the secrets that the config of an action names: ${NAME}.
var Reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// collectSecrets takes from the environment what the configs of actions ask for.
func (r *reader) collectSecrets(doc json.RawMessage) {
	var held struct {
		Actions []struct{ Config json.RawMessage }
	}
	if json.Unmarshal(doc, &held) != nil {
		return // it has another form; whoever takes the document says so
	}
	for _, a := range held.Actions {
		for _, each := range Reference.FindAllSubmatch(a.Config, -1) {
			name := string(each[1])
			if value := r.env.Env(name); value != "" {
				r.file.Secrets[name] = value
			}
		}
	}
}

// warnAboutKeys warns of keys that stand in the headers of actions.
func (r *reader) warnAboutKeys(doc *yaml.Node) {
	for i, action := range sequenceValues(mappingValue(doc, "actions")) {
		r.warnAboutHeaders(mappingValue(mappingValue(action, "config"), "headers"), "actions."+strconv.Itoa(i)+".config.headers")
	}
}

var keyHeaders = []string{"authorization", "proxy-authorization", "x-api-key", "api-key", "x-auth-token"}

// warnAboutHeaders warns of headers that hold a key where a ${NAME} should stand.
func (r *reader) warnAboutHeaders(headers *yaml.Node, path string) {
	if headers == nil || headers.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(headers.Content); i += 2 {
		name, value := headers.Content[i], resolveAlias(headers.Content[i+1])
		if looksLikeKey(name.Value, value.Value) {
			r.file.Warnings = append(r.file.Warnings, Note{r.file.Name, value.Line, path + "." + name.Value,
				"looks like a key that is written out: it is kept and exported as it stands; write ${NAME} and set NAME in the environment"})
		}
	}
}

func looksLikeKey(header, value string) bool {
	for _, name := range keyHeaders {
		if strings.EqualFold(header, name) {
			words := strings.Fields(value)
			return len(words) > 0 && len(words[len(words)-1]) >= 8 && !strings.ContainsAny(value, "{}")
		}
	}
	return false
}
