package actions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"parley"
	"parley/internal/vault"
)

// SealSecrets encrypts the values that a config names as ${NAME}, by name, for Action.Secrets; no secrets are the empty
// string. Fails with VALIDATION_INVALID_BODY when the vault has no key.
func SealSecrets(v *vault.Vault, account parley.AccountID, secrets map[string]string) (string, error) {
	if len(secrets) == 0 {
		return "", nil
	}
	plain, err := json.Marshal(secrets)
	if err != nil {
		return "", err
	}
	return v.Seal(account, plain)
}

// OpenSecrets decrypts what SealSecrets encrypted. Fails with vault.ErrWrongKey.
func OpenSecrets(v *vault.Vault, account parley.AccountID, sealed string) (map[string]string, error) {
	secrets := map[string]string{}
	if sealed == "" {
		return secrets, nil
	}
	plain, err := v.Open(account, sealed)
	if err != nil {
		return nil, err
	}
	return secrets, json.Unmarshal(plain, &secrets)
}

// openActionSecrets decrypts an action's secrets for one call; all that its config names must be there.
func (t *Toolbox) openActionSecrets(a *parley.Action, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	secrets, err := OpenSecrets(t.Vault, a.AccountID, a.Secrets)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if secrets[name] == "" {
			return nil, fmt.Errorf("the secret %s was not given", name)
		}
	}
	return secrets, nil
}

const maxSecretBytes = 8000

// findSecrets returns the values of the secrets that a config names: those that were sent, else those that the action
// has had. These go to no other host than the one they were given for. Fails with VALIDATION_INVALID_BODY.
func (t *Toolbox) findSecrets(a, before *parley.Action, sent map[string]string) (map[string]string, error) {
	current, known, f := map[string]string{}, map[string]string{}, faults{}
	var unreadable error
	if before != nil {
		current, unreadable = OpenSecrets(t.Vault, before.AccountID, before.Secrets)
	}
	for _, name := range SecretNames(a.Config) {
		at := "secrets." + name
		known[name] = cmp.Or(sent[name], current[name])
		switch {
		case len(known[name]) > maxSecretBytes:
			f.add(at, "must have at most %d bytes", maxSecretBytes)
		case strings.ContainsFunc(known[name], isControl):
			f.add(at, "must be one line")
		case sent[name] != "":
		case unreadable != nil:
			f.add(at, "must be sent again: %v", unreadable)
		case known[name] == "":
			f.add(at, "is required")
		case requestOrigin(a) != requestOrigin(before):
			f.add(at, "must be sent again, since the address leads to another host")
		}
	}
	return known, parley.InvalidFields(f)
}

// noteSecrets returns who has given the secrets that a config names, and when. What was noted before of those that were
// not sent stays.
func noteSecrets(a, before *parley.Action, sent map[string]string, by string) map[string]parley.SecretNote {
	notes, noted := map[string]parley.SecretNote{}, map[string]parley.SecretNote{}
	if before != nil {
		noted = before.SecretNotes
	}
	for _, name := range SecretNames(a.Config) {
		if sent[name] != "" {
			notes[name] = parley.SecretNote{At: a.UpdatedAt, By: by}
		} else if note, ok := noted[name]; ok {
			notes[name] = note
		}
	}
	return notes
}

// requestOrigin returns the scheme, the host and the port of an http action's address.
func requestOrigin(a *parley.Action) string {
	var c struct{ URL string }
	if json.Unmarshal(a.Config, &c) != nil {
		return ""
	}
	return strings.ToLower(authority(c.URL))
}

const secretMask = "***"

// secretReplacer hides secrets in what came back: a server may repeat what it was sent, as it is or escaped.
func secretReplacer(secrets map[string]string) *strings.Replacer {
	var forms []string
	for _, s := range secrets {
		if len(s) >= 4 { // a shorter one would match parts of ordinary words
			forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s))
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, secretMask)
	}
	return strings.NewReplacer(pairs...)
}

func maskSecrets(value any, r *strings.Replacer) any {
	switch v := value.(type) {
	case string:
		return r.Replace(v)
	case json.Number:
		if s := r.Replace(v.String()); s != v.String() {
			return s
		}
	case []any:
		for i := range v {
			v[i] = maskSecrets(v[i], r)
		}
	case map[string]any:
		for _, key := range slices.Collect(maps.Keys(v)) {
			item := maskSecrets(v[key], r)
			delete(v, key)
			v[r.Replace(key)] = item
		}
	}
	return value
}

// StoredSecrets lists the names of the secrets that an action has values of. Those that cannot be opened any more are
// not among them.
func (t *Toolbox) StoredSecrets(a *parley.Action) []string {
	secrets, err := OpenSecrets(t.Vault, a.AccountID, a.Secrets)
	if err != nil {
		return []string{}
	}
	return append([]string{}, slices.Sorted(maps.Keys(secrets))...)
}
