package parley_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Whatever the files of deploy set is a setting of the program.
func TestDeployNamesOnlySettingsThatExist(t *testing.T) {
	settings, name := settingNames(t), regexp.MustCompile(`PARLEY_[A-Z0-9_]+`)
	seen := 0
	for _, file := range listFiles(t, "deploy", "Dockerfile") {
		text := readText(t, file)
		for _, env := range name.FindAllString(text, -1) {
			seen++
			if settings[env] == "" {
				t.Errorf("%s names %s, which is no setting", file, env)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d settings found", seen)
	}
}

// compose is what a compose file says.
type compose struct {
	Services map[string]struct {
		Image       string
		Environment map[string]string
		DependsOn   any `yaml:"depends_on"`
		Volumes     []string
		Ports       []string
	}
	Volumes map[string]any
}

func TestComposeFiles(t *testing.T) {
	settings, example := settingNames(t), readText(t, "deploy/compose/example.env")
	files, err := filepath.Glob("deploy/compose/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text := readText(t, file)
		var c compose
		decoder := yaml.NewDecoder(strings.NewReader(text))
		if err := decoder.Decode(&c); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		server := c.Services["parley"]
		if server.Image != "parley:"+programVersion(t) || len(server.Environment) == 0 {
			t.Errorf("%s runs %s with %v", file, server.Image, server.Environment)
		}
		for env := range server.Environment {
			if settings[env] == "" {
				t.Errorf("%s sets %s, which is no setting", file, env)
			}
		}
		c.check(t, file)
		for _, variable := range regexp.MustCompile(`\$\{([A-Z_]+)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(example, "\n"+variable[1]+"=") {
				t.Errorf("%s takes %s, which example.env lacks", file, variable[1])
			}
		}
	}
}

// check reports services and volumes that are named and not there.
func (c compose) check(t *testing.T, file string) {
	t.Helper()
	for name, s := range c.Services {
		var needed []string
		switch on := s.DependsOn.(type) {
		case []any:
			for _, other := range on {
				needed = append(needed, other.(string))
			}
		case map[string]any:
			for other := range on {
				needed = append(needed, other)
			}
		}
		for _, other := range needed {
			if _, ok := c.Services[other]; !ok {
				t.Errorf("%s: %s waits for %s, which is no service", file, name, other)
			}
		}
		for _, v := range s.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			if _, ok := c.Volumes[volume]; !ok {
				t.Errorf("%s: %s has the volume %s, which is not declared", file, name, volume)
			}
		}
	}
}

// programVersion returns the version that the program says it is.
func programVersion(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`\nconst version = "(.*)"`).FindStringSubmatch(readText(t, "cmd/parley/command_line.go"))
	if m == nil {
		t.Fatal("the program has no version")
	}
	return m[1]
}

// The container has what the Dockerfile copies: a program, certificates and its user.
func TestImageHasItsFiles(t *testing.T) {
	program, folder := filepath.Join(t.TempDir(), "program"), t.TempDir()
	if err := os.WriteFile(program, []byte("#!"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/etc/ssl/certs/ca-certificates.crt"); err != nil {
		t.Skip("SKIP: no certificates are installed: ", err)
	}
	if out, err := exec.CommandContext(t.Context(), "deploy/image-root", program, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dockerfile := readText(t, "Dockerfile")
	copied := regexp.MustCompile(`(?m)^COPY --from=build (?:--chown=\S+ )?/image(/\S+) (\S+)$`)
	list := copied.FindAllStringSubmatch(dockerfile, -1)
	if len(list) != 4 {
		t.Errorf("%d folders and files are copied: %q", len(list), list)
	}
	for _, m := range list {
		if _, err := os.Stat(folder + m[1]); err != nil || m[1] != m[2] {
			t.Errorf("%s is copied to %s: %v", m[1], m[2], err)
		}
	}
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindStringSubmatch(dockerfile)
	if user == nil || !strings.Contains(readText(t, folder+"/etc/passwd"), ":"+user[1]+":"+user[2]+":") {
		t.Errorf("the user %q is not in its passwd", user)
	}
	if hosts := readText(t, folder+"/etc/hosts"); !strings.Contains(hosts, "127.0.0.1 localhost\n") {
		t.Errorf("the health check does not find the server: %q", hosts)
	}
	if info, err := os.Stat(folder + "/parley"); err != nil || info.Mode().Perm() != 0o755 {
		t.Error("the program cannot be run: ", err)
	}
}

// systemd takes the unit as it is, and rates it as safe.
func TestUnitIsAccepted(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("SKIP: systemd-analyze is not installed")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := readText(t, "deploy/systemd/parley.service")
	unit := filepath.Join(t.TempDir(), "parley.service")
	text = strings.Replace(text, "ExecStart=/usr/bin/parley ", "ExecStart="+program+" ", 1)
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", unit).CombinedOutput()
	if bytes.Contains(out, []byte(filepath.Base(unit))) || err != nil {
		t.Errorf("systemd-analyze verify: %v: %s", err, out)
	}
	const maxExposure = "20" // of 100: 2.0 where systemd calls up to 1.9 safe and from 5 on medium
	out, err = exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--no-pager",
		"--threshold="+maxExposure, unit).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: %v: %s", err, out)
	}
}

// The manual shows the files for reverse proxies as they are, and the unit of the packages.
func TestManualShowsTheFilesOfDeploy(t *testing.T) {
	page := manualPage(t, "reverse-proxies.md")
	for _, file := range []string{"deploy/proxy/nginx.conf", "deploy/proxy/Caddyfile", "deploy/proxy/traefik.yaml"} {
		if !strings.Contains(page, "\n"+readText(t, file)+"```\n") {
			t.Errorf("reverse-proxies.md shows another %s", file)
		}
	}
	const unit = "deploy/systemd/parley.service"
	if !strings.Contains(manualPage(t, "hardening.md"), "\n```ini\n"+readText(t, unit)+"```\n") {
		t.Errorf("hardening.md shows another %s", unit)
	}
}

// What the scripts of the packages stage is what the packages hold.
func TestPackagesHoldWhatIsThere(t *testing.T) {
	var p struct {
		Contents []struct{ Src, Dst string }
		Scripts  map[string]string
	}
	if err := yaml.Unmarshal([]byte(readText(t, "deploy/packages/nfpm.yaml")), &p); err != nil {
		t.Fatal(err)
	}
	script := readText(t, ".ci/packages")
	for _, c := range p.Contents {
		if help, isHelp := strings.CutPrefix(c.Src, "dist/help/"); isHelp {
			if !strings.Contains(script, "dist/help/"+strings.TrimSuffix(help, filepath.Ext(help))) {
				t.Errorf("nothing makes %s", c.Src)
			}
			continue
		}
		name, _ := strings.CutPrefix(c.Src, "dist/stage/")
		places := []string{name, filepath.Join("deploy/systemd", name)}
		isThere := func(file string) bool { _, err := os.Stat(file); return err == nil }
		if name != "parley" && !slices.ContainsFunc(places, isThere) {
			t.Errorf("%s is nowhere", c.Src)
		}
	}
	for when, script := range p.Scripts {
		out, err := exec.CommandContext(t.Context(), "sh", "-n", script).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", when, err, out)
		}
	}
	if len(p.Contents) < 4 || len(p.Scripts) != 3 {
		t.Errorf("%+v", p)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
