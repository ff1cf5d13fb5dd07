package dbs

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// RoundTrips counts how often clients wait for a PostgreSQL.
type RoundTrips struct{ count atomic.Int64 }

// Count returns how often they have waited so far.
func (r *RoundTrips) Count() int { return int(r.count.Load()) }

// CountRoundTrips returns a URL of the same database, through a proxy that counts the round trips.
func CountRoundTrips(t testing.TB, databaseURL string) (string, *RoundTrips) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(tempBase(), "parley-wire-")
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	listener, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	r, server := &RoundTrips{}, filepath.Join(u.Query().Get("host"), socket)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { r.forward(client, server) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
		_ = os.RemoveAll(dir)
	})
	u.RawQuery = url.Values{"host": {dir}}.Encode()
	return u.String(), r
}

// forward passes everything on in both directions until the client disconnects.
func (r *RoundTrips) forward(client net.Conn, server string) {
	defer client.Close()
	upstream, err := net.Dial("unix", server)
	if err != nil {
		return
	}
	var answers sync.WaitGroup
	answers.Go(func() {
		_, _ = io.Copy(client, upstream)
		_ = client.Close()
	})
	r.forwardRequests(bufio.NewReader(client), upstream)
	_ = upstream.Close()
	answers.Wait()
}

// forwardRequests counts the messages after which a client waits: Sync and a simple Query. The first message of a
// connection has no type.
func (r *RoundTrips) forwardRequests(client *bufio.Reader, server io.Writer) {
	for typeBytes := 0; ; typeBytes = 1 {
		head := make([]byte, typeBytes+4)
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		if typeBytes == 1 && (head[0] == 'S' || head[0] == 'Q') {
			r.count.Add(1)
		}
		if _, err := server.Write(head); err != nil {
			return
		}
		rest := int64(binary.BigEndian.Uint32(head[typeBytes:])) - 4
		if _, err := io.CopyN(server, client, rest); err != nil {
			return
		}
	}
}
