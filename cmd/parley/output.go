package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"parley/internal/api/admin"
	"parley/internal/server"
)

// printTable prints rows under a heading, or the text none if there are no rows.
func (p *process) printTable(heading, none string, rows [][]string) error {
	if len(rows) == 0 {
		return p.printf("%s\n", none)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, heading)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// printRows prints a row for each value of the list under a heading, or the text none if there are no values.
func printRows[T any](p *process, heading, none string, list []T, row func(T) []string) error {
	var rows [][]string
	for _, v := range list {
		rows = append(rows, row(v))
	}
	return p.printTable(heading, none, rows)
}

// asList returns a function that prints one value as a list of one.
func asList[T any](print func([]T) error) func(T) error {
	return func(v T) error { return print([]T{v}) }
}

func (p *process) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(p.stdout, format, args...)
	return err
}

func formatMap(m map[string]string) string {
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, k+"="+m[k])
	}
	return strings.Join(pairs, ",")
}

func formatDay(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

func orDash(s string) string { return cmp.Or(s, "-") }

// isTerminal reports whether w is a terminal, so that a person may be watching.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// lockTimeout is how long a command waits for another one to unlock the data directory.
const lockTimeout = 5 * time.Second

// runAdmin calls an operation of the operator's API on the data directory of the settings.
func runAdmin[In, Out any](p *process, op admin.Operation[In, Out], in In) (Out, error) {
	return admin.Run(p, p.adminClient(server.ModelConfig{}), op, in)
}

// adminClient returns a client of the operator's API. The models matter only where no server runs: a server has its
// own.
func (p *process) adminClient(models server.ModelConfig) *admin.Client {
	storage := p.commandLine.StorageConfig
	c := &admin.Client{DataDir: storage.Data, LockTimeout: lockTimeout, Holder: "parley " + p.kong.Command()}
	if storage.DatabaseURL == "" {
		c.DatabaseFile = server.SQLiteFile
	}
	c.Open = func(ctx context.Context) (*admin.Service, error) {
		log, err := p.newLogger("text,warn")
		if err != nil {
			return nil, err
		}
		service, err := server.OpenAdmin(ctx, server.Config{
			StorageConfig: storage,
			ServingConfig: server.ServingConfig{BaseURL: p.baseURL()}, // for links
			ModelConfig:   models,
			Now:           time.Now,
			Version:       version,
			Logger:        log,
		})
		return service, refuseData(err)
	}
	return c
}

// baseURL returns the address of the server that the environment or the file of settings names.
func (p *process) baseURL() string {
	return cmp.Or(os.Getenv("PARLEY_BASE_URL"), p.commandLine.File.Text("base-url"))
}

// printAdmin calls an operation and prints its answer: as JSON for programs, with print for people.
func printAdmin[In, Out any](p *process, op admin.Operation[In, Out], in In, print func(Out) error) error {
	out, err := runAdmin(p, op, in)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	return print(out)
}

// printAdminJSON calls an operation and prints its answer as JSON, for people too. Where the answer holds a secret that
// is not shown again, secret names it, and a person at a terminal is warned.
func printAdminJSON[In, Out any](p *process, op admin.Operation[In, Out], in In, secret string) error {
	out, err := runAdmin(p, op, in)
	if err != nil {
		return err
	}
	if secret != "" && isTerminal(p.stderr) && !p.commandLine.JSON {
		fmt.Fprintln(p.stderr, "Keep the "+secret+": it is shown only this once.")
	}
	return p.printJSON(out)
}
