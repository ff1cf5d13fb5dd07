package harness

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

	"parley/bench/internal/corpus"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/stub"
)

// Server is a Parley server with an account and an agent for each of the stub's models.
type Server struct {
	*process.Server
	DataDir   string
	AccountID string
	Key       string
	Agents    map[string]string // by model
	Client    *http.Client
}

func (s *Server) OwnProcess() *process.Server {
	if s == nil {
		return nil
	}
	return s.Server
}

// BuildBinary builds the server's binary; an overlay replaces files of the source.
func (rn *Run) BuildBinary(ctx context.Context, overlay map[string]string) (string, error) {
	if rn.ParleyBinary != "" && overlay == nil {
		return filepath.Abs(rn.ParleyBinary)
	}
	if overlay == nil {
		return rn.Compile(ctx)
	}
	dir, err := rn.NewDir("overlay")
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return "", err
	}
	return rn.Compile(ctx, "-overlay", file)
}

// Compile builds the server from its source with further arguments of go build.
func (rn *Run) Compile(ctx context.Context, args ...string) (string, error) {
	root, err := ModuleRoot(ctx)
	if err != nil {
		return "", err
	}
	dir, err := rn.NewDir("bin")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "parley")
	rn.Logf("building the server …")
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-o", out}, args...), "./cmd/parley")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0") // as make build does
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return out, nil
}

func ModuleRoot(ctx context.Context) (string, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	return filepath.Dir(strings.TrimSpace(string(mod))), nil
}

// StartServer starts the binary on a data directory. Its limits are raised, so that they do not bound what is measured.
func (rn *Run) StartServer(ctx context.Context, binary, data string, env ...string) (*process.Server, error) {
	cmd := exec.CommandContext(ctx, binary, "serve", "--json", "--listen", "127.0.0.1:0", "--data", data)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PARLEY_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	var models []string
	for _, m := range []string{stub.InstantModel, stub.SteadyModel, stub.SilentModel, stub.FinderModel,
		stub.LongModel} {
		models = append(models, m+"="+m)
	}
	cmd.Env = append(cmd.Env, "PARLEY_MODEL_URL="+rn.Stub.URL, "PARLEY_MODEL="+stub.InstantModel,
		"PARLEY_MODEL_MAP="+strings.Join(models, ","),
		"PARLEY_RATE_LIMIT=100000000", "PARLEY_OPEN_TURNS=1000000")
	cmd.Env = append(cmd.Env, env...)
	return process.Start(ctx, rn.Dir, cmd)
}

// NewServer returns a server on a new data directory, ready to answer.
func (rn *Run) NewServer(ctx context.Context, name string) (*Server, error) {
	return rn.NewServerFrom(ctx, rn.Binary, name)
}

func (rn *Run) NewServerFrom(ctx context.Context, binary, name string, env ...string) (*Server, error) {
	data, err := rn.NewDir(name)
	if err != nil {
		return nil, err
	}
	s := &Server{DataDir: data, Client: load.NewClient()}
	if s.Server, err = rn.StartServer(ctx, binary, data, env...); err != nil {
		return nil, err
	}
	if err = s.setUp(ctx, binary, env); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Server) setUp(ctx context.Context, binary string, env []string) error {
	if err := s.CreateAccount(ctx, binary, env...); err != nil {
		return err
	}
	s.Agents = map[string]string{}
	for _, model := range []string{stub.InstantModel, stub.SteadyModel, stub.SilentModel, stub.FinderModel} {
		id, err := s.CreateAgent(ctx, model)
		if err != nil {
			return err
		}
		if err := s.AddAndTrain(ctx, id, "Manual", corpus.ManualText()); err != nil {
			return err
		}
		s.Agents[model] = id
	}
	return nil
}

// CreateAccount creates an account with the operator's command.
func (s *Server) CreateAccount(ctx context.Context, binary string, env ...string) error {
	cmd := exec.CommandContext(ctx, binary, "account", "create", "--name", "Bench", "--json", "--data", s.DataDir)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("account create: %w: %s", err, out)
	}
	var created struct{ AccountID, APIKey string }
	err = json.Unmarshal(out, &created)
	s.AccountID, s.Key = created.AccountID, created.APIKey
	return err
}

func (s *Server) CreateAgent(ctx context.Context, model string) (string, error) {
	var created struct{ ID string }
	if err := s.CallAPI(ctx, http.MethodPost, "/agents", map[string]string{"name": "Bench " + model, "model": model},
		&created); err != nil {
		return "", err
	}
	return created.ID, nil
}

// AddAndTrain adds a text and waits until the agent is trained on it.
func (s *Server) AddAndTrain(ctx context.Context, agent, name, text string) error {
	id, err := s.AddText(ctx, agent, name, text)
	if err != nil {
		return err
	}
	return s.WaitUntilTrained(ctx, agent, id)
}

// WaitUntilTrained waits until the agent is trained on a source.
func (s *Server) WaitUntilTrained(ctx context.Context, agent, id string) error {
	began := time.Now()
	for {
		var src Source
		if err := s.CallAPI(ctx, http.MethodGet, "/agents/"+agent+"/sources/"+id, nil, &src); err != nil {
			return err
		}
		switch {
		case src.Status == "trained":
			return nil
		case src.Status == "failed", time.Since(began) > time.Minute:
			return fmt.Errorf("source %s is %s after %v", id, src.Status, time.Since(began))
		}
		if !process.Sleep(ctx, 2*time.Millisecond) {
			return ctx.Err()
		}
	}
}

type Source struct{ ID, Status string }

func (s *Server) AddText(ctx context.Context, agent, name, text string) (string, error) {
	var src Source
	err := s.CallAPI(ctx, http.MethodPost, "/agents/"+agent+"/sources",
		map[string]string{"type": "text", "name": name, "content": text}, &src)
	return src.ID, err
}

// CallAPI sends one request to REST v2.
func (s *Server) CallAPI(ctx context.Context, method, path string, in, out any) error {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, s.URL+"/api/v2"+path, &body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := s.Client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return errors.New(method + " " + path + ": " + resp.Status + ": " + string(reply))
	}
	return json.Unmarshal(reply, out)
}

// NewTarget returns a target that asks the agent with the question's model, in a new conversation unless the question
// names one.
func (s *Server) NewTarget() *load.Target {
	return &load.Target{Name: "parley", Key: s.Key, Client: load.NewClient(), Post: func(q load.Request) (string, any) {
		body := map[string]any{"message": q.Message, "stream": q.Stream}
		if q.Conversation != "" {
			body["conversationId"] = q.Conversation
		}
		return s.URL + "/api/v2/agents/" + s.Agents[q.Model] + "/chat", body
	}}
}

// AgentTarget returns a target that asks one agent.
func (s *Server) AgentTarget(agent string) *load.Target {
	t := s.NewTarget()
	t.Post = func(q load.Request) (string, any) {
		return s.URL + "/api/v2/agents/" + agent + "/chat", map[string]any{"message": q.Message}
	}
	return t
}
