package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/datadir"
	"parley/internal/server"
	"parley/internal/store"
)

// checkFolder checks that the data folder is one, and holds the database that its files belong to.
func (d *Doctor) checkFolder(_ context.Context, r *report) {
	dir := d.Config.Data
	info, err := os.Stat(dir)
	switch {
	case isMissing(err):
		r.warn("Name the right folder with PARLEY_DATA or --data; \"parley serve\" makes a new one.",
			"the data folder %s does not exist", dir)
		return
	case err != nil:
		r.fail("Let the user of the server enter the folder.", "the data folder cannot be read: %v", err)
		return
	case !info.IsDir():
		r.fail("Move the file away, or name another folder with PARLEY_DATA or --data.", "%s is not a folder", dir)
		return
	}
	d.checkFolderContent(r)
	r.pass("%s", dir)
}

func (d *Doctor) checkFolderContent(r *report) {
	if err := d.Config.CheckDataFolder(); err != nil {
		r.fail("Restore the database from a backup: \"parley restore --help\".", "%v", err)
	}
	uploads := d.Config.UploadsDir()
	if info, err := os.Stat(uploads); err == nil && !info.IsDir() {
		r.fail("Move the file away: uploads need a folder there.", "%s is not a folder", uploads)
	}
}

// checkPermissions checks that the server may write everything in the data folder, and that nobody else may read it.
func (d *Doctor) checkPermissions(_ context.Context, r *report) {
	folder, err := os.Stat(d.Config.Data)
	if err != nil || !folder.IsDir() {
		r.pass("not checked: there is no data folder")
		return
	}
	d.checkModes(r)
	owner, known := datadir.OwnerID(folder)
	if !known {
		r.pass("not checked: files have no numbers of owners here")
		return
	}
	if uid := os.Geteuid(); uid != 0 && uid != owner {
		r.warn("Run the commands as the user that owns the data, such as \"sudo -u parley parley doctor\".",
			"the data belongs to user %d, and this is user %d", owner, uid)
	}
	foreign, first := countForeignFiles(d.Config.Data, owner)
	if foreign > 0 {
		r.fail(fmt.Sprintf("Give them back: chown -R %d %s", owner, d.Config.Data),
			"%s in the data folder belong to another user than the folder, such as %s: the server may not be able to "+
				"write them", countText(foreign, "file", "files"), first)
	}
	r.pass("only user %d may read the data", owner)
}

// checkModes reports what other users of this machine may read.
func (d *Doctor) checkModes(r *report) {
	const others = 0o077
	for _, name := range []string{"", server.SQLiteFile, server.SQLiteFile + "-wal", server.UploadsFolder} {
		path := filepath.Join(d.Config.Data, name)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&others == 0 {
			continue
		}
		if name == "" && info.Mode().Perm()&others == 0o055 && isPrivate(filepath.Join(path, server.SQLiteFile)) {
			continue // a usual folder whose database is private
		}
		r.warn(fmt.Sprintf("Take that right away: chmod go-rwx %s", path), "other users of this machine may read %s (%s)",
			path, info.Mode().Perm())
	}
}

func isPrivate(file string) bool {
	info, err := os.Stat(file)
	return err != nil || info.Mode().Perm()&0o077 == 0
}

// countForeignFiles counts the files that another user owns, and names the first.
func countForeignFiles(dir string, owner int) (n int, first string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read now is not counted
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // the file has gone meanwhile
		}
		if uid, known := datadir.OwnerID(info); known && uid != owner {
			if n++; n == 1 {
				first = path
			}
		}
		return nil
	})
	return n, first
}

const (
	mebibyte = 1 << 20
	// minFree is how much space is needed for a while; with less than lowFree it is time to act.
	minFree = 200 * mebibyte
	lowFree = 2048 * mebibyte
	// lowShare is the share of the disk that should be free, where the disk is small.
	lowShare = 0.1
)

// checkDisk checks that there is space for the data to grow, and for the log of the database.
func (d *Doctor) checkDisk(ctx context.Context, r *report) {
	d.checkQuota(ctx, r)
	freeSpace := d.FreeSpace
	if freeSpace == nil {
		freeSpace = datadir.FreeSpace
	}
	dir := d.Config.Data
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Dir(filepath.Clean(dir))
	}
	free, total, err := freeSpace(dir)
	if err != nil {
		r.pass("not checked: %v", err)
		return
	}
	const advice = "Make room, or move the data to a larger disk. When the disk is full, Parley refuses what it cannot " +
		"write and goes on reading."
	text := fmt.Sprintf("%d MB of %d MB are free on the disk of %s", free/mebibyte, total/mebibyte, dir)
	switch {
	case free < minFree:
		r.fail(advice, "%s", text)
	case free < lowFree && float64(free) < lowShare*float64(total):
		r.warn(advice, "%s", text)
	}
	r.pass("%s", text)
}

const (
	// minQuotaPages is how many pages a write may need at most, but for long texts.
	minQuotaPages = 16
	// lowQuotaShare is the share of the quota that should be free.
	lowQuotaShare = 0.1
)

// checkQuota checks that the database may still grow, or has free pages within.
func (d *Doctor) checkQuota(ctx context.Context, r *report) {
	quota := int64(d.Config.DatabaseQuota)
	if quota == 0 || d.isPostgres() {
		return
	}
	snapshot, err := d.openSnapshot(ctx)
	if err != nil {
		return // the check of the database reports it
	}
	defer func() { _ = snapshot.Close() }()
	pages, unused, err := snapshot.Pages(ctx)
	if err != nil {
		return
	}
	const advice = "Raise PARLEY_DATABASE_QUOTA and start the server again, or delete what is not needed. When the " +
		"quota is reached, Parley refuses what it cannot write and goes on reading."
	free := max(quota-pages, 0) + unused
	text := fmt.Sprintf("%d of the %d pages of PARLEY_DATABASE_QUOTA are free", free, quota)
	switch {
	case free < minQuotaPages:
		r.fail(advice, "the database is full: %s", text)
	case float64(free) < lowQuotaShare*float64(quota):
		r.warn(advice, "%s", text)
	}
}

// checkServer checks that a server runs on the data or could be started.
func (d *Doctor) checkServer(ctx context.Context, r *report) {
	if d.isServing() {
		r.pass("a server runs on the data")
		return
	}
	if holder := d.lockHolder(); holder != "" {
		r.fail("Wait until it has ended, or stop it if it hangs.", "the data is held by %s, which does not answer on its "+
			"admin socket", holder)
		return
	}
	d.checkListeners(ctx, r)
}

// lockHolder returns who has the data open; empty if nobody has.
func (d *Doctor) lockHolder() string {
	if _, err := os.Stat(filepath.Join(d.Config.Data, datadir.LockFile)); err != nil {
		return "" // trying would create the file
	}
	lock, err := datadir.TryLock(d.Config.Data, "parley doctor")
	if errors.Is(err, datadir.ErrLocked) {
		return strings.TrimPrefix(err.Error(), datadir.ErrLocked.Error()+" by ")
	}
	_ = lock.Unlock()
	return ""
}

// maxClockDifference is by how much the clocks of machines may differ without harm.
const maxClockDifference = 30 * time.Second

// checkClock checks that time has not gone backwards since the newest event, and that the database agrees.
func (d *Doctor) checkClock(ctx context.Context, r *report) {
	const advice = "Set the clock, and keep it right with NTP (timedatectl set-ntp true). Leases, limits, links and " +
		"the order of messages rest on it."
	now := d.Config.Now()
	d.read(ctx, r, func(db *store.DB) error {
		last, err := db.LastEventAt(ctx)
		if ahead := last.Sub(now); err == nil && ahead > maxClockDifference {
			r.fail(advice, "the clock says %s, and the newest event is %s later: it is slow, or was fast", now.UTC().Format(
				time.DateTime), ahead.Round(time.Second))
		}
		return err
	})
	if d.isPostgres() {
		d.checkPostgresClock(ctx, r, advice)
	}
	r.pass("%s UTC", now.UTC().Format(time.DateTime))
}

func (d *Doctor) checkPostgresClock(ctx context.Context, r *report, advice string) {
	snapshot, err := d.openSnapshot(ctx)
	if err != nil {
		return // the check of the database reports it
	}
	defer func() { _ = snapshot.Close() }()
	state, err := snapshot.PostgresState(ctx)
	if err != nil {
		return
	}
	if difference := state.Clock.Sub(d.Config.Now()).Abs(); difference > maxClockDifference {
		r.warn(advice, "the clocks of this machine and of PostgreSQL differ by %s", difference.Round(time.Second))
	}
}
