package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
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
