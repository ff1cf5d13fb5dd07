package main

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"parley/internal/certs"
	"parley/internal/server"
	"parley/internal/voice/rtc"
)

type configCmd struct {
	server.ServingConfig
	server.ModelConfig
	server.VoiceConfig
}

// setting is one line of `parley config`.
type setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // default, env or flag
	Env    string `json:"env,omitempty"`
	Unused string `json:"unused,omitempty"` // why the setting has no effect in this program
}

func (configCmd) Run(p *process) error {
	list := fillDerivedAddresses(p.effectiveSettings())
	if !rtc.Available {
		markVoiceUnused(list)
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	return errors.Join(printRows(p, "SETTING\tVALUE\tFROM\tENVIRONMENT", "", list, func(s setting) []string {
		return []string{s.Name, s.Value, s.Origin, s.Env}
	}), p.printUnused(list))
}

// markVoiceUnused says of the settings of voice sessions that this program has none. Dictation has its own settings.
func markVoiceUnused(list []setting) {
	for i, s := range list {
		isOfSessions := strings.HasPrefix(s.Name, "voice-") && s.Name != "voice-map"
		if isOfSessions || strings.HasPrefix(s.Name, "livekit-") {
			list[i].Unused = rtc.ErrNoVoice.Error()
		}
	}
}

// printUnused prints which settings have no effect, and why.
func (p *process) printUnused(list []setting) error {
	names := map[string][]string{}
	for _, s := range list {
		if s.Unused != "" {
			names[s.Unused] = append(names[s.Unused], s.Name)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(names)) {
		if err := p.printf("\nWithout effect: %s, since %s.\n", strings.Join(names[reason], ", "), reason); err != nil {
			return err
		}
	}
	return nil
}

func (p *process) effectiveSettings() []setting {
	isGiven := map[*kong.Flag]bool{}
	for _, step := range p.kong.Path {
		if step.Flag != nil && !step.Resolved {
			isGiven[step.Flag] = true
		}
	}
	var list []setting
	for _, flag := range p.kong.Flags() {
		if len(flag.Envs) == 0 {
			continue
		}
		list = append(list, setting{
			Name:   flag.Name,
			Value:  formatSetting(flag, p.kong.FlagValue(flag)),
			Origin: settingOrigin(flag, isGiven[flag]),
			Env:    flag.Envs[0],
		})
	}
	return list
}

func settingOrigin(flag *kong.Flag, isGiven bool) string {
	if isGiven {
		return "flag"
	}
	if _, ok := os.LookupEnv(flag.Envs[0]); ok {
		return "env"
	}
	return "default"
}

func fillDerivedAddresses(list []setting) []setting {
	at := map[string]*setting{}
	for i := range list {
		at[list[i].Name] = &list[i]
	}
	tls := certs.TLSConfig{TLSCert: at["tls-cert"].Value}
	if domains := at["acme-domains"].Value; domains != "" {
		tls.ACMEDomains = strings.Split(domains, ",")
	}
	base := at["base-url"]
	if base.Value == "" {
		base.Value = listenURL(tls.Scheme(), at["listen"].Value)
	}
	if files := at["files-url"]; files.Value == "" {
		files.Value = base.Value
		if own := at["files-listen"].Value; own != "" {
			files.Value = listenURL(tls.Scheme(), own)
		}
	}
	return list
}

func listenURL(scheme, listen string) string {
	if strings.HasSuffix(listen, ":0") {
		return "the address listened on" // known when the server runs
	}
	return scheme + "://" + reachableAddress(listen)
}

// formatSetting formats a setting's value. A secret is replaced by asterisks.
func formatSetting(flag *kong.Flag, value any) string {
	text := fmt.Sprint(value)
	switch v := value.(type) {
	case map[string]string:
		text = formatMap(v)
	case []string:
		text = strings.Join(v, ",")
	}
	switch {
	case text == "" || !flag.Tag.Has("secret"):
		return text
	case flag.Tag.Get("secret") == "url":
		return withoutPassword(text)
	}
	return redacted
}

const redacted = "***"

// withoutPassword hides the secrets in a URL. It hides a text that is not a URL as a whole: a password may be anywhere
// in it.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return redacted
	}
	if _, ok := u.User.Password(); ok {
		u.User = url.UserPassword(u.User.Username(), redacted)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return redacted
	}
	for name := range query {
		if secretNamePattern.MatchString(name) {
			query.Set(name, redacted)
		}
	}
	u.RawQuery = query.Encode()
	return strings.ReplaceAll(u.String(), url.QueryEscape(redacted), redacted)
}

var secretNamePattern = regexp.MustCompile(`(?i)pass|key|token|secret`)
