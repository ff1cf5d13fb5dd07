package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const bucketScheme = "s3://"

// IsBucket reports whether the place of backups is a bucket of an S3 service: s3://BUCKET/FOLDER.
func IsBucket(at string) bool { return strings.HasPrefix(at, bucketScheme) }

// parseBucket returns the bucket of a place, and the key of what it names there.
func parseBucket(at string) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(at, bucketScheme), "/")
	return bucket, strings.Trim(key, "/")
}

var errNoService = errors.New("backups in s3:// need the key of the service: set PARLEY_S3_KEY and " +
	"PARLEY_S3_SECRET, and PARLEY_S3_ENDPOINT unless it is Amazon's")

// checkBucket checks that a bucket is named and that its service can be asked.
func (in *Installation) checkBucket(at string) error {
	bucket, _ := parseBucket(at)
	switch {
	case bucket == "":
		return fmt.Errorf("%s names no bucket: write s3://BUCKET/FOLDER", at)
	case in.S3 == nil:
		return errNoService
	}
	return nil
}

func (in *Installation) listBucket(ctx context.Context, at string) (paths []string, err error) {
	if err := in.checkBucket(at); err != nil {
		return nil, err
	}
	bucket, folder := parseBucket(at)
	if folder != "" {
		folder += "/"
	}
	keys, err := in.S3.List(ctx, bucket, folder+namePrefix)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", at, err)
	}
	for _, key := range keys {
		paths = append(paths, bucketScheme+bucket+"/"+key)
	}
	return paths, nil
}

func (in *Installation) removeFromBucket(ctx context.Context, stored string) error {
	bucket, key := parseBucket(stored)
	return in.S3.Remove(ctx, bucket, key)
}

// writeToBucket makes an archive and stores it in a bucket.
func (in *Installation) writeToBucket(ctx context.Context, to string) (_ *Result, err error) {
	if _, err := in.listBucket(ctx, to); err != nil { // before the work begins
		return nil, err
	}
	dir, err := in.makeStaging()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	local, err := in.writeToFolder(ctx, dir, true)
	if err != nil {
		return nil, err
	}
	stored := strings.TrimRight(to, "/") + "/" + filepath.Base(local.Path)
	if err := in.storeInBucket(ctx, local.Path, stored); err != nil {
		return nil, fmt.Errorf("store %s: %w", stored, err)
	}
	return &Result{Path: stored, Manifest: local.Manifest}, nil
}

func (in *Installation) storeInBucket(ctx context.Context, file, stored string) error {
	content, err := os.Open(file) //nolint:gosec // a file of ours
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
	info, err := content.Stat()
	if err != nil {
		return err
	}
	bucket, key := parseBucket(stored)
	return in.S3.Put(ctx, bucket, key, content, info.Size())
}

const (
	stagingPrefix = ".backup-" // begins the names of folders in which archives for a bucket are made
	// stagingTime is how long such a folder is left alone: a killed process has left an older one.
	stagingTime = 24 * time.Hour
)

// makeStaging makes a folder for an archive: in the data directory, where there is space, or else for temporary files.
func (in *Installation) makeStaging() (string, error) {
	if _, err := os.Stat(in.Data); err != nil {
		return os.MkdirTemp("", stagingPrefix)
	}
	old, _ := filepath.Glob(in.inData(stagingPrefix + "*"))
	for _, dir := range old {
		if info, err := os.Stat(dir); err == nil && in.Now().Sub(info.ModTime()) > stagingTime {
			_ = os.RemoveAll(dir) // it is tried again the next time
		}
	}
	return os.MkdirTemp(in.Data, stagingPrefix)
}

// openBackup opens the archive of a backup: a file, or one in a bucket.
func (in *Installation) openBackup(ctx context.Context, stored string) (io.ReadCloser, error) {
	if !IsBucket(stored) {
		return os.Open(stored) //nolint:gosec // the operator names it
	}
	if err := in.checkBucket(stored); err != nil {
		return nil, err
	}
	bucket, key := parseBucket(stored)
	return in.S3.Open(ctx, bucket, key)
}
