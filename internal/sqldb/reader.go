package sqldb

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
)

// The database holds for each migration which version of the program ran it, and which migrations a program must know
// to use the database after it. So a program that finds migrations which it does not know can tell whether it may go on
// beside the newer one, and if not, which version is needed.

const createReaders = `
	create table if not exists migration_readers (
	  version bigint primary key,
	  reader bigint not null,
	  program text not null
	)`

var readerLine = regexp.MustCompile(`(?m)^-- reader: (\d+)$`)

// readerOf returns the lowest version that a program must know after a migration; 0 if it says nothing of it.
func readerOf(text string) int64 {
	m := readerLine.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	version, _ := strconv.ParseInt(m[1], 10, 64) // the pattern takes digits only
	return version
}

func (db *DB) saveReader(ctx context.Context, version, reader int64, program string) error {
	_, err := db.Exec(ctx, `
		insert into migration_readers (version, reader, program)
		values (?, ?, ?)
		on conflict (version) do nothing`, version, reader, program)
	return err
}

// databaseReader is what the database asks of programs.
type databaseReader struct {
	current int64  // the newest migration that the database has run
	needed  int64  // the lowest version that a program must know; current if that is not known
	program string // the version of the program that ran the needed migration; empty if it is not known

	currentProgram string // the same of the newest migration
}

// readReader reads what the database asks of a program that knows migrations up to a version.
func readReader(ctx context.Context, db *DB, newest int64) (r databaseReader, err error) {
	if r.current, err = currentVersion(ctx, db); err != nil {
		return r, err
	}
	programs := map[int64]string{}
	var version, reader int64
	var program string
	err = Each(ctx, db, []any{&version, &reader, &program}, func() {
		programs[version] = program
		r.needed = max(r.needed, reader)
	}, `select version, reader, program from migration_readers`)
	if _, isKnown := programs[r.current]; !isKnown && r.current > newest {
		r.needed = r.current
	}
	r.program, r.currentProgram = programs[r.needed], programs[r.current]
	return r, err
}

// checkReader refuses a database whose newest migrations need a newer program.
func (db *DB) checkReader(ctx context.Context, m migrations) error {
	newest := m.newest()
	r, err := readReader(ctx, db, newest)
	if err != nil || r.current <= newest {
		return err
	}
	if r.needed > newest {
		return fmt.Errorf("the database is at version %d, and this program knows %d: it belongs to a newer program. %s",
			r.current, newest, r.advice())
	}
	db.log.Warn("the database was brought up to date by a newer program; this one can still use it", "database", r.current,
		"program", newest)
	return nil
}

// advice says which program is needed.
func (r databaseReader) advice() string {
	if r.program == "" {
		return "Install the version that last ran on it, or a newer one"
	}
	return "Install Parley " + r.program + " or newer"
}
