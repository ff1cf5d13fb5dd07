package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/datadir"
	"parley/internal/httpapi"
)

// Client calls operations from another process: through the server that runs on the data, else by opening the data.
type Client struct {
	DataDir      string        // data directory
	DatabaseFile string        // the SQLite file in it; empty when the database is elsewhere and needs no lock
	LockTimeout  time.Duration // how long to wait for another command to finish
	Holder       string        // the name of this process, for whoever waits for it
	Open         func(ctx context.Context) (*Service, error)
}

// Run calls the operation. What it changes is in force when it returns.
func Run[In, Out any](ctx context.Context, c *Client, op Operation[In, Out], in In) (out Out, err error) {
	var lock *datadir.Lock
	err = datadir.Retry(ctx, c.LockTimeout, func() (bool, error) {
		err := c.callServer(ctx, &op.Operation, &in, &out)
		if !datadir.IsNotListening(err) {
			return false, err
		}
		if lock, err = c.lockData(op.mayCreateData); err != nil {
			return errors.Is(err, datadir.ErrLocked), err
		}
		out, err = runLocally(ctx, c, op, in)
		return false, errors.Join(err, lock.Unlock())
	})
	if errors.Is(err, datadir.ErrLocked) {
		err = fmt.Errorf("%w, which does not answer on its admin socket; try again when it has ended (%s)", err, c.DataDir)
	}
	return out, err
}

// runLocally calls the operation on the database itself.
func runLocally[In, Out any](ctx context.Context, c *Client, op Operation[In, Out], in In) (out Out, err error) {
	service, err := c.Open(ctx)
	if err != nil {
		return out, err
	}
	out, err = RunOn(ctx, service, op, in)
	return out, errors.Join(err, service.Close())
}

// callServer calls the operation of the server that runs on the data directory.
func (c *Client) callServer(ctx context.Context, op *httpapi.Operation, in, out any) error {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return datadir.Dial(ctx, c.DataDir) },
	}}
	req, err := httpapi.NewRequest(ctx, "http://parley", op, in)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return decodeReply(res.StatusCode, res.Body, out)
}

// lockData takes the data directory's lock where one is needed. Only an operation that may come first creates the
// directory: a mistyped --data is an error, not a new, empty database.
func (c *Client) lockData(mayCreate bool) (*datadir.Lock, error) {
	if c.DatabaseFile == "" {
		return nil, nil
	}
	if !mayCreate {
		if _, err := os.Stat(filepath.Join(c.DataDir, c.DatabaseFile)); errors.Is(err, fs.ErrNotExist) {
			return nil, parley.NewErrorf(parley.CodeResourceNotFound, "There is no Parley data in %s: "+
				"\"parley account create\" or \"parley serve\" makes it, and --data names another place.", c.DataDir)
		}
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, err
	}
	return datadir.TryLock(c.DataDir, c.Holder)
}
