package s3_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/s3"
	"parley/internal/testkit/check"
	"parley/internal/testkit/s3server"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

func newClient(s *s3server.Server) *s3.Client {
	return &s3.Client{Config: s3.Config{Endpoint: s.URL, Region: s3server.Region, Key: s3server.Key,
		Secret: s3server.Secret}, Now: time.Now, Backoff: time.Millisecond}
}

func put(t *testing.T, c *s3.Client, key, content string) error {
	t.Helper()
	return c.Put(t.Context(), s3server.Bucket, key, strings.NewReader(content), int64(len(content)))
}

// Files come back as they were stored, in one piece or in parts, under any name.
func TestFilesAreStored(t *testing.T) {
	server := s3server.Start(t)
	c := newClient(server)
	c.PartBytes = 10
	large := strings.Repeat("0123456", 5)
	names := []string{"a/large", "a/small name+ü", "a/third", "b"}
	for name, content := range map[string]string{names[0]: large, names[1]: "0123456789", names[2]: "", names[3]: "x"} {
		check.Must(t, put(t, c, name, content))
		reader, err := c.Open(t.Context(), s3server.Bucket, name)
		check.Must(t, err)
		got, err := io.ReadAll(reader)
		check.Must(t, errors.Join(err, reader.Close()))
		if string(got) != content {
			t.Errorf("%s holds %q", name, got)
		}
	}
	list, err := c.List(t.Context(), s3server.Bucket, "a/")
	check.Must(t, err)
	if !slices.Equal(list, names[:3]) {
		t.Errorf("listed: %q", list)
	}
	check.Must(t, c.Remove(t.Context(), s3server.Bucket, names[0]))
	check.Must(t, c.Remove(t.Context(), s3server.Bucket, names[0]))
	if left := server.Files(); !slices.Equal(left, names[1:]) {
		t.Errorf("left: %q", left)
	}
}

func TestRefusalsAreTold(t *testing.T) {
	c := newClient(s3server.Start(t))
	_, err := c.List(t.Context(), "other", "")
	if err == nil || !strings.Contains(err.Error(), "404 NoSuchBucket: There is no such bucket") {
		t.Error(err)
	}
	c.Secret += "x"
	var refusal *s3.Error
	if err := put(t, c, "a", "content"); !errors.As(err, &refusal) || refusal.Status != http.StatusForbidden {
		t.Error(err)
	}
	_, err = newClient(s3server.Start(t)).Open(t.Context(), s3server.Bucket, "missing")
	if !errors.As(err, &refusal) || refusal.Code != "NoSuchKey" {
		t.Error(err)
	}
}

// What the service cannot do at the moment is tried again, with the same content.
func TestFailuresAreTriedAgain(t *testing.T) {
	server := s3server.Start(t)
	c := newClient(server)
	c.PartBytes = 4
	server.FailNext(http.StatusServiceUnavailable, http.StatusTooManyRequests)
	check.Must(t, put(t, c, "a", "0123456789"))
	server.FailNext(503, 503, 503, 503)
	if err := put(t, c, "b", "01"); err == nil || !slices.Equal(server.Files(), []string{"a"}) {
		t.Errorf("%v, %q", err, server.Files())
	}
}

// interrupting ends the context once the second part is read.
type interrupting struct {
	io.ReaderAt
	stop context.CancelFunc
}

func (i interrupting) ReadAt(p []byte, at int64) (int, error) {
	if at >= 4 {
		i.stop()
	}
	return i.ReaderAt.ReadAt(p, at)
}

// An upload that was interrupted leaves no parts behind, which would cost money.
func TestInterruptedUploadIsAborted(t *testing.T) {
	server := s3server.Start(t)
	c := newClient(server)
	c.PartBytes = 4
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	content := []byte("0123456789")
	err := c.Put(ctx, s3server.Bucket, "a", interrupting{bytes.NewReader(content), stop}, int64(len(content)))
	if !errors.Is(err, context.Canceled) || server.OpenUploads() != 0 || len(server.Files()) != 0 {
		t.Errorf("%v, %d open uploads, files %q", err, server.OpenUploads(), server.Files())
	}
	if requests := server.Requests(); !slices.Contains(requests, "DELETE part") {
		t.Errorf("asked for: %q", requests)
	}
}
