package metrics_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"parley/docs"
)

const (
	rulesFile     = "../../deploy/monitoring/parley.rules.yml"
	dashboardFile = "../../deploy/monitoring/parley.dashboard.json"
)

// labelValues are the labels of a metric with the values that are shown.
type labelValues map[string][]string

// shownMetrics returns the metrics that Prometheus reads, by the names that its expressions use. Every label may also
// be one that Prometheus sets.
func shownMetrics(t *testing.T) map[string]labelValues {
	t.Helper()
	m := newMetrics()
	for _, status := range []int{200, 404, 500} {
		m.Requests.Observe("GET", "/api/v2/agents", status, 0)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(renderMetrics(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]labelValues{"up": {}}
	for name, f := range families {
		labels := labelValues{}
		for _, series := range f.GetMetric() {
			for _, l := range series.GetLabel() {
				labels[l.GetName()] = append(labels[l.GetName()], l.GetValue())
			}
			if series.GetHistogram() != nil {
				labels["le"] = nil
				all[name+"_bucket"], all[name+"_sum"], all[name+"_count"] = labels, labels, labels
			}
		}
		all[name] = labels
	}
	return all
}

// expression is what a file asks Prometheus, with the texts that name labels of its result.
type expression struct{ where, text, legend string }

func alertExpressions(t *testing.T) (list []expression) {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	text, err := os.ReadFile(rulesFile)
	if err == nil {
		err = yaml.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			list = append(list, expression{r.Alert, r.Expr, r.Annotations["summary"]})
			if r.Alert == "" || r.Annotations["summary"] == "" {
				t.Errorf("an alert without a name or a summary: %+v", r)
			}
		}
	}
	return list
}

func dashboardExpressions(t *testing.T) (list []expression) {
	t.Helper()
	var file struct {
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
		Panels []struct {
			ID          int
			Type, Title string
			Targets     []struct{ Expr, LegendFormat string }
		}
	}
	text, err := os.ReadFile(dashboardFile)
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Templating.List {
		if m := variablePattern.FindStringSubmatch(v.Query); m != nil {
			list = append(list, expression{"$" + v.Name, m[1], "{{" + m[2] + "}}"})
		} else if v.Type == "query" {
			t.Errorf("the variable %s is not understood: %s", v.Name, v.Query)
		}
	}
	isTaken := map[int]bool{}
	for _, p := range file.Panels {
		for _, target := range p.Targets {
			list = append(list, expression{p.Title, target.Expr, target.LegendFormat})
		}
		if isTaken[p.ID] || len(p.Targets) == 0 && p.Type != "row" {
			t.Errorf("the panel %q has no number of its own, or shows nothing", p.Title)
		}
		isTaken[p.ID] = true
	}
	return list
}

var (
	variablePattern = regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`)
	groupingPattern = regexp.MustCompile(`\bby \(([^)]*)\)`)
	rangePattern    = regexp.MustCompile(`\[[^\]]*\]`)
	selectorPattern = regexp.MustCompile(`([a-zA-Z_]\w*)(\s*\(|\{[^}]*\})?`)
	matcherPattern  = regexp.MustCompile(`(\w+)(=~|=)"([^"]*)"`)
	templatePattern = regexp.MustCompile(`\{\{ ?(?:\$labels\.)?(\w+) ?\}\}`)
)

// Labels that Prometheus sets, and functions that are used.
var (
	targetLabels = []string{"job", "instance"}
	functions    = []string{"sum", "max", "topk", "rate", "increase", "delta", "changes", "histogram_quantile"}
)

// problems lists what an expression names that is not there: metrics, labels and their values.
func (e expression) problems(shown map[string]labelValues) (list []string) {
	text := rangePattern.ReplaceAllString(groupingPattern.ReplaceAllString(e.text, ""), "")
	known, hasMetric := slices.Clone(targetLabels), false
	for _, m := range selectorPattern.FindAllStringSubmatch(text, -1) {
		name, rest := m[1], m[2]
		labels, isShown := shown[name]
		isFunction := strings.HasSuffix(rest, "(")
		hasMetric = hasMetric || !isFunction
		switch {
		case isFunction && !slices.Contains(functions, name):
			list = append(list, "the function "+name+" is not known here")
		case !isFunction && !isShown:
			list = append(list, "there is no metric "+name)
		case !isFunction:
			known = slices.AppendSeq(known, maps.Keys(labels))
			list = append(list, labels.problems(name, rest)...)
		}
	}
	if !hasMetric {
		list = append(list, "no metric is named")
	}
	for _, label := range e.namedLabels() {
		if !slices.Contains(known, label) {
			list = append(list, "there is no label "+label)
		}
	}
	return list
}

// namedLabels lists the labels by which an expression groups and which its legend names.
func (e expression) namedLabels() (list []string) {
	for _, m := range groupingPattern.FindAllStringSubmatch(e.text, -1) {
		list = append(list, strings.Split(m[1], ", ")...)
	}
	for _, m := range templatePattern.FindAllStringSubmatch(e.legend, -1) {
		list = append(list, m[1])
	}
	return list
}

// problems lists what the matchers of a metric name that is not there.
func (l labelValues) problems(metric, matchers string) (list []string) {
	for _, m := range matcherPattern.FindAllStringSubmatch(matchers, -1) {
		label, pattern := m[1], m[3]
		values, isShown := l[label]
		if !isShown && !slices.Contains(targetLabels, label) {
			list = append(list, metric+" has no label "+label)
		}
		for value := range strings.SplitSeq(pattern, "|") {
			if isShown && !slices.Contains(values, value) {
				list = append(list, metric+" never has the "+label+" "+value)
			}
		}
	}
	return list
}

// Every metric, label and value of a label that the alerts and the dashboard name is one that the program shows, and
// each metric of ours is of use to one of them.
func TestMonitoringNamesOnlyWhatIsShown(t *testing.T) {
	shown := shownMetrics(t)
	alerts, panels := alertExpressions(t), dashboardExpressions(t)
	if len(alerts) < 10 || len(panels) < 20 {
		t.Errorf("only %d alerts and %d expressions of panels are found", len(alerts), len(panels))
	}
	var all strings.Builder
	for _, e := range slices.Concat(alerts, panels) {
		for _, problem := range e.problems(shown) {
			t.Errorf("%s: %s", e.where, problem)
		}
		all.WriteString(e.text + "\n")
	}
	for name := range shown {
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if strings.HasPrefix(name, "parley_") && !strings.Contains(all.String(), name) {
			t.Errorf("neither an alert nor the dashboard shows %s", name)
		}
	}
}

// The manual says of each alert what to do.
func TestManualListsEveryAlert(t *testing.T) {
	page, err := docs.Manual.ReadFile("manual/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range alertExpressions(t) {
		if !strings.Contains(string(page), "| `"+e.where+"` |") {
			t.Errorf("monitoring.md lacks a row for %s", e.where)
		}
	}
}

// What is not there is found: else the test above could pass by reading nothing.
func TestWrongExpressionsAreFound(t *testing.T) {
	shown := shownMetrics(t)
	for _, e := range []expression{
		{"metric", "rate(parley_turn_total[5m])", ""},
		{"label", `parley_jobs{kind="dead"}`, ""},
		{"value", `parley_jobs{state="lost"}`, ""},
		{"grouping", "sum by (lane) (parley_jobs)", ""},
		{"legend", "parley_jobs", "{{lane}}"},
		{"function", "mean(parley_jobs)", ""},
		{"nothing", "1 > 0", ""},
	} {
		if len(e.problems(shown)) != 1 {
			t.Errorf("%s: %s has the problems %q", e.where, e.text, e.problems(shown))
		}
	}
}

// Prometheus itself reads the rules, where it is installed.
func TestPrometheusReadsTheRules(t *testing.T) {
	program, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIP: no promtool, which is in Debian's package prometheus: ", err)
	}
	if out, err := exec.CommandContext(t.Context(), program, "check", "rules", rulesFile).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
