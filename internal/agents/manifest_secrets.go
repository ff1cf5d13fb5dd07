package agents

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"parley"
	"parley/internal/manifest"
)

// sealSecrets returns the action the secrets that its config names: those that came with the documents, else those it has. It tells
// which have another value than before.
func (w *applyRun) sealSecrets(e entry[parley.Action], a *parley.Action) (others map[string]any, err error) {
	wanted := secretPaths(a.Config)
	current := map[string]string{}
	if e.current != nil && e.current.Secrets != "" {
		current, err = w.Unseal(w.Account.ID, e.current.Secrets)
		if err != nil && w.lacksSecret(wanted) {
			return nil, err
		}
	}
	values, news := map[string]string{}, map[string]any{}
	for name, path := range wanted {
		v, ok := w.Secrets[name]
		if !ok {
			if v, ok = current[name]; !ok {
				w.faults.add(e.path+".config"+path, "names ${"+name+"}, and the environment of this command has no "+name)
				continue
			}
		}
		if values[name] = v; current[name] != v {
			news["${"+name+"}"] = "another value"
		}
	}
	switch {
	case len(values) == 0:
		a.Secrets = ""
	case !maps.Equal(values, current):
		if a.Secrets, err = w.Seal(w.Account.ID, values); err != nil {
			w.faults.add(e.path+".config", "holds secrets that cannot be kept: "+errorText(err))
		}
	}
	if e.current == nil || len(news) == 0 {
		return nil, nil
	}
	return map[string]any{"secrets": news}, nil
}

// lacksSecret reports whether a secret did not come with the documents.
func (w *applyRun) lacksSecret(wanted map[string]string) bool {
	for name := range wanted {
		if _, ok := w.Secrets[name]; !ok {
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
			for _, m := range manifest.Reference.FindAllStringSubmatch(text, -1) {
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
