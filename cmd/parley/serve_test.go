package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/ready"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// A stopping server waits for a running answer, and interrupts it after the drain timeout. In both cases the stream is
// complete.
func TestStoppingServerDrains(t *testing.T) {
	for _, c := range []struct {
		name, drain, ends string
		release           bool
	}{
		{"finishes", "20s", `"finishReason":"stop"`, true},
		{"is cut", "50ms", `"finishReason":"error"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			more := make(chan struct{})
			model := provider.Start(t, provider.AnswerAfterRelease(more, "One. ", "Two."))
			t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
			s := startServer(t, "serve", "--drain", c.drain, "--model-url", model.URL, "--model", "slow")
			key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
			_, agent := sendRequest(t, "POST", s.URL+"/api/v2/agents", key, `{"name":"Slow"}`)
			stream := openStream(t, s.URL+"/api/v2/agents/"+responseID(t, agent)+"/chat", key)
			s.stop()
			testkit.Eventually(t, "a closed listener", func() bool {
				res, err := http.Get(s.URL)
				if err == nil {
					_ = res.Body.Close()
				}
				return err != nil
			})
			if c.release {
				close(more)
			}
			rest, err := io.ReadAll(stream)
			if err != nil || !strings.Contains(string(rest), c.ends) || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
				t.Errorf("the stream ended with %v:\n%s", err, rest)
			}
			s.stopServer(t)
		})
	}
}

// openStream requests a streamed answer and reads its first text.
func openStream(t *testing.T, url, key string) io.Reader {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
		strings.NewReader(`{"message":"Count.","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	var seen string
	for buf := make([]byte, 512); !strings.Contains(seen, "One."); {
		n, err := res.Body.Read(buf)
		if seen += string(buf[:n]); err != nil {
			t.Fatalf("the stream began with %q: %v", seen, err)
		}
	}
	return res.Body
}

func responseID(t *testing.T, body string) string {
	t.Helper()
	var reply struct{ ID string }
	if err := json.Unmarshal([]byte(body), &reply); err != nil || reply.ID == "" {
		t.Fatalf("no id in %s: %v", body, err)
	}
	return reply.ID
}

// Files can be uploaded to an address of their own, and are read by child processes.
func TestUploadsOnAnotherAddress(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve", "--files-listen", "127.0.0.1:0")
	key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
	_, agent := sendRequest(t, "POST", s.URL+"/api/v2/agents", key, `{"name":"A"}`)
	if s.FilesURL == "" || s.FilesURL == s.URL {
		t.Fatalf("files go to %q, all else to %q", s.FilesURL, s.URL)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", "hours.csv")
	if err == nil {
		_, err = io.WriteString(part, "day,opens\nMonday,half past six\nTuesday,nine in the morning\n")
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	sources := "/api/v2/agents/" + responseID(t, agent) + "/sources"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.FilesURL+sources, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", w.FormDataContentType())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusCreated {
		t.Fatal(res.StatusCode, string(text), err)
	}
	testkit.Eventually(t, "a trained file", func() bool {
		_, got := sendRequest(t, "GET", s.URL+sources+"/"+responseID(t, string(text)), key, "")
		return strings.Contains(got, `"status":"trained"`)
	})
}

// Metrics are served on their own address only, without a key.
func TestMetricsOnAnotherAddress(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve", "--metrics-listen", "127.0.0.1:0")
	defer http.DefaultClient.CloseIdleConnections()
	var addresses struct{ MetricsURL string }
	if err := json.Unmarshal([]byte(s.out.String()), &addresses); err != nil {
		t.Fatal(err)
	}
	get := func(url string) (int, string) {
		t.Helper()
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	status, text := get(addresses.MetricsURL)
	for _, want := range []string{`version="` + version + `"`, "parley_database_up 1", "process_cpu_seconds_total",
		"go_goroutines"} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d: %s is not in\n%s", status, want, text)
		}
	}
	if status, _ := get(strings.TrimSuffix(addresses.MetricsURL, "metrics")); status != http.StatusNotFound {
		t.Error("beside the metrics: ", status)
	}
	if status, _ := get(s.URL + "/metrics"); status != http.StatusNotFound {
		t.Error("the public address: ", status)
	}
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "other"))
	taken := strings.TrimSuffix(strings.TrimPrefix(addresses.MetricsURL, "http://"), "/metrics")
	if status, _, errs := runCommand(t, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", taken); status != 1 ||
		!strings.Contains(errs, "--metrics-listen") {
		t.Errorf("an address that is taken: %d %s", status, errs)
	}
	if status, _, errs := runCommand(t, "serve", "--voice-max-sessions", "-1"); status != 2 ||
		!strings.Contains(errs, "--voice-max-sessions") {
		t.Errorf("a number below 0: %d %s", status, errs)
	}
}

// Maintenance begins and ends at once on a running server, and applies when a server starts.
func TestMaintenanceFromTheCommandLine(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
	requireState := func(command string, want bool) {
		t.Helper()
		if got := runJSON[admin.MaintenanceState](t, "maintenance", command); got.Enabled != want {
			t.Errorf("maintenance %s: %v", command, got.Enabled)
		}
	}
	requireState("status", false)
	requireState("on", true)
	requireState("status", true)
	s := startServer(t, "serve")
	status := func(want int) {
		t.Helper()
		if got, body := sendRequest(t, "GET", s.URL+"/api/v2/me", key, ""); got != want {
			t.Errorf("%d %s", got, body)
		}
	}
	status(http.StatusServiceUnavailable)
	requireState("off", false)
	status(http.StatusOK)
	requireState("on", true)
	status(http.StatusServiceUnavailable)
	if got, body := sendRequest(t, "GET", s.URL+"/openapi.json", "", ""); got != http.StatusOK {
		t.Errorf("%d %s", got, body)
	}
	requireState("off", false)
	requireState("status", false)
	if code, out, errs := runCommand(t, "maintenance", "status"); code != 0 || out != "Maintenance mode is off.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// An index can be rebuilt without a server, and with one that uses the old index meanwhile.
func TestReindex(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	indexed := func(want int64) {
		t.Helper()
		got := runJSON[[]reindexResult](t, "reindex")
		if len(got) != 1 || got[0].AccountID != created.AccountID || got[0].Conversations != want {
			t.Errorf("indexed %+v, want %d", got, want)
		}
	}
	indexed(0)
	s := startServer(t, "serve", "--rate-limit", "1000000") // it is asked until it has found
	_, body := sendRequest(t, "POST", s.URL+"/api/v2/agents", created.APIKey, `{"name": "Shop"}`)
	agent := s.URL + "/api/v2/agents/" + responseID(t, body)
	if status, body := sendRequest(t, "POST", agent+"/chat", created.APIKey,
		`{"message": "Where is the lighthouse?"}`); status != http.StatusOK {
		t.Fatal(status, body)
	}
	found := func() bool {
		_, body := sendRequest(t, "GET", agent+"/conversations/search?query=lighthouse", created.APIKey, "")
		return strings.Contains(body, "snippet")
	}
	testkit.Eventually(t, "found", found)
	indexed(1)
	if !found() {
		t.Error("not found any more")
	}
	if status, out, errs := runCommand(t, "reindex", "--account", created.AccountID); status != 0 ||
		out != "Indexed 1 conversation of 1 account.\n" {
		t.Error(status, out, errs)
	}
	if status, _, errs := runCommand(t, "reindex", "--account", "nobody"); status != 1 ||
		!strings.Contains(errs, "Account not found") {
		t.Error(status, errs)
	}
}

// awaitReadiness waits until a server says that it is ready, or why it is not.
func awaitReadiness(t *testing.T, url, want string) {
	t.Helper()
	defer http.DefaultClient.CloseIdleConnections()
	testkit.Eventually(t, want+" from "+url, func() bool {
		res, err := http.Get(url + ready.Path)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var reply ready.Reply
		return json.NewDecoder(res.Body).Decode(&reply) == nil && cmp.Or(reply.Reason, reply.Status) == want &&
			(res.StatusCode == http.StatusOK) == (want == "ready")
	})
}

// A server becomes ready, and says on the address of its metrics that it drains for as long as it finishes what runs.
func TestReadinessOfAServer(t *testing.T) {
	more := make(chan struct{})
	model := provider.Start(t, provider.AnswerAfterRelease(more, "One. ", "Two."))
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve", "--metrics-listen", "127.0.0.1:0", "--model-url", model.URL, "--model", "slow")
	var addresses struct{ MetricsURL string }
	if err := json.Unmarshal([]byte(s.out.String()), &addresses); err != nil {
		t.Fatal(err)
	}
	private := strings.TrimSuffix(addresses.MetricsURL, "/metrics")
	awaitReadiness(t, s.URL, "ready")
	awaitReadiness(t, private, "ready")
	key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
	_, agent := sendRequest(t, "POST", s.URL+"/api/v2/agents", key, `{"name":"Slow"}`)
	stream := openStream(t, s.URL+"/api/v2/agents/"+responseID(t, agent)+"/chat", key)
	s.stop()
	awaitReadiness(t, private, "draining")
	close(more)
	if _, err := io.Copy(io.Discard, stream); err != nil {
		t.Error(err)
	}
	s.stopServer(t)
}

// A stopping server goes on taking requests for the time of --drain-delay, so that load balancers can turn away from
// it.
func TestStoppingServerTakesRequestsDuringTheDelay(t *testing.T) {
	in, err := openInstance(t.Context(), server.Config{
		StorageConfig: server.StorageConfig{Data: t.TempDir()},
		ServingConfig: server.ServingConfig{Listen: "127.0.0.1:0", RateLimit: 100, OpenTurns: 10, DrainDelay: time.Hour},
		Now:           time.Now, Logger: slog.New(slog.DiscardHandler),
	}, "test")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- in.run(ctx, func() error { return nil }) }()
	awaitReadiness(t, in.url, "ready")
	stop()
	awaitReadiness(t, in.url, "draining")
	if status, text := sendRequest(t, "GET", in.url+"/api/v2/health", "", ""); status != http.StatusOK {
		t.Errorf("a request during the delay: %d %s", status, text)
	}
	_ = in.adminListener.Close() // a part that fails ends the delay
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the server ended with %v", err)
	}
	if err := in.close(); err != nil {
		t.Error(err)
	}
}

// lendCertificate returns the files of a certificate for 127.0.0.1, and a client that trusts it and follows no
// redirect.
func lendCertificate(t *testing.T) (certFile, keyFile string, client *http.Client) {
	t.Helper()
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	lent := lender.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(lent.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: lent.Certificate[0]},
		keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client = lender.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(client.CloseIdleConnections)
	return certFile, keyFile, client
}

// A server with a certificate speaks HTTPS, streams included, sends browsers there from its plain address, and is found
// by parley health.
func TestServerSpeaksHTTPS(t *testing.T) {
	certFile, keyFile, client := lendCertificate(t)
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	t.Setenv("PARLEY_TLS_CERT", certFile)
	t.Setenv("PARLEY_TLS_KEY", keyFile)
	s := startServer(t, "serve", "--http-listen", "127.0.0.1:0")
	key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
	send := func(method, url, body string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(url, "https:") {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(text)
	}
	res, agent := send("POST", s.URL+"/api/v2/agents", `{"name":"A"}`)
	if res.StatusCode != http.StatusCreated || !strings.HasPrefix(s.URL, "https://127.0.0.1:") {
		t.Fatalf("%s: %s %s", s.URL, res.Status, agent)
	}
	_, answer := send("POST", s.URL+"/api/v2/agents/"+responseID(t, agent)+"/chat", `{"message":"Hi","stream":true}`)
	if !strings.HasSuffix(answer, "data: [DONE]\n\n") {
		t.Errorf("the stream is %q", answer)
	}
	plain := regexp.MustCompile(`msg="plain HTTP" url=(\S+)`).FindStringSubmatch(s.errs.String())
	if plain == nil {
		t.Fatalf("the log names no plain address: %s", s.errs.String())
	}
	if res, _ := send("GET", plain[1]+"/docs", ""); res.Header.Get("Location") != s.URL+"/docs" {
		t.Errorf("plain HTTP is answered with %s to %q", res.Status, res.Header.Get("Location"))
	}
	address := strings.TrimPrefix(s.URL, "https://")
	if status, out, errs := runCommand(t, "health", "--listen", address); status != 0 || !strings.Contains(out, s.URL) {
		t.Errorf("parley health: %d %s %s", status, out, errs)
	}
}

// Where the database is full, commands say so beside a running server as without one, and the doctor finds it.
func TestFullDatabaseIsNamed(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", data)
	runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	runJSON[admin.Agent](t, "agent", "create", "A")
	quota := strconv.Itoa(countPages(t, data) + 20)
	t.Setenv("PARLEY_DATABASE_QUOTA", quota)
	server := startServer(t, "serve")
	text := filepath.Join(t.TempDir(), "long.md")
	if err := os.WriteFile(text, []byte(strings.Repeat("Parcels arrive in two days. ", 20_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, errs := runCommand(t, "source", "add", text, "--json")
	if status != 1 || !strings.Contains(errs, `"code":"SERVICE_UNDER_MAINTENANCE"`) ||
		!strings.Contains(errs, "is not read yet. It waits until there is space") {
		t.Errorf("a source: status %d, %s", status, errs)
	}
	const step = "Make space on the disk, or raise PARLEY_DATABASE_QUOTA"
	fill := func() (errs string) {
		for range 100 {
			status, _, errs = runCommand(t, "agent", "create", "B", "--instructions", strings.Repeat("Be brief. ", 700))
			if status != 0 {
				return errs
			}
		}
		return "100 agents were made"
	}
	if errs := fill(); !strings.Contains(errs, step) {
		t.Errorf("beside a server: %s", errs)
	}
	server.stopServer(t)
	if errs := fill(); !strings.Contains(errs, step) {
		t.Errorf("without a server: %s", errs)
	}
	if _, out, _ := runCommand(t, "doctor"); !strings.Contains(out, "fault    disk: the database is full") {
		t.Errorf("doctor: %s", out)
	}
}

// countPages counts the pages of a database that nobody has open.
func countPages(t *testing.T, data string) (n int) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: filepath.Join(data, "parley.db")})
	if err != nil {
		t.Fatal(err)
	}
	n, err = sqldb.One(t.Context(), db, sqldb.Column[int], `select page_count from pragma_page_count`)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return n
}
