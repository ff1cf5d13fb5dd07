package baseline

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/bench/internal/load"
	"parley/bench/internal/process"
)

const apiKey = "pk_baseline"

// Server is the least that a server can do which must answer with a model and not lose the answer: look the key's hash
// up, call the model, frame its tokens as they come or gather them into one JSON, and commit the turn before reporting
// that it is done. It has no conversations, no retrieval, no limits, no log.
type Server struct {
	modelURL string // base URL
	client   *http.Client
	keys     map[[sha256.Size]byte]string
	turnLogs map[string]*turnLog
	rows     *turnRows // in place of them where turns are stored on PostgreSQL; else nil
}

// Request is a chat request; the last two fields choose between baselines.
type Request struct {
	Message string `json:"message"`
	Stream  bool   `json:"stream"`
	Model   string `json:"model"`
	Commit  string `json:"commit"` // how the turn is made durable
	Whole   bool   `json:"whole"`  // the model is asked for one JSON

	row *turnRow // on PostgreSQL
}

// RunServer is the baseline's process.
func RunServer(ctx context.Context, args []string, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("baseline", flag.ContinueOnError)
	dir := flags.String("dir", "", "folder for the database")
	model := flags.String("model", "", "base URL of the model server")
	postgresURL := flags.String("postgres-url", "", "a PostgreSQL database with Parley's tables, to store turns on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	f, err := NewServer(ctx, *dir, *model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if *postgresURL != "" {
		if f.rows, err = openTurnRows(ctx, *postgresURL); err != nil {
			return err
		}
		defer f.rows.close()
	}
	return process.ServeUntilDone(ctx, stdout, f)
}

func NewServer(ctx context.Context, dir, model string) (*Server, error) {
	f := &Server{modelURL: model, client: load.NewClient(),
		keys:     map[[sha256.Size]byte]string{sha256.Sum256([]byte(apiKey)): "baseline"},
		turnLogs: map[string]*turnLog{}}
	for _, mode := range []string{GroupedCommits, SingleCommits, UnsyncedCommits} {
		l, err := openTurnLog(ctx, dir, mode)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.turnLogs[mode] = l
	}
	return f, nil
}

func (s *Server) Close() error {
	var errs []error
	for _, l := range s.turnLogs {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if _, ok := s.keys[sha256.Sum256([]byte(key))]; !ok {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	var req Request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.rows != nil {
		req.row = s.rows.begin(r.Context(), req.Message)
	}
	answer := s.answerJSON
	if req.Stream {
		answer = s.answerStream
	}
	if err := answer(r.Context(), w, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func (s *Server) askModel(ctx context.Context, req *Request) (io.ReadCloser, error) {
	body, err := json.Marshal(map[string]any{"model": req.Model, "stream": !req.Whole,
		"messages": []map[string]string{{"role": "user", "content": req.Message}}})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.modelURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("the model answered %s", resp.Status)
	}
	return resp.Body, nil
}

// answerJSON answers with one JSON.
func (s *Server) answerJSON(ctx context.Context, w http.ResponseWriter, req *Request) error {
	body, err := s.askModel(ctx, req)
	if err != nil {
		return err
	}
	defer body.Close()
	var text strings.Builder
	if req.Whole {
		var a load.Reply
		err = json.NewDecoder(body).Decode(&a)
		text.WriteString(a.Text())
	} else {
		err = readTokens(body, func(token []byte, _ bool) { text.Write(token) })
	}
	if err == nil {
		err = s.storeTurn(ctx, req, text.String())
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"role": "assistant",
		"parts": []map[string]string{{"type": "text", "text": text.String()}}}})
}

// answerStream answers with the events of the interface, a token an event; what came from the model together leaves
// together.
func (s *Server) answerStream(ctx context.Context, w http.ResponseWriter, req *Request) error {
	body, err := s.askModel(ctx, req)
	if err != nil {
		return err
	}
	defer body.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	out := &heartbeatStream{w: w, rc: http.NewResponseController(w)}
	out.timer = time.AfterFunc(HeartbeatInterval, out.sendHeartbeat)
	defer out.timer.Stop()
	out.send(`data: {"type":"start"}`+"\n\n"+`data: {"type":"start-step"}`+"\n\n"+
		`data: {"type":"text-start","id":"t1"}`+"\n\n", false)
	var text strings.Builder
	err = readTokens(body, func(token []byte, more bool) {
		text.Write(token)
		out.send(`data: {"type":"text-delta","id":"t1","delta":"`+string(token)+`"}`+"\n\n", !more)
	})
	if err == nil {
		err = s.storeTurn(ctx, req, text.String())
	}
	if err != nil {
		out.send(`data: {"type":"error","errorText":"the model failed"}`+"\n\n", true)
		return nil // the client has the error
	}
	out.send(`data: {"type":"text-end","id":"t1"}`+"\n\n"+`data: {"type":"finish-step"}`+"\n\n"+
		`data: {"type":"finish","finishReason":"stop","messageMetadata":{"finishReason":"stop","usage":{"credits":1}}}`+
		"\n\n"+"data: [DONE]\n\n", true)
	return nil
}

func (s *Server) storeTurn(ctx context.Context, req *Request, answer string) error {
	if req.row != nil {
		return req.row.finish(ctx, answer)
	}
	return s.turnLogs[cmp.Or(req.Commit, GroupedCommits)].writeTurn(req.Message, answer)
}

// NewTarget returns the baseline as a target; change chooses a kind of baseline.
func NewTarget(serverURL string, change func(*Request)) *load.Target {
	return &load.Target{Name: "baseline", Key: apiKey, Client: load.NewClient(), Post: func(q load.Request) (string, any) {
		req := Request{Message: q.Message, Stream: q.Stream, Model: q.Model}
		if change != nil {
			change(&req)
		}
		return serverURL + "/chat", req
	}}
}

// RequestWholeJSON makes the baseline ask the model for one JSON. Parley always asks for a stream, so that a turn can
// be cut short and its words kept; such a baseline shows what that costs.
func RequestWholeJSON(r *Request) { r.Whole = true }
