package extract

import (
	"encoding/csv"
	"regexp"
	"strings"

	"parley/internal/ingest/extract/draft"
)

var (
	rstSimpleRule = regexp.MustCompile(`^=+(?: +=+)+$`)
	rstGridRule   = regexp.MustCompile(`^\+(?:[-=]+\+)+$`)
	rstCell       = regexp.MustCompile(`^(\* +)?- ?(.*)$`)
)

// maxRSTTable is the most lines of a table that is drawn with signs.
const maxRSTTable = 2000

// readTable reads a table that is drawn with signs: columns below rules of "=", or a grid.
func (r *rstReader) readTable() bool {
	line := r.lines[r.at]
	switch {
	case rstSimpleRule.MatchString(line):
		return r.readSimpleTable(ruleStarts(line, '='))
	case rstGridRule.MatchString(line):
		return r.readGrid(ruleStarts(line, '-', '='))
	}
	return false
}

// ruleStarts returns where the columns below a rule begin, in characters.
func ruleStarts(rule string, signs ...rune) (starts []int) {
	isIn := false
	for i, sign := range []rune(rule) {
		isRule := strings.ContainsRune(string(signs), sign)
		if isRule && !isIn {
			starts = append(starts, i)
		}
		isIn = isRule
	}
	return starts
}

// readSimpleTable reads the lines between rules; one without a first cell goes on with the row above.
func (r *rstReader) readSimpleTable(starts []int) bool {
	var rows [][]string
	rules := 1
	for at := r.at + 1; at < min(len(r.lines), r.at+maxRSTTable); at++ {
		line := r.lines[at]
		if rstSimpleRule.MatchString(line) {
			if rules++; rules > 2 || at+1 == len(r.lines) || r.lines[at+1] == "" {
				r.writeRows(rows)
				r.at = at + 1
				return true
			}
			continue
		}
		rows = addRow(rows, r.cutCells(line, starts, 0))
	}
	return false
}

// cutCells parts a line where columns begin; behind each but the last one are so many signs that are of none.
func (r *rstReader) cutCells(line string, starts []int, between int) []string {
	signs, cells := []rune(line), make([]string, len(starts))
	for k, start := range starts {
		end := len(signs)
		if k+1 < len(starts) {
			end = starts[k+1] - between
		}
		if end = min(end, len(signs)); start < end {
			cells[k] = r.inline(strings.TrimSpace(string(signs[start:end])))
		}
	}
	return cells
}

func addRow(rows [][]string, cells []string) [][]string {
	if n := len(rows); n > 0 && cells[0] == "" {
		joinCells(rows[n-1], cells)
		return rows
	}
	return append(rows, cells)
}

func joinCells(row, more []string) {
	for k, text := range more {
		row[k] = strings.TrimSpace(row[k] + " " + text)
	}
}

// readGrid reads a table with lines around its cells.
func (r *rstReader) readGrid(starts []int) bool {
	rows, open := [][]string{}, make([]string, len(starts))
	for r.at++; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		switch {
		case rstGridRule.MatchString(line):
			rows, open = append(rows, open), make([]string, len(starts))
		case strings.HasPrefix(line, "|"), strings.HasPrefix(line, "+"):
			joinCells(open, r.cutCells(strings.TrimSuffix(line, "|"), starts, 1))
		default:
			r.writeRows(append(rows, open))
			return true
		}
	}
	r.writeRows(append(rows, open))
	return true
}

// writeTable writes a table that is a list, or values between commas.
func (r *rstReader) writeTable(kind, caption string, body []string) {
	r.writeText(caption)
	header, content := splitOptions(body)
	if kind == "csv-table" {
		content = append([]string{header}, content...)
		c := csv.NewReader(strings.NewReader(strings.Join(content, "\n")))
		c.FieldsPerRecord, c.LazyQuotes, c.TrimLeadingSpace = -1, true, true
		rows, _ := c.ReadAll() // of a table that breaks off, nothing
		r.writeRows(rows)
		return
	}
	r.writeRows(r.listRows(content))
}

// splitOptions returns the names of the columns, where an option tells them, and what is behind the options.
func splitOptions(body []string) (header string, content []string) {
	for i, line := range body {
		if !strings.HasPrefix(line, ":") {
			return header, body[i:]
		}
		if names, found := strings.CutPrefix(line, ":header:"); found {
			header = strings.TrimSpace(names)
		}
	}
	return header, nil
}

// listRows reads rows that begin with "* -", and cells with "-".
func (r *rstReader) listRows(lines []string) (rows [][]string) {
	for _, line := range lines {
		found := rstCell.FindStringSubmatch(strings.TrimSpace(line))
		n := len(rows)
		switch {
		case found != nil && found[1] != "":
			rows = append(rows, []string{r.inline(found[2])})
		case n == 0:
		case found != nil:
			rows[n-1] = append(rows[n-1], r.inline(found[2]))
		default:
			last := &rows[n-1][len(rows[n-1])-1]
			*last += " " + r.inline(strings.TrimSpace(line))
		}
	}
	return rows
}

func (r *rstReader) writeRows(rows [][]string) {
	var d draft.Builder
	t := d.NewTable()
	for _, row := range rows {
		t.AddRow(row)
	}
	_ = t.Finish() // that it is too long shows in the text
	r.out.WriteString("\n" + d.Text() + "\n\n")
}
