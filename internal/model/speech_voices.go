package model

import (
	"bytes"
	"cmp"
	_ "embed" // the table is a file
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed speech/voices.yaml
var builtinVoicesYAML []byte

// voiceTable tells by what name an engine knows a voice, or a server a model, that an agent has chosen.
type voiceTable struct {
	Voices engineNames `yaml:"voices"`
	Models engineNames `yaml:"models"`
}

// engineNames returns, by an agent's word in lower case and by engine, the engine's own word.
type engineNames map[string]map[string]string

const defaultRow = "default"

// loadVoices reads the built-in table and lays the operator's file over it, where there is one.
func loadVoices(path string) (*voiceTable, error) {
	t, err := readVoices(builtinVoicesYAML)
	if err != nil || path == "" {
		return t, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("voices: %w", err)
	}
	own, err := readVoices(text)
	if err != nil {
		return nil, fmt.Errorf("voices %s: %w", path, err)
	}
	t.Voices.overlay(own.Voices)
	t.Models.overlay(own.Models)
	return t, nil
}

func readVoices(text []byte) (*voiceTable, error) {
	var t voiceTable
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&t); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	err := errors.Join(t.Voices.checkEngines("voices", engineOpenAI, engineFlite, engineEspeak), t.Models.checkEngines("models", engineOpenAI, engineDeepgram))
	t.Voices, t.Models = t.Voices.lowerKeys(), t.Models.lowerKeys()
	return &t, err
}

func (n engineNames) checkEngines(part string, engines ...string) error {
	var faults []error
	for name, row := range n {
		for engine := range row {
			if !slices.Contains(engines, engine) {
				faults = append(faults, fmt.Errorf("%s: %s: no engine is named %q; there are %s", part, name, engine, strings.Join(engines, ", ")))
			}
		}
	}
	return errors.Join(faults...)
}

func (n engineNames) lowerKeys() engineNames {
	out := engineNames{}
	for name, row := range n {
		out[strings.ToLower(name)] = row
	}
	return out
}

// overlay puts rows over those that are there; what a row leaves out stays.
func (n engineNames) overlay(over engineNames) {
	for name, row := range over {
		if n[name] == nil {
			n[name] = map[string]string{}
		}
		for engine, word := range row {
			n[name][engine] = word
		}
	}
}

// nameFor returns the engine's word for an agent's.
func (n engineNames) nameFor(engine, name string) string {
	return cmp.Or(n[strings.ToLower(name)][engine], n[defaultRow][engine])
}
