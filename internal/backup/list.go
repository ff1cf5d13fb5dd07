package backup

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Stored is a backup in a folder of backups or in a bucket.
type Stored struct {
	Path      string
	CreatedAt time.Time
}

// List lists the backups in a folder or a bucket, oldest first. A folder that does not exist has none.
func (in *Installation) List(ctx context.Context, at string) (list []Stored, err error) {
	names, err := in.listNames(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, isNamed := strings.CutPrefix(strings.TrimSuffix(path.Base(name), archiveSuffix), namePrefix)
		madeAt, err := time.Parse(timeLayout, text)
		if isNamed && err == nil {
			list = append(list, Stored{name, madeAt})
		}
	}
	slices.SortStableFunc(list, func(a, b Stored) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return list, nil
}

// listNames lists the paths of what is in a folder or a bucket.
func (in *Installation) listNames(ctx context.Context, at string) (paths []string, err error) {
	if IsBucket(at) {
		return in.listBucket(ctx, at)
	}
	entries, err := os.ReadDir(at)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		paths = append(paths, filepath.Join(at, entry.Name()))
	}
	return paths, nil
}

// Prune removes the oldest backups in a folder or a bucket but for a number of newest ones, and returns what it has
// removed.
func (in *Installation) Prune(ctx context.Context, at string, keep int) (removed []Stored, err error) {
	list, err := in.List(ctx, at)
	if err != nil || len(list) <= keep {
		return nil, err
	}
	for _, b := range list[:len(list)-keep] {
		if err := in.remove(ctx, b.Path); err != nil {
			return removed, err
		}
		removed = append(removed, b)
	}
	return removed, nil
}

func (in *Installation) remove(ctx context.Context, stored string) error {
	if IsBucket(stored) {
		return in.removeFromBucket(ctx, stored)
	}
	return os.RemoveAll(stored)
}
