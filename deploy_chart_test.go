package parley_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// The chart's templates are filled in here by the few functions of Helm that they use: no Helm is needed.
func TestChart(t *testing.T) {
	settings := settingNames(t)
	database := map[string]any{"PARLEY_DATABASE_URL": "postgres://parley@db/parley"}
	for name, c := range map[string]struct {
		values map[string]any
		kinds  []string
	}{
		"as it comes": {nil, []string{"ConfigMap", "Secret", "Service", "Service", "StatefulSet"}},
		"everything": {map[string]any{"replicas": 3, "secrets": database, "podAnnotations": map[string]any{"a": "b"},
			"voice":            map[string]any{"hostPorts": true, "nodeIP": ""},
			"nodeSelector":     map[string]any{"disk": "fast"},
			"imagePullSecrets": []any{map[string]any{"name": "registry"}},
			"ingress": map[string]any{"enabled": true, "className": "nginx", "host": "agents.example.com",
				"tlsSecret": "certificate", "annotations": map[string]any{}, "archiveAnnotations": map[string]any{"a": "b"}},
			"metrics": map[string]any{"enabled": true, "port": 9191, "serviceMonitor": map[string]any{"enabled": true,
				"interval": "15s", "labels": map[string]any{"release": "prometheus"}}}},
			[]string{"ConfigMap", "Ingress", "Ingress", "Secret", "Service", "Service", "ServiceMonitor", "StatefulSet"}},
		"a secret of your own": {map[string]any{"existingSecret": "mine", "usesDatabase": true, "replicas": 2},
			[]string{"ConfigMap", "Service", "Service", "StatefulSet"}},
	} {
		objects, err := renderChart(t, c.values)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var kinds []string
		for _, o := range objects {
			kinds = append(kinds, o["kind"].(string))
			for _, env := range chartSettings(o) {
				if settings[env] == "" {
					t.Errorf("%s: %s sets %s, which is no setting", name, o["kind"], env)
				}
			}
		}
		if slices.Sort(kinds); !slices.Equal(kinds, c.kinds) {
			t.Errorf("%s: %v instead of %v", name, kinds, c.kinds)
		}
		checkSelectors(t, objects)
		checkProbes(t, objects)
		checkMonitor(t, objects)
	}
	if _, err := renderChart(t, map[string]any{"replicas": 2}); err == nil {
		t.Error("two servers are made without a database in common")
	}
}

// chartSettings returns the variables that an object sets for the server.
func chartSettings(object map[string]any) (names []string) {
	for _, table := range []string{"data", "stringData"} {
		values, _ := object[table].(map[string]any)
		names = slices.AppendSeq(names, maps.Keys(values))
	}
	if object["kind"] == "StatefulSet" {
		for _, env := range field[[]any](serverContainer(object), "env") {
			names = append(names, field[string](env, "name"))
		}
	}
	return names
}

func serverContainer(statefulSet map[string]any) any {
	return field[[]any](statefulSet, "spec", "template", "spec", "containers")[0]
}

// checkSelectors checks that services find the servers and their ports.
func checkSelectors(t *testing.T, objects []map[string]any) {
	t.Helper()
	var labels map[string]any
	var ports []string
	for _, o := range objects {
		if o["kind"] == "StatefulSet" {
			labels = field[map[string]any](o, "spec", "template", "metadata", "labels")
			for _, p := range field[[]any](serverContainer(o), "ports") {
				ports = append(ports, field[string](p, "name"))
			}
		}
	}
	for _, o := range objects {
		if o["kind"] != "Service" {
			continue
		}
		for key, value := range field[map[string]any](o, "spec", "selector") {
			if labels[key] != value {
				t.Errorf("a service looks for %s=%v, and the servers have %v", key, value, labels)
			}
		}
		for _, p := range field[[]any](o, "spec", "ports") {
			if to := field[string](p, "targetPort"); !slices.Contains(ports, to) {
				t.Errorf("a service leads to the port %s, and the servers have %v", to, ports)
			}
		}
	}
}

// checkMonitor checks that a ServiceMonitor finds a service with the port that it names.
func checkMonitor(t *testing.T, objects []map[string]any) {
	t.Helper()
	var ports []string
	for _, o := range objects {
		if o["kind"] != "Service" {
			continue
		}
		for _, p := range field[[]any](o, "spec", "ports") {
			ports = append(ports, field[string](p, "name"))
		}
	}
	for _, o := range objects {
		if o["kind"] != "ServiceMonitor" {
			continue
		}
		for _, e := range field[[]any](o, "spec", "endpoints") {
			if port := field[string](e, "port"); !slices.Contains(ports, port) {
				t.Errorf("metrics are read at the port %q, and the services have %v", port, ports)
			}
		}
	}
}

// checkProbes checks that a server which should get no requests gets none, and that it is not ended for that.
func checkProbes(t *testing.T, objects []map[string]any) {
	t.Helper()
	for _, o := range objects {
		if o["kind"] != "StatefulSet" {
			continue
		}
		for probe, want := range map[string]string{
			"startupProbe": "/api/v2/health", "livenessProbe": "/api/v2/health", "readinessProbe": "/readyz",
		} {
			if path := field[string](serverContainer(o), probe, "httpGet", "path"); path != want {
				t.Errorf("%s asks %q instead of %s", probe, path, want)
			}
		}
	}
}

// field returns what a decoded object holds at a path; the zero value if it is not there.
func field[T any](object any, path ...string) T {
	for _, name := range path {
		m, _ := object.(map[string]any)
		object = m[name]
	}
	v, _ := object.(T)
	return v
}

// renderChart fills in the templates of the chart and decodes the result. values replace those of values.yaml.
func renderChart(t *testing.T, values map[string]any) ([]map[string]any, error) {
	t.Helper()
	const folder = "deploy/helm/parley/"
	var chart struct {
		Name, Version string
		AppVersion    string `yaml:"appVersion"`
	}
	all := map[string]any{}
	if err := errors.Join(yaml.Unmarshal([]byte(readText(t, folder+"values.yaml")), &all),
		yaml.Unmarshal([]byte(readText(t, folder+"Chart.yaml")), &chart)); err != nil {
		t.Fatal(err)
	}
	if chart.AppVersion != programVersion(t) {
		t.Errorf("the chart is for version %q of the program", chart.AppVersion)
	}
	maps.Copy(all, values)
	data := map[string]any{"Values": all, "Chart": chart,
		"Release": map[string]any{"Name": "parley", "Namespace": "default", "Service": "Helm"}}
	files, err := filepath.Glob(folder + "templates/*")
	if err != nil {
		t.Fatal(err)
	}
	root := template.New("")
	root.Funcs(chartFunctions(root))
	for _, file := range files {
		if _, err := root.New(file).Parse(readText(t, file)); err != nil {
			t.Fatal(err)
		}
	}
	var objects []map[string]any
	for _, file := range files {
		var out bytes.Buffer
		if err := root.ExecuteTemplate(&out, file, data); err != nil {
			return nil, err
		}
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		more, err := decodeObjects(&out)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, more...)
	}
	return objects, nil
}

func decodeObjects(r io.Reader) (list []map[string]any, err error) {
	for decoder := yaml.NewDecoder(r); ; {
		var o map[string]any
		switch err := decoder.Decode(&o); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
		if o != nil {
			list = append(list, o)
		}
	}
}

// chartFunctions are functions of Helm, as far as the chart uses them.
func chartFunctions(root *template.Template) template.FuncMap {
	indent := func(n int, s string) string {
		return strings.Repeat(" ", n) + strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", n))
	}
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var out strings.Builder
			err := root.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"toYaml": func(v any) (string, error) {
			text, err := yaml.Marshal(v)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"nindent": func(n int, s string) string { return "\n" + indent(n, s) },
		"quote":   func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
		"default": func(preset, v any) any {
			if v == nil || v == "" {
				return preset
			}
			return v
		},
		"trunc":      func(n int, s string) string { return s[:min(n, len(s))] },
		"trimSuffix": func(suffix, s string) string { return strings.TrimSuffix(s, suffix) },
		"sha256sum":  func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) },
		"hasKey":     func(m map[string]any, key string) bool { _, ok := m[key]; return ok },
		"int":        func(v any) int { n, _ := v.(int); return n },
		"fail":       func(message string) (string, error) { return "", errors.New(message) },
	}
}
