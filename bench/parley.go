package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// parleyServer is the real one, with an account and an agent for each of the stub's models.
type parleyServer struct {
	*serverProcess
	dataDir string
	key     string
	agents  map[string]string // by model
	client  *http.Client
}

func (s *parleyServer) ownProcess() *serverProcess {
	if s == nil {
		return nil
	}
	return s.serverProcess
}

// buildBinary makes the server's binary; an overlay replaces files of the source.
func (b *bench) buildBinary(ctx context.Context, overlay map[string]string) (string, error) {
	if b.parleyBinary != "" && overlay == nil {
		return filepath.Abs(b.parleyBinary)
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	dir, err := b.newDir("bin")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "parley")
	args := []string{"build", "-o", out}
	if overlay != nil {
		list, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			return "", err
		}
		file := filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(file, list, 0o600); err != nil {
			return "", err
		}
		args = append(args, "-overlay", file)
	}
	b.logf("building the server …")
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/parley")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0") // as make build does
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, said)
	}
	return out, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	return filepath.Dir(strings.TrimSpace(string(mod))), nil
}

// startParley starts the binary on a data directory. Its limits are raised: they are for callers, and this measures the server.
func (b *bench) startParley(ctx context.Context, binary, data string, env ...string) (*serverProcess, error) {
	cmd := exec.CommandContext(ctx, binary, "serve", "--json", "--listen", "127.0.0.1:0", "--data", data)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PARLEY_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	var models []string
	for _, m := range []string{instantModel, steadyModel, silentModel, finderModel} {
		models = append(models, m+"="+m)
	}
	cmd.Env = append(cmd.Env, "PARLEY_MODEL_URL="+b.stub.url, "PARLEY_MODEL="+instantModel, "PARLEY_MODEL_MAP="+strings.Join(models, ","),
		"PARLEY_RATE_LIMIT=100000000", "PARLEY_OPEN_TURNS=1000000")
	cmd.Env = append(cmd.Env, env...)
	return b.startProcess(ctx, cmd)
}

// newParleyServer is a server on a new data directory, with everything it needs to answer.
func (b *bench) newParleyServer(ctx context.Context, name string) (*parleyServer, error) {
	return b.newParleyServerFrom(ctx, b.binary, name)
}

func (b *bench) newParleyServerFrom(ctx context.Context, binary, name string, env ...string) (*parleyServer, error) {
	data, err := b.newDir(name)
	if err != nil {
		return nil, err
	}
	s := &parleyServer{dataDir: data, client: newClient()}
	if s.serverProcess, err = b.startParley(ctx, binary, data, env...); err != nil {
		return nil, err
	}
	if err = s.setUp(ctx, binary); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *parleyServer) setUp(ctx context.Context, binary string) error {
	if err := s.createAccount(ctx, binary); err != nil {
		return err
	}
	s.agents = map[string]string{}
	for _, model := range []string{instantModel, steadyModel, silentModel, finderModel} {
		id, err := s.createAgent(ctx, model)
		if err != nil {
			return err
		}
		if err := s.addAndTrain(ctx, id, "Manual", manualText()); err != nil {
			return err
		}
		s.agents[model] = id
	}
	return nil
}

// createAccount makes one on the operator's command line.
func (s *parleyServer) createAccount(ctx context.Context, binary string) error {
	cmd := exec.CommandContext(ctx, binary, "account", "create", "--name", "Bench", "--json", "--data", s.dataDir)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("account create: %w: %s", err, out)
	}
	var made struct{ APIKey string }
	err = json.Unmarshal(out, &made)
	s.key = made.APIKey
	return err
}

func (s *parleyServer) createAgent(ctx context.Context, model string) (string, error) {
	var made struct{ ID string }
	if err := s.callAPI(ctx, http.MethodPost, "/agents", map[string]string{"name": "Bench " + model, "model": model}, &made); err != nil {
		return "", err
	}
	return made.ID, nil
}

// addAndTrain adds a text and waits until the agent has learned it.
func (s *parleyServer) addAndTrain(ctx context.Context, agent, name, text string) error {
	id, err := s.addText(ctx, agent, name, text)
	if err != nil {
		return err
	}
	return s.waitUntilTrained(ctx, agent, id)
}

// waitUntilTrained waits until the agent has learned a source.
func (s *parleyServer) waitUntilTrained(ctx context.Context, agent, id string) error {
	began := time.Now()
	for {
		var src source
		if err := s.callAPI(ctx, http.MethodGet, "/agents/"+agent+"/sources/"+id, nil, &src); err != nil {
			return err
		}
		switch {
		case src.Status == "trained":
			return nil
		case src.Status == "failed", time.Since(began) > time.Minute:
			return fmt.Errorf("source %s is %s after %v", id, src.Status, time.Since(began))
		}
		if !sleepContext(ctx, 2*time.Millisecond) {
			return ctx.Err()
		}
	}
}

type source struct{ ID, Status string }

func (s *parleyServer) addText(ctx context.Context, agent, name, text string) (string, error) {
	var src source
	err := s.callAPI(ctx, http.MethodPost, "/agents/"+agent+"/sources", map[string]string{"type": "text", "name": name, "content": text}, &src)
	return src.ID, err
}

// callAPI does one request of the interface.
func (s *parleyServer) callAPI(ctx context.Context, method, path string, in, out any) error {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+"/api/v2"+path, &body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return errors.New(method + " " + path + ": " + resp.Status + ": " + string(said))
	}
	return json.Unmarshal(said, out)
}

// newTarget asks the agent that has the question's model, in a new conversation unless the question names one.
func (s *parleyServer) newTarget() *chatTarget {
	return &chatTarget{name: "parley", key: s.key, client: newClient(), post: func(q chatRequest) (string, any) {
		body := map[string]any{"message": q.message, "stream": q.stream}
		if q.conversation != "" {
			body["conversationId"] = q.conversation
		}
		return s.url + "/api/v2/agents/" + s.agents[q.model] + "/chat", body
	}}
}
