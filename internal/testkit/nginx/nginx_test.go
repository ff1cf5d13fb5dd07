package nginx

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

// proxy is a running nginx.
type proxy struct {
	socket string
	client *http.Client
}

func (p *proxy) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", p.socket)
}

// startProxy starts nginx in front of a server, with the file of the manual; only its addresses are others.
func startProxy(t *testing.T, upstream string) *proxy {
	t.Helper()
	program, err := findNginx()
	if err != nil {
		t.Skip("SKIP: nginx is not installed")
	}
	folder := t.TempDir()
	p := &proxy{socket: filepath.Join(folder, "socket")}
	config := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(config, []byte(testConfig(t, folder, p.socket, upstream)), 0o600); err != nil {
		t.Fatal(err)
	}
	log, ended := new(bytes.Buffer), make(chan error, 1)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "-p", folder, "-c", config, "-e", "stderr")
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Log("nginx: ", log)
		}
	})
	p.client = &http.Client{Transport: &http.Transport{DialContext: p.dial}}
	t.Cleanup(p.client.CloseIdleConnections)
	testkit.Eventually(t, "nginx listens", func() bool {
		conn, err := p.dial(t.Context(), "", "")
		return err == nil && conn.Close() == nil
	})
	return p
}

// findNginx returns the program, which is often outside of the path of those who are not root.
func findNginx() (string, error) {
	if program, err := exec.LookPath("nginx"); err == nil {
		return program, nil
	}
	return exec.LookPath("/usr/sbin/nginx")
}

// testConfig returns the configuration of an nginx that writes to the folder only.
func testConfig(t *testing.T, folder, socket, upstream string) string {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/proxy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "ssl_certificate") {
			lines = append(lines, line)
		}
	}
	shown := strings.Join(lines, "")
	site := strings.NewReplacer("listen 443 ssl;", "listen unix:"+socket+";", "http://127.0.0.1:8080", upstream).
		Replace(shown)
	if site == shown || !strings.Contains(site, upstream) || !strings.Contains(site, socket) {
		t.Fatalf("the file of the manual has other addresses than this test knows:\n%s", shown)
	}
	folders := ""
	for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		folders += name + "_temp_path " + filepath.Join(folder, name) + ";\n"
	}
	return "daemon off;\nmaster_process off;\nerror_log stderr;\npid " + filepath.Join(folder, "pid") +
		";\nevents {}\nhttp {\naccess_log off;\n" + folders + site + "}\n"
}

// send sends a request through the proxy.
func (p *proxy) send(t *testing.T, path, key, contentType, body string) *http.Response {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // only against hanging
	t.Cleanup(stop)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://agents.example.com/api/v2"+path,
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
func TestStreamIsPassedOnAtOnce(t *testing.T) {
	barrier := scripted.NewBarrier()
	srv := testkit.Open(t, testkit.WithModel(scripted.New(scripted.Text("First "), scripted.Step{Barrier: barrier},
		scripted.Text("and last."), scripted.Stop())))
	agent, p := srv.NewAgent(t, srv.Key), startProxy(t, srv.URL)
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
func TestLargeFileIsPassedOn(t *testing.T) {
	srv := testkit.Open(t)
	agent, p := srv.NewAgent(t, srv.Key), startProxy(t, srv.URL)
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

// A WebSocket passes through in both directions. What answers it here is not Parley, whose media server needs a talk.
func TestWebSocketIsPassedOn(t *testing.T) {
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
	p := startProxy(t, upstream.URL)
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
