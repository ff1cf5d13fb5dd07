package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Row is one line of the table.
type Row struct {
	Name      string   `json:"name"`
	Measure   string   `json:"measure"`
	Unit      string   `json:"unit"`
	Baseline  *float64 `json:"floor,omitempty"`
	Parley    *float64 `json:"ours,omitempty"`
	Ratio     *float64 `json:"ratio,omitempty"`
	Threshold string   `json:"mustReach,omitempty"`
	Pass      *bool    `json:"pass,omitempty"` // nil if nothing must be reached
	Note      string   `json:"note,omitempty"`
}

// Threshold is what a figure must reach.
type Threshold struct {
	Text  string
	IsMet func(measured, baseline float64) bool
}

func AtMost(n float64, unit string) Threshold {
	return Threshold{fmt.Sprintf("≤ %s", formatFigure(n, unit)), func(measured, _ float64) bool { return measured <= n }}
}

func AtLeast(n float64, unit string) Threshold {
	return Threshold{fmt.Sprintf("≥ %s", formatFigure(n, unit)), func(measured, _ float64) bool { return measured >= n }}
}

func AtMostTimes(n float64) Threshold {
	return Threshold{fmt.Sprintf("≤ %g × floor", n), func(measured, baseline float64) bool {
		return measured <= n*baseline
	}}
}

func AtLeastTimes(n float64) Threshold {
	return Threshold{fmt.Sprintf("≥ %g × floor", n), func(measured, baseline float64) bool {
		return measured >= n*baseline
	}}
}

// EitherOf is met where one of the two is.
func EitherOf(a, b Threshold) Threshold {
	return Threshold{a.Text + " or " + b.Text, func(measured, baseline float64) bool {
		return a.IsMet(measured, baseline) || b.IsMet(measured, baseline)
	}}
}

// ComparedRow returns a row that compares with the baseline, SingleRow one that does not.
func ComparedRow(measure, unit string, baseline, measured float64, b *Threshold) Row {
	r := SingleRow(measure, unit, measured, nil)
	r.Baseline = &baseline
	if baseline > 0 {
		ratio := measured / baseline
		r.Ratio = &ratio
	}
	return r.withThreshold(b, measured, baseline)
}

func SingleRow(measure, unit string, measured float64, b *Threshold) Row {
	r := Row{Measure: measure, Unit: unit, Parley: &measured}
	return r.withThreshold(b, measured, 0)
}

func (r Row) withThreshold(b *Threshold, measured, baseline float64) Row {
	if b != nil {
		pass := b.IsMet(measured, baseline)
		r.Threshold, r.Pass = b.Text, &pass
	}
	return r
}

// WithFailures marks a row of which n requests failed: whatever its figure, it is a miss.
func (r Row) WithFailures(n int, err error) Row {
	if n > 0 {
		r.Note = fmt.Sprintf("%d failed, first: %v", n, err)
		r.Pass = new(bool)
	}
	return r
}

func (r Row) verdict() string {
	switch {
	case r.Pass == nil:
		return ""
	case *r.Pass:
		return "pass"
	}
	return "**MISS**"
}

// formatFigure formats a number with its significant digits.
func formatFigure(n float64, unit string) string {
	digits := 0
	switch {
	case n < 0.1:
		digits = 3
	case n < 10:
		digits = 2
	case n < 100:
		digits = 1
	}
	text := fmt.Sprintf("%.*f", digits, n)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return strings.TrimSpace(cmp.Or(text, "0") + " " + unit)
}

func formatOptional(n *float64, unit string) string {
	if n == nil {
		return ""
	}
	return formatFigure(*n, unit)
}

// Report is the result of a run.
type Report struct {
	Machine machine `json:"machine"`
	Command string  `json:"command"`
	Rows    []Row   `json:"rows"`
}

func (r *Report) Add(name string, rows []Row) {
	for _, row := range rows {
		row.Name = name
		r.Rows = append(r.Rows, row)
	}
}

func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Machine: %s. Measured %s with `%s`.\n\n", r.Machine, r.Machine.Measure,
		strings.TrimSpace(r.Command))
	b.WriteString("| Measure | Floor | Parley | Ratio | Must reach | |\n|---|---|---|---|---|---|\n")
	var notes []string
	for _, row := range r.Rows {
		mark := ""
		if row.Note != "" {
			notes = append(notes, row.Note)
			mark = fmt.Sprintf(" [%d]", len(notes))
		}
		fmt.Fprintf(&b, "| %s%s | %s | %s | %s | %s | %s |\n", row.Measure, mark, formatOptional(row.Baseline, row.Unit),
			formatOptional(row.Parley, row.Unit), formatOptional(row.Ratio, ""), row.Threshold, row.verdict())
	}
	for i, note := range notes {
		fmt.Fprintf(&b, "\n%d. %s", i+1, note)
	}
	if len(notes) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
