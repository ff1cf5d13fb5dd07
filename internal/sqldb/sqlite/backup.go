package sqlite

import (
	"context"
	"errors"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// backupPages is how many pages are copied before the context is asked again.
const backupPages = 1024

// Backup copies the database to a file that does not exist yet. Within a transaction that has read, the copy is what
// that transaction sees. Others may write meanwhile. When ctx ends, an unfinished file is left.
func (c *Conn) Backup(ctx context.Context, path string) (err error) {
	to, err := Open(path, "journal_mode(off)", "synchronous(full)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	name, err := libc.CString("main")
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	backup := lib.Xsqlite3_backup_init(c.tls, to.db, name, c.db, name)
	if backup == 0 {
		return to.newError(lib.Xsqlite3_errcode(c.tls, to.db))
	}
	stepped := c.copyPages(ctx, backup)
	if rc := lib.Xsqlite3_backup_finish(c.tls, backup); rc != lib.SQLITE_OK && stepped == nil {
		return to.newError(rc)
	}
	return stepped
}

// copyPages copies the pages of a backup that has begun.
func (c *Conn) copyPages(ctx context.Context, backup uintptr) error {
	for ctx.Err() == nil {
		switch rc := lib.Xsqlite3_backup_step(c.tls, backup, backupPages); rc {
		case lib.SQLITE_DONE:
			return nil
		case lib.SQLITE_OK:
		default:
			return &Error{Code: int(rc), Message: "backup: " + libc.GoString(lib.Xsqlite3_errstr(c.tls, rc))}
		}
	}
	return ctx.Err()
}
