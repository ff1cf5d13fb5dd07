package manifest

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley"
)

// secretReference matches the secrets that the config of an action names: ${NAME}.
var secretReference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// collectSecrets reads the secrets that the configs of actions name from the environment.
func (r *reader) collectSecrets(doc json.RawMessage) {
	var document struct {
		Actions []struct{ Config json.RawMessage }
	}
	if json.Unmarshal(doc, &document) != nil {
		return // it has another form, which applying it reports
	}
	for _, a := range document.Actions {
		for _, each := range secretReference.FindAllSubmatch(a.Config, -1) {
			name := string(each[1])
			if value := r.env.Env(name); value != "" {
				r.file.Secrets[name] = value
			}
		}
	}
}

func (r *reader) warnAboutKeys(doc *yaml.Node) {
	for i, action := range sequenceValues(mappingValue(doc, "actions")) {
		r.warnAboutHeaders(mappingValue(mappingValue(action, "config"), "headers"),
			"actions."+strconv.Itoa(i)+".config.headers")
	}
}

var keyHeaders = []string{"authorization", "proxy-authorization", "x-api-key", "api-key", "x-auth-token"}

// warnAboutHeaders warns of headers that contain a key instead of a ${NAME}.
func (r *reader) warnAboutHeaders(headers *yaml.Node, path string) {
	if headers == nil || headers.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(headers.Content); i += 2 {
		name, value := headers.Content[i], resolveAlias(headers.Content[i+1])
		if looksLikeKey(name.Value, value.Value) {
			r.file.Warnings = append(r.file.Warnings, Note{r.file.Name, value.Line, path + "." + name.Value,
				"looks like a key that is written out: it is kept and exported as it stands; write ${NAME} and " +
					"set NAME in the environment"})
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

// sealSecrets sets the secrets of the action to those that its config names: the values that came with the documents,
// else those that the action has. It returns a member that says which of an existing action's secrets have another
// value than before.
func (r *applyRun) sealSecrets(e *entry[parley.Action], a *parley.Action) (changed map[string]any, err error) {
	wanted := secretPaths(a.Config)
	current := map[string]string{}
	if e.existing != nil && e.existing.Secrets != "" {
		current, err = r.Unseal(r.Account.ID, e.existing.Secrets)
		if err != nil && r.lacksSecret(wanted) {
			return nil, err
		}
	}
	values, changedNames, newNotes := map[string]string{}, map[string]any{}, map[string]parley.SecretNote{}
	for name, path := range wanted {
		v, ok := r.Secrets[name]
		if !ok {
			if v, ok = current[name]; !ok {
				r.faults.add(e.path+".config"+path, "names ${"+name+"}, and the environment of this command has no "+name)
				continue
			}
		}
		if values[name] = v; current[name] != v {
			changedNames["${"+name+"}"] = "another value"
			newNotes[name] = parley.SecretNote{At: a.UpdatedAt, By: cmp.Or(r.Actor, "operator")}
		}
	}
	a.SecretNotes = updateNotes(a.SecretNotes, values, newNotes)
	switch {
	case len(values) == 0:
		a.Secrets = ""
	case !maps.Equal(values, current):
		if a.Secrets, err = r.Seal(r.Account.ID, values); err != nil {
			r.faults.add(e.path+".config", "holds secrets that cannot be kept: "+errorText(err))
		}
	}
	if e.existing == nil || len(changedNames) == 0 {
		return nil, nil
	}
	return map[string]any{"secrets": changedNames}, nil
}

// updateNotes returns who has given the secrets of an action, and when: what was noted before of those that are not
// among the new ones.
func updateNotes(before map[string]parley.SecretNote, values map[string]string,
	newOnes map[string]parley.SecretNote) map[string]parley.SecretNote {
	notes := maps.Clone(newOnes)
	for name := range values {
		if _, isNew := newOnes[name]; isNew {
			continue
		}
		if note, ok := before[name]; ok {
			notes[name] = note
		}
	}
	return notes
}

// lacksSecret reports whether a secret did not come with the documents.
func (r *applyRun) lacksSecret(wanted map[string]string) bool {
	for name := range wanted {
		if _, ok := r.Secrets[name]; !ok {
			return true
		}
	}
	return false
}

// secretPaths returns the names of the secrets in a config, each with the path of the first text that names it.
func secretPaths(config json.RawMessage) map[string]string {
	var v any
	found := map[string]string{}
	if json.Unmarshal(config, &v) == nil {
		walkTexts(v, "", func(text, path string) {
			for _, m := range secretReference.FindAllStringSubmatch(text, -1) {
				if _, ok := found[m[1]]; !ok {
					found[m[1]] = path
				}
			}
		})
	}
	return found
}

// walkTexts calls each with every text of a value, names included.
func walkTexts(v any, path string, each func(text, path string)) {
	switch v := v.(type) {
	case string:
		each(v, path)
	case []any:
		for i, item := range v {
			walkTexts(item, path+"."+strconv.Itoa(i), each)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			each(name, path)
			walkTexts(v[name], path+"."+name, each)
		}
	}
}
