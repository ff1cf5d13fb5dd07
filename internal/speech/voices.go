package speech

import (
	"bytes"
	"cmp"
	_ "embed" // the table is a file
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed voices.yaml
var builtinVoicesYAML []byte

// voiceTable maps the names of voices and models that agents choose to the engines' own names.
type voiceTable struct {
	Voices engineNames `yaml:"voices"`
	Models engineNames `yaml:"models"`
}

// engineNames are the engines' own names, by an agent's name in lower case and by engine.
type engineNames map[string]map[string]string

const defaultRow = "default"

// loadVoices reads the built-in table and lays the operator's file over it, where there is one.
func loadVoices(c Config) (*voiceTable, error) {
	t, err := readVoices(builtinVoicesYAML)
	if err != nil || c.VoicesFile == "" {
		return t, err
	}
	text, err := os.ReadFile(c.VoicesFile)
	if err != nil {
		return nil, fmt.Errorf("voices: %w", err)
	}
	own, err := readVoices(text)
	if err == nil {
		err = own.checkEngines(c)
	}
	if err != nil {
		return nil, fmt.Errorf("voices %s: %w", c.VoicesFile, err)
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
	t.Voices, t.Models = t.Voices.lowerKeys(), t.Models.lowerKeys()
	return &t, nil
}

// checkEngines checks that the rows name engines that there are. A program that understands speech has one model.
func (t *voiceTable) checkEngines(c Config) error {
	var voiceEngines, modelEngines []string
	for _, e := range c.Synthesizers {
		voiceEngines = append(voiceEngines, e.Name)
	}
	for _, e := range c.Transcribers {
		if e.Program == "" {
			modelEngines = append(modelEngines, e.Name)
		}
	}
	return errors.Join(t.Voices.checkEngines("voices", voiceEngines), t.Models.checkEngines("models", modelEngines))
}

func (n engineNames) checkEngines(part string, engines []string) error {
	var faults []error
	for name, row := range n {
		for engine := range row {
			if !slices.Contains(engines, engine) {
				faults = append(faults, fmt.Errorf("%s: %s: no engine is named %q; there are %s", part, name, engine,
					strings.Join(engines, ", ")))
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
		maps.Copy(n[name], row)
	}
}

// nameFor returns the engine's own name for an agent's.
func (n engineNames) nameFor(engine, name string) string {
	return cmp.Or(n[strings.ToLower(name)][engine], n[defaultRow][engine])
}
