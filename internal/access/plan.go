package access

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley"
)

//go:embed plans.yaml
var builtInPlans []byte

// DefaultPlan is the plan of an account that names none.
const DefaultPlan = "unlimited"

// Plans are the plans of this installation, in the order of their file.
type Plans struct {
	names  []string
	byName map[string]parley.Plan
}

// Plan finds a plan by its name.
func (p *Plans) Plan(name string) (parley.Plan, bool) {
	plan, ok := p.byName[name]
	return plan, ok
}

// Names lists the plans.
func (p *Plans) Names() []string { return slices.Clone(p.names) }

// LoadPlans reads the plans in the file, or those inside the program when path is empty. The error names every fault of
// the file with its line.
func LoadPlans(path string) (*Plans, error) {
	text := builtInPlans
	if path != "" {
		var err error
		if text, err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("--plans (PARLEY_PLANS): %w; name a file of plans, or leave the setting out", err)
		}
	}
	p, err := parsePlans(text)
	if err != nil {
		return nil, fmt.Errorf("plans %s: %w", path, err)
	}
	return p, nil
}

var planName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

func parsePlans(text []byte) (*Plans, error) {
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode || len(root.Content[0].Content) == 0 {
		return nil, errors.New("a plans file is a list of names, each followed by what the plan holds")
	}
	p := &Plans{byName: map[string]parley.Plan{}}
	var f faults
	for key, value := range mappingPairs(root.Content[0]) {
		if !planName.MatchString(key.Value) {
			f.add(key, "a plan's name is made of a-z, 0-9, - and _, and begins with a letter")
		}
		if slices.Contains(p.names, key.Value) {
			f.add(key, "the plan %s is there twice", key.Value)
		}
		p.names = append(p.names, key.Value)
		p.byName[key.Value] = decodePlan(&f, key, value)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		f.list = append(f.list, errors.New("only one document is allowed"))
	}
	return p, errors.Join(f.list...)
}

// decodePlan reads one plan; what is wrong with it goes to the faults.
func decodePlan(f *faults, name, node *yaml.Node) parley.Plan {
	plan := parley.Plan{Name: name.Value}
	if node.Kind != yaml.MappingNode {
		f.add(name, "the plan %s holds nothing", name.Value)
		return plan
	}
	count := func(n *yaml.Node) *int { return decodeLimit(f, n, "a whole number or unlimited", strconv.Atoi) }
	required := map[string]func(*yaml.Node){
		"api":    func(n *yaml.Node) { f.decode(n, &plan.API, "true or false") },
		"voice":  func(n *yaml.Node) { f.decode(n, &plan.Voice, "true or false") },
		"gpt4":   func(n *yaml.Node) { f.decode(n, &plan.GPT4Models, "true or false") },
		"agents": func(n *yaml.Node) { plan.MaxAgents = count(n) },
		"storagePerAgent": func(n *yaml.Node) {
			plan.StoragePerAgent = decodeLimit(f, n, "bytes, KB, MB, GB or unlimited", parseBytes)
		},
		"creditsPerMonth": func(n *yaml.Node) {
			plan.CreditsPerMonth = decodeLimit(f, n, "credits or unlimited", parseCredits)
		},
		"creditsPerVoiceMinute": func(n *yaml.Node) {
			plan.CreditsPerVoiceMinute = decodeValue(f, n, "credits", parseCredits)
		},
	}
	optional := map[string]func(*yaml.Node){
		"voiceSessionsPerHour": func(n *yaml.Node) { plan.VoicePerHour = count(n) },
		"voiceSessionsPerDay":  func(n *yaml.Node) { plan.VoicePerDay = count(n) },
		"creditPrice": func(n *yaml.Node) {
			var err error
			if plan.CreditPrice, err = parsePrice(n.Value); err != nil {
				f.add(n, "%q is not a price, such as 0.02 EUR", n.Value)
			}
		},
	}
	for key, value := range mappingPairs(node) {
		read := required[key.Value]
		if read == nil {
			read = optional[key.Value]
		}
		if read == nil {
			f.add(key, "%s is not something a plan has, or is there twice", key.Value)
			continue
		}
		delete(required, key.Value)
		delete(optional, key.Value)
		read(value)
	}
	for _, missing := range slices.Sorted(maps.Keys(required)) {
		f.add(name, "the plan %s does not say %s", name.Value, missing)
	}
	return plan
}

// decodeLimit reads a number, or nil for unlimited.
func decodeLimit[T int | int64 | parley.Credits](f *faults, n *yaml.Node, want string,
	parse func(string) (T, error)) *T {
	if n.Value == "unlimited" {
		return nil
	}
	v := decodeValue(f, n, want, parse)
	return &v
}

func decodeValue[T int | int64 | parley.Credits](f *faults, n *yaml.Node, want string,
	parse func(string) (T, error)) T {
	v, err := parse(strings.ReplaceAll(n.Value, "_", ""))
	if err != nil || v < 0 || n.Kind != yaml.ScalarNode {
		f.add(n, "%q is not %s", n.Value, want)
	}
	return v
}

var byteUnits = map[string]int64{"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}

func parseBytes(s string) (int64, error) {
	digits := strings.TrimRight(s, " KMGB")
	unit, ok := byteUnits[strings.TrimSpace(s[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n > math.MaxInt64/unit {
		return 0, errors.New("not a size")
	}
	return n * unit, nil
}

func parseCredits(s string) (parley.Credits, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0 && n < 1e12) {
		return 0, errors.New("not a number of credits")
	}
	return parley.Credits(math.Round(n * float64(parley.Credit))), nil
}

var priceText = regexp.MustCompile(`^([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([A-Z]{3})$`)

func parsePrice(s string) (*parley.Price, error) {
	found := priceText.FindStringSubmatch(s)
	if found == nil {
		return nil, errors.New("not a price")
	}
	amount, err := strconv.ParseFloat(found[1], 64)
	return &parley.Price{Amount: amount, Currency: found[2]}, err
}

// faults collects all that is wrong with a file, so that it can be fixed at once.
type faults struct{ list []error }

func (f *faults) add(at *yaml.Node, format string, args ...any) {
	f.list = append(f.list, fmt.Errorf("line %d: "+format, append([]any{at.Line}, args...)...))
}

func (f *faults) decode(n *yaml.Node, into any, want string) {
	if n.Decode(into) != nil {
		f.add(n, "%q is not %s", n.Value, want)
	}
}

// mappingPairs walks a mapping's keys and values in the order of the file.
func mappingPairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}
