package agents

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"parley"
	"parley/internal/manifest"
)

// secrets gives the action the secrets that its config names: those that came with the documents, else those it has. It tells
// which have another value than before.
func (w *work) secrets(e entry[parley.Action], a *parley.Action) (others map[string]any, err error) {
	wanted := secretsIn(a.Config)
	kept := map[string]string{}
	if e.there != nil && e.there.Secrets != "" {
		kept, err = w.Unseal(w.Account.ID, e.there.Secrets)
		if err != nil && w.lacks(wanted) {
			return nil, err
		}
	}
	values, news := map[string]string{}, map[string]any{}
	for name, path := range wanted {
		v, ok := w.Secrets[name]
		if !ok {
			if v, ok = kept[name]; !ok {
				w.faults.say(e.path+".config"+path, "names ${"+name+"}, and the environment of this command has no "+name)
				continue
			}
		}
		if values[name] = v; kept[name] != v {
			news["${"+name+"}"] = "another value"
		}
	}
	switch {
	case len(values) == 0:
		a.Secrets = ""
	case !maps.Equal(values, kept):
		if a.Secrets, err = w.Seal(w.Account.ID, values); err != nil {
			w.faults.say(e.path+".config", "holds secrets that cannot be kept: "+reason(err))
		}
	}
	if e.there == nil || len(news) == 0 {
		return nil, nil
	}
	return map[string]any{"secrets": news}, nil
}

// lacks reports whether a secret did not come with the documents.
func (w *work) lacks(wanted map[string]string) bool {
	for name := range wanted {
		if _, ok := w.Secrets[name]; !ok {
			return true
		}
	}
	return false
}

// secretsIn gives the names of the secrets in a config, each with the path of the first text that names it.
func secretsIn(config json.RawMessage) map[string]string {
	var v any
	found := map[string]string{}
	if json.Unmarshal(config, &v) == nil {
		walk(v, "", func(text, path string) {
			for _, m := range manifest.Reference.FindAllStringSubmatch(text, -1) {
				if _, ok := found[m[1]]; !ok {
					found[m[1]] = path
				}
			}
		})
	}
	return found
}

// walk calls each with every text of a value, names included.
func walk(v any, path string, each func(text, path string)) {
	switch v := v.(type) {
	case string:
		each(v, path)
	case []any:
		for i, item := range v {
			walk(item, path+"."+strconv.Itoa(i), each)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			each(name, path)
			walk(v[name], path+"."+name, each)
		}
	}
}
