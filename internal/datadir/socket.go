package datadir

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

const socketName = "admin.sock"

// maxSocketPath is how many bytes of path a socket address holds, the closing zero left out.
const maxSocketPath = 107

// Listen opens the admin socket of a data directory, for its owner only. The caller holds the directory's lock, so a
// socket that exists already was left by a process that has ended.
func Listen(dir string) (net.Listener, error) {
	// The socket is created in a directory that nobody else may enter: others never reach it, whatever the umask.
	private, err := os.MkdirTemp(dir, ".admin-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(private) }()
	var l *net.UnixListener
	err = withSocketPath(private, func(path string) (err error) {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("admin socket: %w", err)
	}
	l.SetUnlinkOnClose(false)
	created, path := filepath.Join(private, socketName), filepath.Join(dir, socketName)
	if err := errors.Join(os.Chmod(created, 0o600), os.Rename(created, path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return removingListener{l, path}, nil
}

// removingListener is a listener that removes its file when it closes.
type removingListener struct {
	net.Listener
	path string
}

func (l removingListener) Close() error { return errors.Join(os.Remove(l.path), l.Listener.Close()) }

// Dial connects to the admin socket of a data directory.
func Dial(ctx context.Context, dir string) (net.Conn, error) {
	var conn net.Conn
	err := withSocketPath(dir, func(path string) (err error) {
		conn, err = (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "unix", path)
		return err
	})
	return conn, err
}

// IsServerListening reports whether a server listens on the admin socket of the directory.
func IsServerListening(dir string) bool {
	conn, err := Dial(context.Background(), dir)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// withSocketPath calls use with a path of the socket in dir that is short enough for a socket address: a long one leads
// through an open handle of the directory.
func withSocketPath(dir string, use func(path string) error) error {
	if path := filepath.Join(dir, socketName); len(path) <= maxSocketPath {
		return use(path)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	return use(shortSocketPath(folder))
}
