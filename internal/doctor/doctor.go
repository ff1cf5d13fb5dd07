// Package doctor examines an installation: its settings, its data, the servers and programs that it works with, and the
// machine it is on. It leaves nothing behind, and works beside a running server as well as without one.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"parley/internal/datadir"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Status is what a check has come to.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warning Status = "warning" // it works, and something deserves attention
	Fault   Status = "fault"   // something does not work, or will not at the next start
)

// Finding is what a check has found.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do; empty if all is in order
}

// Doctor examines one installation.
type Doctor struct {
	Config   server.Config // as the server has it
	Settings []string      // the names of all variables that are settings
	Environ  []string      // of this process, each NAME=VALUE
	Deep     bool          // also reads whole files and indexes, which takes as long as the disk does

	FreeSpace func(dir string) (free, total uint64, err error) // of the disk; nil asks the system
}

// check is one of the checks. It adds what is not in order to the report, or else what is.
type check struct {
	name string
	run  func(d *Doctor, ctx context.Context, r *report)
}

// checks lists the checks in the order in which they are shown.
var checks = []check{
	{"settings", (*Doctor).checkSettings},
	{"variables", (*Doctor).checkVariables},
	{"address", (*Doctor).checkAddress},
	{"certificate", (*Doctor).checkCertificate},
	{"data folder", (*Doctor).checkFolder},
	{"permissions", (*Doctor).checkPermissions},
	{"disk", (*Doctor).checkDisk},
	{"server", (*Doctor).checkServer},
	{"database", (*Doctor).checkDatabase},
	{"schema", (*Doctor).checkSchema},
	{"clock", (*Doctor).checkClock},
	{"files", (*Doctor).checkFiles},
	{"backups", (*Doctor).checkBackups},
	{"secrets", (*Doctor).checkSecrets},
	{"plans", (*Doctor).checkPlans},
	{"sources", (*Doctor).checkSources},
	{"index", (*Doctor).checkIndex},
	{"jobs", (*Doctor).checkJobs},
	{"imports", (*Doctor).checkImports},
	{"webhooks", (*Doctor).checkWebhooks},
	{"models", (*Doctor).checkModels},
	{"embedding", (*Doctor).checkEmbedding},
	{"reranking", (*Doctor).checkReranking},
	{"speech", (*Doctor).checkSpeech},
	{"web search", (*Doctor).checkWebSearch},
	{"media server", (*Doctor).checkMediaServer},
	{"file readers", (*Doctor).checkReaders},
	{"mail", (*Doctor).checkMail},
	{"single sign-on", (*Doctor).checkSingleSignOn},
	{"traces", (*Doctor).checkTraces},
	{"redis", (*Doctor).checkRedis},
}

// Run runs all checks. Each check has one finding or more.
func (d *Doctor) Run(ctx context.Context) []Finding {
	var all []Finding
	for _, c := range checks {
		r := &report{check: c.name}
		c.run(d, ctx, r)
		all = append(all, r.findings...)
	}
	return all
}

// report takes what one check finds.
type report struct {
	check    string
	findings []Finding
}

func (r *report) add(status Status, advice, format string, args []any) {
	r.findings = append(r.findings, Finding{r.check, status, fmt.Sprintf(format, args...), advice})
}

// warn reports what deserves attention, with what to do.
func (r *report) warn(advice, format string, args ...any) { r.add(Warning, advice, format, args) }

// fail reports what does not work, with what to do.
func (r *report) fail(advice, format string, args ...any) { r.add(Fault, advice, format, args) }

// pass reports what is in order, if nothing else has been reported.
func (r *report) pass(format string, args ...any) {
	if len(r.findings) == 0 {
		r.add(OK, "", format, args)
	}
}

// isServing reports whether a server has the data open.
func (d *Doctor) isServing() bool { return datadir.IsServerListening(d.Config.Data) }

func (d *Doctor) isPostgres() bool { return d.Config.DatabaseURL != "" }

// openSnapshot opens the database as it is. One that uploaded files have lost is not opened: it is no new one.
func (d *Doctor) openSnapshot(ctx context.Context) (*sqldb.Snapshot, error) {
	if err := d.Config.CheckDataFolder(); err != nil {
		return nil, err
	}
	return sqldb.OpenSnapshot(ctx, sqldb.Config{URL: d.Config.Database(), Logger: d.Config.Logger})
}

// read calls use with the data. A database that cannot be opened is reported by the check of the database alone, and
// what the schema lacks by that of the schema.
func (d *Doctor) read(ctx context.Context, r *report, use func(db *store.DB) error) {
	snapshot, err := d.openSnapshot(ctx)
	if err != nil {
		r.pass("not checked: there is no database that can be read")
		return
	}
	defer func() { _ = snapshot.Close() }()
	schema, err := snapshot.Schema(ctx, store.Migrations())
	if err == nil && schema.Version < schema.Newest {
		r.pass("not checked: the database is brought up to date at the next start")
		return
	}
	if err == nil {
		err = use(store.New(snapshot.DB))
	}
	if err != nil {
		r.fail("See the finding of the database; without one, report this as a fault of Parley.", "%v", err)
	}
}

// isMissing reports whether an error says that a file is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// countText returns a number with its noun, such as "1 file" or "2 files".
func countText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
