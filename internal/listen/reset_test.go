//go:build unix

package listen

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// TestResetIsRemembered checks that whoever asks later whether the client has reset its connection is told so too: the
// system reports it once, and the one who hears it may be net/http, which is just giving the connection away.
func TestResetIsRemembered(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	c := &Conn{halfCloser: accepted.(*net.TCPConn)}
	tcp := client.(*net.TCPConn)
	if err := errors.Join(tcp.SetLinger(0), tcp.Close(), c.SetReadDeadline(time.Now().Add(time.Minute))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.awaitReset(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
}
