package cmdline

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// program is a command line with settings of each kind.
type program struct {
	Data  string `env:"T_DATA" default:"./data"`
	Serve struct {
		Listen  string            `env:"T_LISTEN" default:"127.0.0.1:8080"`
		Limit   int               `env:"T_LIMIT" default:"100"`
		Drain   time.Duration     `env:"T_DRAIN" default:"25s"`
		Trust   bool              `env:"T_TRUST"`
		Allow   []string          `env:"T_ALLOW" default:"auto"`
		Models  map[string]string `env:"T_MODELS" mapsep:","`
		Verbose bool
	} `cmd:""`
	List struct {
		Limit int
	} `cmd:""`
}

// parse parses a command line with a file of settings and an environment, and returns the faults of the file.
func parse(t *testing.T, file string, variables map[string]string, args ...string) (*program, *SettingsFile, []Fault,
	error) {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value)
	}
	p := &program{}
	parser, err := kong.New(p)
	if err != nil {
		t.Fatal(err)
	}
	settings, faults := ReadSettings("parley.yaml", []byte(file), parser.Model.Node, []string{"data"},
		func(name string) bool { return variables[name] != "" })
	if err := kong.Resolvers(settings).Apply(parser); err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return p, settings, faults, err
}

// A flag wins over the environment, the environment over the file, and the file over the default.
func TestPrecedenceOfSettings(t *testing.T) {
	p, settings, faults, err := parse(t, "# by hand\nlisten: :9000\nlimit: 7\ndrain: 3s\ntrust: true\n"+
		"allow: [10.0.0.0/8, 192.168.0.0/16]\nmodels: {auto: llama, big: qwen}\n",
		map[string]string{"T_LIMIT": "8", "T_DRAIN": "9s"}, "serve", "--drain", "1s")
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	s := p.Serve
	if s.Listen != ":9000" || s.Limit != 8 || s.Drain != time.Second || !s.Trust || p.Data != "./data" {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(s.Allow, []string{"10.0.0.0/8", "192.168.0.0/16"}) ||
		!maps.Equal(s.Models, map[string]string{"auto": "llama", "big": "qwen"}) {
		t.Errorf("lists: %+v", s)
	}
	for flag, want := range map[string]string{"listen": "parley.yaml:2", "limit": "", "drain": "", "data": ""} {
		if got := settings.Place(flag); got != want {
			t.Errorf("%s is from %q, want %q", flag, got, want)
		}
	}
}

func TestListsMayBeTexts(t *testing.T) {
	p, _, faults, err := parse(t, "allow: 10.0.0.0/8,192.168.0.0/16\nmodels: auto=llama,big=qwen\nlisten:\n", nil, "serve")
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	if len(p.Serve.Allow) != 2 || len(p.Serve.Models) != 2 || p.Serve.Listen != "127.0.0.1:8080" {
		t.Errorf("%+v", p.Serve)
	}
}

// A flag of the same name that is no setting does not take its value from the file.
func TestOnlySettingsComeFromTheFile(t *testing.T) {
	p, _, _, err := parse(t, "limit: 7\n", nil, "list")
	if err != nil || p.List.Limit != 0 {
		t.Errorf("%+v, %v", p.List, err)
	}
}

func TestFaultsOfSettings(t *testing.T) {
	for file, want := range map[string]Fault{
		"limit: 1\nlisen: :9\n":         {2, `"lisen" is no setting; the nearest one is "listen"`},
		"PARLEY_LISTEN: :9\n":           {1, `"PARLEY_LISTEN" is no setting; the nearest one is "listen"`},
		"verbose: true\n":               {1, `"verbose" is no setting; the nearest one is "`},
		"data: ./x\n":                   {1, `"data" is no setting; the nearest one is "drain"`},
		"limit: 1\n\nlimit: 2\n":        {3, `"limit" is in line 1 already`},
		"limit: [1]\n":                  {1, `"limit" must be one value`},
		"allow: {a: b}\n":               {1, `"allow" must be a text or a list of texts`},
		"models: [a]\n":                 {1, `"models" must be a text or a map of texts`},
		"- listen\n":                    {1, `holds no settings such as "listen: 127.0.0.1:8080"`},
		"listen: 'never closed\nx: 1\n": {0, "is not YAML: "},
	} {
		_, _, faults, _ := parse(t, file, nil, "serve")
		if len(faults) != 1 || faults[0].Line != want.Line || !strings.HasPrefix(faults[0].Text, want.Text) {
			t.Errorf("%q: %+v, want %+v", file, faults, want)
		}
	}
	for _, file := range []string{"", "# nothing\n", "---\n"} {
		if _, _, faults, err := parse(t, file, nil, "serve"); err != nil || len(faults) > 0 {
			t.Errorf("%q: %v, %v", file, faults, err)
		}
	}
}

// A value that a flag refuses is reported by its place in the file, and only if the flag has it from there.
func TestFaultsOfValuesHaveTheirPlace(t *testing.T) {
	_, settings, _, err := parse(t, "\nlimit: many\n", nil, "serve")
	if err == nil || !strings.HasPrefix(settings.Locate(err.Error()), "parley.yaml:2: limit: expected") {
		t.Errorf("%v", err)
	}
	message := "--limit (T_LIMIT): 0 is not above 0\n--drain: below 0"
	want := "parley.yaml:2: limit: 0 is not above 0\n--drain: below 0"
	if diff := cmp.Diff(want, settings.Locate(message)); diff != "" {
		t.Error(diff)
	}
	var none *SettingsFile
	if none.Locate(message) != message || none.Text("limit") != "" {
		t.Error("without a file something changes")
	}
}

// Nothing in a text is a request of the formatter.
func TestRoffIsEscaped(t *testing.T) {
	for text, want := range map[string]string{".TH x": `\&.TH x`, "'x": `\&'x`, `a\b --c`: `a\eb \-\-c`} {
		if got := escapeRoff(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
