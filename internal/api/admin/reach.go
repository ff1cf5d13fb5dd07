package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"parley"
)

// Client is the way from a command to the data: through the server that runs on it, else by opening it.
type Client struct {
	DataDir      string        // data directory
	DatabaseFile string        // the SQLite file in it; empty when the database is elsewhere and needs no lock
	LockTimeout  time.Duration // how long to wait for another command to finish
	Holder       string        // who we are, for whoever waits for us
	Open         func(ctx context.Context) (*Service, error)
}

// Run does the verb. What it changes is in force when it returns.
func Run[In, Out any](ctx context.Context, r *Client, v Command[In, Out], in In) (out Out, err error) {
	var lock *Lock
	err = retry(ctx, r.LockTimeout, func() (bool, error) {
		err := r.callServer(ctx, v.Name, in, &out)
		if !isNotListening(err) {
			return false, err
		}
		if lock, err = r.lockData(v.mayCreateData); err != nil {
			return errors.Is(err, errLocked), err
		}
		out, err = runLocally(ctx, r, v, in)
		return false, errors.Join(err, lock.unlock())
	})
	if errors.Is(err, errLocked) {
		err = fmt.Errorf("%w, which does not answer on its admin socket; try again when it has ended (%s)", err, r.DataDir)
	}
	return out, err
}

// runLocally does the verb on the database itself.
func runLocally[In, Out any](ctx context.Context, r *Client, v Command[In, Out], in In) (out Out, err error) {
	desk, err := r.Open(ctx)
	if err != nil {
		return out, err
	}
	out, err = RunOn(ctx, desk, v, in)
	return out, errors.Join(err, desk.Close())
}

// callServer hands the verb to the server of the data directory.
func (r *Client) callServer(ctx context.Context, verb string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, r.DataDir) },
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://parley/"+verb, bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusOK {
		return json.NewDecoder(res.Body).Decode(out)
	}
	var f ErrorReply
	if err := json.NewDecoder(res.Body).Decode(&f); err != nil {
		return fmt.Errorf("admin socket: status %d: %w", res.StatusCode, err)
	}
	return &parley.Error{Code: f.Error.Code, Message: f.Error.Message, Details: f.Error.Details}
}

// isNotListening reports that no server listens, so that nothing can have been done.
func isNotListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// lockData takes the data directory's lock where one is needed. Only a verb that may come first makes the directory: a mistyped
// --data is an error, not a new, empty database.
func (r *Client) lockData(fresh bool) (*Lock, error) {
	if r.DatabaseFile == "" {
		return nil, nil
	}
	if !fresh {
		if _, err := os.Stat(filepath.Join(r.DataDir, r.DatabaseFile)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no Parley data in %s; `parley account create` or `parley serve` makes it, --data names another place", r.DataDir)
		}
	}
	if err := os.MkdirAll(r.DataDir, 0o700); err != nil {
		return nil, err
	}
	return tryLock(r.DataDir, r.Holder)
}

func (l *Lock) unlock() error {
	if l == nil {
		return nil
	}
	return l.Unlock()
}

// RunOn does the verb on an open desk.
func RunOn[In, Out any](ctx context.Context, d *Service, v Command[In, Out], in In) (Out, error) {
	return v.run(d, ctx, in)
}
