package sqldb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// What is acknowledged may be in the write-ahead log alone, and SQLite opens a database whose log is missing without an
// error, as it was before the log. So the first commit after each checkpoint increments the database's user_version,
// and a file beside the database holds the count that was acknowledged. If a start finds that count neither in the
// database nor in its log, the log was lost.
//
// The file is written once for some megabytes of log. It is removed when the database is closed and its log is empty.

// commitCounterSuffix follows the database's name in the name of the file.
const commitCounterSuffix = "-unmerged"

// commitCounter counts the commits that the log must hold. Only the writer's goroutine uses it, but any may set
// incrementDue.
type commitCounter struct {
	path         string
	file         *os.File
	acknowledged uint32      // the count that was acknowledged
	incrementDue atomic.Bool // the next transaction must increment the count
	incrementing bool        // the transaction increments it, or one before it that failed should have
}

// openCommitCounter opens the file, or creates it, and writes the database's own count to it.
func openCommitCounter(database string, count uint32) (*commitCounter, error) {
	c := &commitCounter{path: database + commitCounterSuffix, acknowledged: count}
	file, err := os.OpenFile(c.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	c.file = file
	c.incrementDue.Store(true)
	if err := errors.Join(c.write(count), syncDir(c.path)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return c, nil
}

// write writes a count to disk. All counts have the same length, so that later ones fit even when the disk is full.
func (c *commitCounter) write(count uint32) error {
	if _, err := c.file.WriteAt(fmt.Appendf(nil, "%010d\n", count), 0); err != nil {
		return err
	}
	return c.file.Sync()
}

// begin increments the count in a transaction that has begun, when that is due.
func (c *commitCounter) begin(conn *writeConn) error {
	if c.incrementing = c.incrementDue.Swap(false) || c.incrementing; !c.incrementing {
		return nil
	}
	next := int32(c.acknowledged + 1) //nolint:gosec // it wraps as SQLite's does
	return conn.runStatement(fmt.Sprintf("pragma user_version = %d", next))
}

// recordCommit writes the count of a commit that is on disk, before that commit is acknowledged. If it cannot be
// written, the next commit increments the count again.
func (c *commitCounter) recordCommit() error {
	if !c.incrementing {
		return nil
	}
	c.acknowledged++
	err := c.write(c.acknowledged)
	c.incrementing = err != nil
	return err
}

// remove removes the file, when nothing is in the log alone.
func (c *commitCounter) remove() error {
	return errors.Join(os.Remove(c.path), syncDir(c.path))
}

// syncDir syncs the folder of a file, so that the file's name is durable.
func syncDir(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// checkFiles refuses a database that lacks acknowledged commits, before anything is changed. Its errors are written for
// the operator.
func checkFiles(database string) error {
	wanted, exists, err := readCommitCounter(database + commitCounterSuffix)
	if err != nil {
		return err
	}
	head, err := readHeader(database)
	if err != nil {
		return err
	}
	log, err := readWAL(database + "-wal")
	if err != nil {
		return err
	}
	switch {
	case len(head) == 0 && (log.size > 0 || wanted > 0):
		return fmt.Errorf("%s is empty or missing, but files of its data are beside it (%s-*). "+
			"Restore it from a backup; to begin with an empty one, move those files away first", database, database)
	case len(head) == 0:
		return nil
	case log.size >= walHeaderBytes && !log.valid:
		return fmt.Errorf("%s-wal is damaged: the newest changes may be in it alone. "+
			"Restore it, or the whole data directory, from a backup; to start without these changes, move it and %s away",
			database, database+commitCounterSuffix)
	case exists && isBehind(pageUserVersion(head), wanted) && (!log.hasCount || isBehind(log.count, wanted)):
		return fmt.Errorf("%s-wal is missing or not the one that belongs to %s: the newest changes were in it. "+
			"Restore it, or the whole data directory, from a backup; "+
			"to start without these changes, as after restoring %s alone, remove %s",
			database, database, filepath.Base(database), database+commitCounterSuffix)
	}
	return nil
}

// isBehind reports whether a count is lower than another. Counts wrap around.
func isBehind(count, other uint32) bool { return int32(count-other) < 0 } //nolint:gosec // meant

// readCommitCounter reads the count that was acknowledged. An empty file counts as none.
func readCommitCounter(path string) (count uint32, exists bool, err error) {
	text, err := os.ReadFile(path) //nolint:gosec // a path of ours
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
	if err != nil {
		return 0, false,
			fmt.Errorf("%s is damaged. It says what the log beside it must hold; remove it once you know that %s is whole",
				path, strings.TrimSuffix(path, commitCounterSuffix)+"-wal")
	}
	return uint32(n), true, nil
}

const headerBytes = 100 // of a database

// readHeader reads the header of a database file. For a file that does not exist it is empty.
func readHeader(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // nobody has the database open, so its locks do not matter
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	head := make([]byte, headerBytes)
	n, err := io.ReadFull(file, head)
	return head[:n], errors.Join(ignoreEOF(err), file.Close())
}

// pageUserVersion reads user_version in the first page of a database.
func pageUserVersion(page []byte) uint32 {
	const at = 60
	if len(page) < at+4 {
		return 0
	}
	return binary.BigEndian.Uint32(page[at:])
}
