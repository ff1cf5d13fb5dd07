package cmdline

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// SettingsFile is a file of settings in YAML: a value for each, by the name of its flag. It resolves flags that the
// command line and the environment leave open. A nil file has no settings.
type SettingsFile struct {
	name     string
	settings map[string]fileSetting
	isSet    func(variable string) bool
	used     map[string]bool // the flags that have their value from the file
}

type fileSetting struct {
	line  int
	value any // a text, a list of texts or a map of texts, as kong takes them
}

// Fault says what is wrong with a line of a file; line 0 is the file as a whole.
type Fault struct {
	Line int
	Text string
}

// ReadSettings reads a file of settings. Each flag below root that has an environment variable is one, but for those
// that are left out. isSet reports whether the environment has a variable.
func ReadSettings(name string, content []byte, root *kong.Node, leftOut []string,
	isSet func(variable string) bool) (*SettingsFile, []Fault) {
	f := &SettingsFile{name: name, settings: map[string]fileSetting{}, isSet: isSet, used: map[string]bool{}}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return f, []Fault{{Text: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}}
	}
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		return f, nil
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return f, []Fault{{top.Line, `holds no settings such as "listen: 127.0.0.1:8080"`}}
	}
	known := settingFlags(root)
	for _, name := range leftOut {
		delete(known, name)
	}
	return f, f.addSettings(top.Content, known)
}

// settingFlags returns the flags of a command and of those below it that have an environment variable, by their names.
func settingFlags(n *kong.Node) map[string]*kong.Flag {
	found := map[string]*kong.Flag{}
	for _, flag := range n.Flags {
		if len(flag.Envs) > 0 {
			found[flag.Name] = flag
		}
	}
	for _, child := range n.Children {
		maps.Copy(found, settingFlags(child))
	}
	return found
}

// sortedSettings returns the settings of a program by their names.
func sortedSettings(program *kong.Node) []*kong.Flag {
	flags := settingFlags(program)
	list := make([]*kong.Flag, 0, len(flags))
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		list = append(list, flags[name])
	}
	return list
}

// addSettings adds the settings of a mapping, which is keys and values in turn.
func (f *SettingsFile) addSettings(pairs []*yaml.Node, known map[string]*kong.Flag) (faults []Fault) {
	for i := 0; i+1 < len(pairs); i += 2 {
		key, node := pairs[i], pairs[i+1]
		flag, isKnown := known[key.Value]
		if !isKnown {
			faults = append(faults, Fault{key.Line, fmt.Sprintf("%q is no setting; the nearest one is %q", key.Value,
				nearest(key.Value, slices.Sorted(maps.Keys(known))))})
			continue
		}
		if before, isThere := f.settings[key.Value]; isThere {
			faults = append(faults, Fault{key.Line, fmt.Sprintf("%q is in line %d already", key.Value, before.line)})
			continue
		}
		value, fault := settingValue(flag, node)
		if fault != "" {
			faults = append(faults, Fault{key.Line, fmt.Sprintf("%q %s", key.Value, fault)})
			continue
		}
		if value != "" { // as in the environment, an empty one is not set
			f.settings[key.Value] = fileSetting{key.Line, value}
		}
	}
	return faults
}

// settingValue returns a value as kong takes it, or what is wrong with it.
func settingValue(flag *kong.Flag, node *yaml.Node) (value any, fault string) {
	var list []string
	var table map[string]string
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return "", ""
	case node.Kind == yaml.ScalarNode:
		return node.Value, ""
	case node.Kind == yaml.SequenceNode && flag.IsSlice() && node.Decode(&list) == nil:
		values := make([]any, len(list))
		for i := range list {
			values[i] = list[i]
		}
		return values, ""
	case node.Kind == yaml.MappingNode && flag.IsMap() && node.Decode(&table) == nil:
		values := map[string]any{}
		for name, text := range table {
			values[name] = text
		}
		return values, ""
	case flag.IsSlice():
		return nil, "must be a text or a list of texts"
	case flag.IsMap():
		return nil, "must be a text or a map of texts"
	}
	return nil, "must be one value"
}

// Resolve implements kong.Resolver.
func (f *SettingsFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	s, isThere := f.settings[flag.Name]
	if !isThere || len(flag.Envs) == 0 || slices.ContainsFunc(flag.Envs, f.isSet) {
		return nil, nil
	}
	f.used[flag.Name] = true
	return s.value, nil
}

// Validate implements kong.Resolver.
func (f *SettingsFile) Validate(*kong.Application) error { return nil }

// Text returns the value of a setting that is a text; empty if it is not set.
func (f *SettingsFile) Text(flag string) string {
	if f == nil {
		return ""
	}
	text, _ := f.settings[flag].value.(string)
	return text
}

// Place returns the file and the line that a flag has its value from; empty if it has it from elsewhere.
func (f *SettingsFile) Place(flag string) string {
	if f == nil || !f.used[flag] {
		return ""
	}
	return f.PlaceOf(f.settings[flag].line)
}

// PlaceOf returns FILE:LINE.
func (f *SettingsFile) PlaceOf(line int) string {
	if line == 0 {
		return f.name
	}
	return f.name + ":" + strconv.Itoa(line)
}

var flagPattern = regexp.MustCompile(`(?m)^--([a-z0-9-]+)[^:\n]*:`)

// Locate returns a message about flags, each at the beginning of a line, with the place of each that comes from the
// file.
func (f *SettingsFile) Locate(message string) string {
	return flagPattern.ReplaceAllStringFunc(message, func(found string) string {
		name := flagPattern.FindStringSubmatch(found)[1]
		if place := f.Place(name); place != "" {
			return place + ": " + name + ":"
		}
		return found
	})
}

// nearest returns the name that needs the fewest changes of characters to become the word of the file, which may
// be that of a variable.
func nearest(text string, names []string) string {
	word := strings.ReplaceAll(strings.ToLower(text), "_", "-")
	word = strings.TrimPrefix(strings.TrimPrefix(word, "--"), "parley-")
	return slices.MinFunc(names, func(a, b string) int { return editDistance(word, a) - editDistance(word, b) })
}

// editDistance returns how many bytes have to be added, removed or replaced to make one word of another.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
