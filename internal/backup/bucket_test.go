package backup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/backup"
	"parley/internal/s3"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/s3server"
)

// serviceOf returns what calls a service of buckets.
func serviceOf(s *s3server.Server) *s3.Client {
	return &s3.Client{Config: s3.Config{Endpoint: s.URL, Region: s3server.Region, Key: s3server.Key,
		Secret: s3server.Secret}, Now: time.Now, Backoff: time.Millisecond, PartBytes: 100_000}
}

const inBucket = "s3://" + s3server.Bucket + "/shop"

// A backup in a bucket is restored from there, and the older ones are removed.
func TestBackupInABucket(t *testing.T) {
	server, now := s3server.Start(t), clock.New()
	in := newStopped(t)
	in.Now, in.S3 = now.Now, serviceOf(server)
	want := exportOf(t, in.Data, "")
	var paths []string
	for range 3 {
		stored, err := in.Write(t.Context(), inBucket, false)
		check.Must(t, err)
		paths = append(paths, stored.Path)
		now.Advance(time.Hour)
	}
	if left := listNames(t, in.Data); left != "parley.db parley.lock" {
		t.Errorf("left in the data folder: %s", left)
	}
	removed, err := in.Prune(t.Context(), inBucket, 2)
	check.Must(t, err)
	list, err := in.List(t.Context(), inBucket+"/")
	check.Must(t, err)
	if len(removed) != 1 || removed[0].Path != paths[0] || len(list) != 2 || list[1].Path != paths[2] {
		t.Errorf("made %q, removed %v, left %v", paths, removed, list)
	}
	if keys := server.Files(); !slices.Equal(keys, []string{keyOf(paths[1]), keyOf(paths[2])}) {
		t.Errorf("the bucket holds %q", keys)
	}

	restored := newInstallation(filepath.Join(t.TempDir(), "new"), "")
	restored.S3 = in.S3
	_, err = restored.Restore(t.Context(), paths[2], false)
	check.Must(t, err)
	if got := exportOf(t, restored.Data, ""); !bytes.Equal(got, want) {
		t.Errorf("another content is restored: %s", firstDifference(got, want))
	}
}

func keyOf(path string) string { return strings.TrimPrefix(path, "s3://"+s3server.Bucket+"/") }

func TestRefusalsOfBuckets(t *testing.T) {
	server := s3server.Start(t)
	in := newStopped(t)
	_, err := in.Write(t.Context(), inBucket, false)
	if err == nil || !strings.Contains(err.Error(), "set PARLEY_S3_KEY") {
		t.Errorf("without a key: %v", err)
	}
	in.S3 = serviceOf(server)
	if _, err := in.Write(t.Context(), "s3:///folder", false); err == nil ||
		!strings.Contains(err.Error(), "names no bucket") {
		t.Errorf("without a bucket: %v", err)
	}
	if _, err := in.Write(t.Context(), "s3://other", false); err == nil ||
		!strings.Contains(err.Error(), "NoSuchBucket") {
		t.Errorf("an unknown bucket: %v", err)
	}
	stored, err := in.Write(t.Context(), inBucket, false)
	check.Must(t, err)
	_, err = in.Restore(t.Context(), inBucket, true)
	if err == nil || !strings.Contains(err.Error(), stored.Path) {
		t.Errorf("a folder of backups: %v", err)
	}
	if _, err = in.Restore(t.Context(), inBucket+"/parley-none.tar.gz", true); err == nil ||
		!strings.Contains(err.Error(), "NoSuchKey") {
		t.Errorf("a missing backup: %v", err)
	}
}

// What a killed process has left is removed by the next backup; what may be another's is not.
func TestLeftArchivesAreRemoved(t *testing.T) {
	in := newStopped(t)
	in.S3, in.Now = serviceOf(s3server.Start(t)), time.Now
	old, fresh := filepath.Join(in.Data, ".backup-1"), filepath.Join(in.Data, ".backup-2")
	check.Must(t, os.Mkdir(old, 0o700))
	check.Must(t, os.Mkdir(fresh, 0o700))
	longAgo := time.Now().Add(-48 * time.Hour)
	check.Must(t, os.Chtimes(old, longAgo, longAgo))
	_, err := in.Write(t.Context(), inBucket, false)
	check.Must(t, err)
	if left := listNames(t, in.Data); strings.Contains(left, ".backup-1") || !strings.Contains(left, ".backup-2") {
		t.Errorf("left: %s", left)
	}
}

// The service is asked for its list only when a backup may be due.
func TestScheduleAsksTheBucketSeldom(t *testing.T) {
	server, now := s3server.Start(t), clock.New()
	in := newStopped(t)
	in.Now, in.S3 = now.Now, serviceOf(server)
	s := &backup.Schedule{Installation: *in, Folder: inBucket, Every: 24 * time.Hour, Keep: 2}
	check.Must(t, s.RunDue(t.Context()))
	check.Must(t, s.RunDue(t.Context()))
	server.Requests()
	for range 23 {
		now.Advance(time.Hour)
		check.Must(t, s.RunDue(t.Context()))
	}
	if requests := server.Requests(); len(requests) != 0 {
		t.Errorf("asked for %q", requests)
	}
	now.Advance(time.Hour)
	check.Must(t, s.RunDue(t.Context()))
	if n := len(server.Files()); n != 2 {
		t.Errorf("%d backups", n)
	}
}
