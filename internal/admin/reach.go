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

// Reach is the way from a command to the data: through the server that runs on it, else by opening it.
type Reach struct {
	Dir    string        // data directory
	File   string        // the SQLite file in it; empty when the database is elsewhere and needs no lock
	Wait   time.Duration // how long to wait for another command to finish
	Holder string        // who we are, for whoever waits for us
	Open   func(ctx context.Context) (*Desk, error)
}

// Call does the verb. What it changes is in force when it returns.
func Call[In, Out any](ctx context.Context, r *Reach, v Verb[In, Out], in In) (out Out, err error) {
	var lock *Lock
	err = retry(ctx, r.Wait, func() (bool, error) {
		err := r.ask(ctx, v.Name, in, &out)
		if !nobodyHome(err) {
			return false, err
		}
		if lock, err = r.lock(v.fresh); err != nil {
			return errors.Is(err, errHeld), err
		}
		out, err = here(ctx, r, v, in)
		return false, errors.Join(err, lock.unlock())
	})
	if errors.Is(err, errHeld) {
		err = fmt.Errorf("%w, which does not answer on its admin socket; try again when it has ended (%s)", err, r.Dir)
	}
	return out, err
}

// here does the verb on the database itself.
func here[In, Out any](ctx context.Context, r *Reach, v Verb[In, Out], in In) (out Out, err error) {
	desk, err := r.Open(ctx)
	if err != nil {
		return out, err
	}
	out, err = Do(ctx, desk, v, in)
	return out, errors.Join(err, desk.Close())
}

// ask hands the verb to the server of the data directory.
func (r *Reach) ask(ctx context.Context, verb string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, r.Dir) },
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
	var f Failure
	if err := json.NewDecoder(res.Body).Decode(&f); err != nil {
		return fmt.Errorf("admin socket: status %d: %w", res.StatusCode, err)
	}
	return &parley.Error{Code: f.Error.Code, Message: f.Error.Message, Details: f.Error.Details}
}

// nobodyHome reports that no server listens, so that nothing can have been done.
func nobodyHome(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// lock takes the data directory's lock where one is needed. Only a verb that may come first makes the directory: a mistyped
// --data is an error, not a new, empty database.
func (r *Reach) lock(fresh bool) (*Lock, error) {
	if r.File == "" {
		return nil, nil
	}
	if !fresh {
		if _, err := os.Stat(filepath.Join(r.Dir, r.File)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no Parley data in %s; `parley account create` or `parley serve` makes it, --data names another place", r.Dir)
		}
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return nil, err
	}
	return tryLock(r.Dir, r.Holder)
}

func (l *Lock) unlock() error {
	if l == nil {
		return nil
	}
	return l.Unlock()
}

// Do does the verb on an open desk.
func Do[In, Out any](ctx context.Context, d *Desk, v Verb[In, Out], in In) (Out, error) {
	return v.do(d, ctx, in)
}
