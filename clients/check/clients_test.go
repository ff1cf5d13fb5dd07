package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// generators are the tools for Go, each with the arguments with which it generates the package client.
var generators = map[string]func(document, to string) []string{
	"oapi-codegen": func(document, to string) []string {
		return []string{"-generate", "types,client", "-package", "client", "-o", filepath.Join(to, "client.go"), document}
	},
	"ogen": func(document, to string) []string {
		return []string{"-config", "testdata/ogen/ogen.yml", "-loglevel", "error", "-package", "client", "-target", to,
			document}
	},
}

// TestGeneratedClients checks that what each tool generates from /openapi.json compiles and works with the server.
func TestGeneratedClients(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	document := filepath.Join(t.TempDir(), "openapi.json")
	write(t, document, get(t, s.url+"/openapi.json"))
	for tool := range generators {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			dir := generate(t, tool, document)
			talker, err := os.ReadFile(filepath.Join("testdata", tool, "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "main.go"), talker)
			run(t, dir, "go", "build", "-trimpath", "-o", "talker", ".")
			run(t, dir, "./talker", s.url+"/api/v2", s.key)
		})
	}
}

// TestGeneratedClientsOfVersion1 checks that what each tool generates from the document of version 1 compiles.
func TestGeneratedClientsOfVersion1(t *testing.T) {
	t.Parallel()
	document, err := filepath.Abs("../../internal/api/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	for tool := range generators {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			run(t, generate(t, tool, document), "go", "build", "-trimpath", "./client")
		})
	}
}

// goClient is the path of the module in clients/go.
const goClient = "parley/client"

// TestGoClient checks that a program outside of the repository can be built with the client for Go and talk to the
// server. Its module requires nothing else.
func TestGoClient(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	folder, err := filepath.Abs("../go")
	if err != nil {
		t.Fatal(err)
	}
	talker, err := os.ReadFile("testdata/go/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), talker)
	write(t, filepath.Join(dir, "go.mod"), []byte("module talker\n\ngo 1.26\n\nrequire "+goClient+" v0.0.0\n\nreplace "+
		goClient+" => "+folder+"\n"))
	run(t, dir, "go", "build", "-trimpath", "-o", "talker", ".")
	run(t, dir, "./talker", s.url, s.key)
}

// generate creates a module with the package client. It requires the same modules as this one.
func generate(t *testing.T, tool, document string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), text)
	}
	to := filepath.Join(dir, "client")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, ".", "go", append([]string{"tool", tool}, generators[tool](document, to)...)...)
	return dir
}

func get(t *testing.T, url string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", url, resp.Status, err)
	}
	return text
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run returns what a command prints. If the command fails, the test stops.
func run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var complaint bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, complaint.Bytes())
	}
	return out
}

type server struct{ url, key string }

// startServer runs the program on a data directory of its own until the test ends. PARLEY_PROGRAM names one that is
// built already.
func startServer(t *testing.T) server {
	t.Helper()
	program := os.Getenv("PARLEY_PROGRAM")
	if program == "" {
		program = filepath.Join(t.TempDir(), "parley")
		run(t, "../..", "go", "build", "-o", program, "./cmd/parley")
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"PARLEY_DATA=" + filepath.Join(t.TempDir(), "data")}
	serve := exec.CommandContext(t.Context(), program, "serve", "--listen", "127.0.0.1:0", "--rate-limit", "100000",
		"--json")
	serve.Env = env
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Wait() }) // the test's context has ended it
	var ready struct{ URL string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		t.Fatalf("the server said %q: %v", line, err)
	}
	create := exec.CommandContext(t.Context(), program, "account", "create", "--name", "Tests", "--json")
	create.Env = env
	text, err := create.Output()
	var account struct{ APIKey string }
	if err == nil {
		err = json.Unmarshal(text, &account)
	}
	if err != nil {
		t.Fatalf("create an account: %s %v", text, err)
	}
	return server{ready.URL, account.APIKey}
}
