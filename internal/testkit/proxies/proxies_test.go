package proxies

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

// kind is a program that passes requests on.
type kind struct {
	name      string
	file      string   // of the manual
	programs  []string // where it may be
	arguments []string // FOLDER and CONFIG stand for paths
	configure func(t *testing.T, shown, folder, socket, upstream string) string
}

var kinds = []kind{
	// Only root has the folder of the second in its path.
	{"nginx", "nginx.conf", []string{"nginx", "/usr/sbin/nginx"},
		[]string{"-p", "FOLDER", "-c", "CONFIG", "-e", "stderr"}, configureNginx},
	{"caddy", "Caddyfile", []string{"caddy"}, []string{"run", "--adapter", "caddyfile", "--config", "CONFIG"},
		configureCaddy},
}

// forEachProxy runs the test for each program that is installed. start starts it in front of a server.
func forEachProxy(t *testing.T, test func(t *testing.T, start func(upstream string) *proxy)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			program, err := k.find()
			if err != nil {
				t.Skip("SKIP: ", k.name, " is not installed")
			}
			test(t, func(upstream string) *proxy { return k.start(t, program, upstream) })
		})
	}
}

func (k kind) find() (program string, err error) {
	for _, name := range k.programs {
		if program, err = exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", err
}

// proxy is a running proxy.
type proxy struct {
	socket string
	client *http.Client
}

func (p *proxy) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", p.socket)
}

// start starts a proxy in front of a server, with the file of the manual; only its addresses are others.
func (k kind) start(t *testing.T, program, upstream string) *proxy {
	t.Helper()
	folder := t.TempDir()
	p := &proxy{socket: filepath.Join(folder, "socket")}
	config := filepath.Join(folder, "config")
	shown, err := os.ReadFile(filepath.Join("../../../deploy/proxy", k.file))
	if err != nil {
		t.Fatal(err)
	}
	text := k.configure(t, string(shown), folder, p.socket, upstream)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var arguments []string
	for _, a := range k.arguments {
		arguments = append(arguments, strings.NewReplacer("FOLDER", folder, "CONFIG", config).Replace(a))
	}
	log, ended := new(bytes.Buffer), make(chan error, 1)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, arguments...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Log(k.name, ": ", log)
		}
	})
	p.client = &http.Client{Transport: &http.Transport{DialContext: p.dial}}
	t.Cleanup(p.client.CloseIdleConnections)
	testkit.Eventually(t, k.name+" listens", func() bool {
		conn, err := p.dial(t.Context(), "", "")
		return err == nil && conn.Close() == nil
	})
	return p
}

// replaceAddresses puts other addresses into a file of the manual, each of which must be there.
func replaceAddresses(t *testing.T, shown string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(shown, pairs[i]) {
			t.Fatalf("the file of the manual lacks %s, which this test knows:\n%s", pairs[i], shown)
		}
	}
	return strings.NewReplacer(pairs...).Replace(shown)
}

// configureNginx returns the configuration of an nginx that writes to the folder only.
func configureNginx(t *testing.T, shown, folder, socket, upstream string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(shown) {
		if !strings.Contains(line, "ssl_certificate") {
			lines = append(lines, line)
		}
	}
	site := replaceAddresses(t, strings.Join(lines, ""), "listen 443 ssl;", "listen unix:"+socket+";",
		"http://127.0.0.1:8080", upstream)
	folders := ""
	for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		folders += name + "_temp_path " + filepath.Join(folder, name) + ";\n"
	}
	return "daemon off;\nmaster_process off;\nerror_log stderr;\npid " + filepath.Join(folder, "pid") +
		";\nevents {}\nhttp {\naccess_log off;\n" + folders + site + "}\n"
}

// configureCaddy returns the configuration of a Caddy that gets no certificate.
func configureCaddy(t *testing.T, shown, _, socket, upstream string) string {
	t.Helper()
	return "{\nadmin off\nauto_https off\n}\n" + replaceAddresses(t, shown,
		"agents.example.com {\n", "http://agents.example.com {\nbind unix/"+socket+"\n",
		"127.0.0.1:8080", strings.TrimPrefix(upstream, "http://"))
}

// send sends a request to the interface through the proxy.
func (p *proxy) send(t *testing.T, path, key, contentType, body string) *http.Response {
	t.Helper()
	return p.post(t, "/api/v2"+path, key, contentType, body)
}

func (p *proxy) post(t *testing.T, path, key, contentType, body string) *http.Response {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // only against hanging
	t.Cleanup(stop)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://agents.example.com"+path,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", contentType)
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// The words of an answer arrive while the model still makes the next ones.
func TestStreamIsPassedOnAtOnce(t *testing.T) { forEachProxy(t, testStream) }

func testStream(t *testing.T, start func(upstream string) *proxy) {
	barrier := scripted.NewBarrier()
	srv := testkit.Open(t, testkit.WithModel(scripted.New(scripted.Text("First "), scripted.Step{Barrier: barrier},
		scripted.Text("and last."), scripted.Stop())))
	agent, p := srv.NewAgent(t, srv.Key), start(srv.URL)
	resp := p.send(t, "/agents/"+agent+"/chat", srv.Key, "application/json", `{"message": "Hello", "stream": true}`)
	lines, isReleased := bufio.NewScanner(resp.Body), false
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.Contains(line, `"delta":"First`):
			barrier.Release()
			isReleased = true
		case line == "data: [DONE]":
			if !isReleased {
				t.Error("the end came without the beginning")
			}
			return
		}
	}
	t.Errorf("the stream broke off: %v", lines.Err())
}

// A file that is larger than nginx takes by itself becomes a source.
func TestLargeFileIsPassedOn(t *testing.T) { forEachProxy(t, testLargeFile) }

func testLargeFile(t *testing.T, start func(upstream string) *proxy) {
	srv := testkit.Open(t)
	agent, p := srv.NewAgent(t, srv.Key), start(srv.URL)
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	file, err := parts.CreateFormFile("file", "hours.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("The shop opens at nine on weekdays.\n", 64<<10) // 2.3 MB
	if _, err := io.WriteString(file, text); err != nil || parts.Close() != nil {
		t.Fatal("write the form: ", err)
	}
	resp := p.send(t, "/agents/"+agent+"/sources", srv.Key, parts.FormDataContentType(), form.String())
	if resp.StatusCode != http.StatusCreated {
		body, err := io.ReadAll(resp.Body)
		t.Errorf("%d %s %v", resp.StatusCode, body, err)
	}
}

// An archive of an account is larger than anything else that is sent.
func TestArchiveIsPassedOn(t *testing.T) { forEachProxy(t, testArchive) }

func testArchive(t *testing.T, start func(upstream string) *proxy) {
	const size = 30 << 20
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if n, err := io.Copy(io.Discard, r.Body); n != size || err != nil {
			t.Errorf("%d bytes arrive: %v", n, err)
		}
	}))
	defer upstream.Close()
	p := start(upstream.URL)
	resp := p.post(t, "/console/api/v1/accounts/a/archive", "", "application/zip", strings.Repeat("x", size))
	if resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
}

// A WebSocket passes through in both directions. What answers it here is not Parley, whose media server needs a talk.
func TestWebSocketIsPassedOn(t *testing.T) { forEachProxy(t, testWebSocket) }

func testWebSocket(t *testing.T, start func(upstream string) *proxy) {
	upgrader := websocket.Upgrader{}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		kind, text, err := conn.ReadMessage()
		if err = errors.Join(err, conn.WriteMessage(kind, append(text, r.Host...))); err != nil {
			t.Error(err)
		}
	}))
	defer upstream.Close()
	p := start(upstream.URL)
	dialer := websocket.Dialer{NetDialContext: p.dial}
	conn, resp, err := dialer.DialContext(t.Context(), "ws://agents.example.com/rtc", nil)
	if err != nil {
		t.Fatal(resp, err)
	}
	defer func() { _ = errors.Join(resp.Body.Close(), conn.Close()) }()
	if err := conn.WriteMessage(websocket.TextMessage, []byte("hello ")); err != nil {
		t.Fatal(err)
	}
	if _, text, err := conn.ReadMessage(); err != nil || string(text) != "hello agents.example.com" {
		t.Errorf("%q %v", text, err)
	}
}

// What a client says of its own address and of how it came is not passed on: the server would believe it.
func TestForwardedHeadersAreReplaced(t *testing.T) { forEachProxy(t, testForwardedHeaders) }

func testForwardedHeaders(t *testing.T, start func(upstream string) *proxy) {
	const forged = "203.0.113.7"
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host+" "+strings.Join(r.Header.Values("X-Forwarded-For"), ","))
	}))
	defer upstream.Close()
	p := start(upstream.URL)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://agents.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", forged)
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || strings.Contains(string(text), forged) ||
		!strings.HasPrefix(string(text), "agents.example.com ") {
		t.Errorf("%q %v", text, err)
	}
}
