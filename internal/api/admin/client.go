package admin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
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

// Follow calls an operation that answers with events, of the server that runs on the data directory. It calls onEvent
// with each event, which is JSON. Where no server runs it fails with RESOURCE_NOT_FOUND.
func Follow[In any](ctx context.Context, c *Client, op StreamOperation[In], in In,
	onEvent func(event []byte) error) error {
	res, err := c.send(ctx, &op.Operation, &in)
	if datadir.IsNotListening(err) {
		return parley.NewErrorf(parley.CodeResourceNotFound,
			"No server runs on the data in %s: \"parley serve\" runs one, and --data names another place.", c.DataDir)
	}
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		return decodeReply(res.StatusCode, res.Body, nil)
	}
	return readEvents(res.Body, onEvent)
}

// Download calls an operation that answers with a file, and writes that.
func Download[In any](ctx context.Context, c *Client, op FileOperation[In], in In, w io.Writer) error {
	var lock *datadir.Lock
	err := datadir.Retry(ctx, c.LockTimeout, func() (bool, error) {
		res, err := c.send(ctx, &op.Operation, &in)
		if err == nil {
			defer func() { _ = res.Body.Close() }()
			return false, copyFile(w, res.StatusCode, res.Body)
		}
		if !datadir.IsNotListening(err) {
			return false, err
		}
		if lock, err = c.lockData(false); err != nil {
			return errors.Is(err, datadir.ErrLocked), err
		}
		return false, errors.Join(downloadLocally(ctx, c, op, in, w), lock.Unlock())
	})
	if errors.Is(err, datadir.ErrLocked) {
		err = fmt.Errorf("%w, which does not answer on its admin socket; try again when it has ended (%s)", err, c.DataDir)
	}
	return err
}

// copyFile writes the file of a response, or returns the failure that it holds.
func copyFile(w io.Writer, status int, body io.Reader) error {
	if status/100 != 2 {
		return decodeReply(status, body, nil)
	}
	_, err := io.Copy(w, body)
	return err
}

func downloadLocally[In any](ctx context.Context, c *Client, op FileOperation[In], in In, w io.Writer) error {
	service, err := c.Open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(DownloadOn(ctx, service, op, in, w), service.Close())
}

// readEvents reads server-sent events up to the mark of their end.
func readEvents(body io.Reader, onEvent func(event []byte) error) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		event, isEvent := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		switch {
		case isEvent && string(event) == "[DONE]":
			return nil
		case isEvent:
			if err := onEvent(event); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// callServer calls the operation of the server that runs on the data directory.
func (c *Client) callServer(ctx context.Context, op *httpapi.Operation, in, out any) error {
	res, err := c.send(ctx, op, in)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return decodeReply(res.StatusCode, res.Body, out)
}

// send sends the request for an operation to the server. The caller closes the body of the response.
func (c *Client) send(ctx context.Context, op *httpapi.Operation, in any) (*http.Response, error) {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return datadir.Dial(ctx, c.DataDir) },
	}}
	req, err := httpapi.NewRequest(ctx, "http://parley", op, in)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // the address is one that nobody knows
	}
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("this user may not use the data in %s: %w", c.DataDir, err)
	}
	return res, err
}

// lockData takes the data directory's lock where one is needed. Only an operation that may come first creates the
// directory: a mistyped --data is an error, not a new, empty database.
func (c *Client) lockData(mayCreate bool) (*datadir.Lock, error) {
	if c.DatabaseFile == "" {
		return nil, nil
	}
	if err := datadir.CheckDatabase(filepath.Join(c.DataDir, c.DatabaseFile)); err != nil {
		return nil, err
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
