package web

import (
	"fmt"
	"slices"

	"parley/bench/internal/report"
)

// figures are what a script measured: by name a figure for each time that it looked.
type figures struct {
	Console  map[string][]float64 `json:"console"`
	Baseline map[string][]float64 `json:"floor"`

	Lost    int `json:"lost"`    // rows that did not come
	Doubled int `json:"doubled"` // rows that came twice

	Names  []string `json:"names"`  // of the screens, in the order of their figures
	Steps  []string `json:"steps"`  // of the walk, in the order of theirs
	Missed []string `json:"missed"` // steps that could not be taken

	Walk walkFigures `json:"walk"`
}

// walkFigures are of the way down a long list.
type walkFigures struct {
	Read     float64 `json:"read"`     // rows
	Time     float64 `json:"time"`     // milliseconds
	Elements float64 `json:"elements"` // in the page at the end
	Frame    float64 `json:"frame"`    // the longest, milliseconds
	Heap     float64 `json:"heap"`     // MB
}

func quantile(values []float64, q float64) float64 {
	return report.Quantile(slices.Sorted(slices.Values(values)), q)
}

func longest(values []float64) float64 { return quantile(values, 1) }

// comparedRow compares a quantile of what a script measured on both pages.
func (f *figures) comparedRow(measure, key string, q float64, t *report.Threshold) report.Row {
	if len(f.Baseline[key]) == 0 {
		return f.singleRow(measure, key, q, t)
	}
	return report.ComparedRow(measure, "ms", quantile(f.Baseline[key], q), quantile(f.Console[key], q), t).
		WithFailures(lackOf(f.Console[key]))
}

func (f *figures) singleRow(measure, key string, q float64, t *report.Threshold) report.Row {
	return report.SingleRow(measure, "ms", quantile(f.Console[key], q), t).WithFailures(lackOf(f.Console[key]))
}

// lackOf has a row without any figure be a miss: the quantile of nothing is 0, which would pass.
func lackOf(values []float64) (int, error) {
	if len(values) > 0 {
		return 0, nil
	}
	return 1, fmt.Errorf("nothing was measured")
}

// worst is the largest value and its name.
func worst(values []float64, names []string) (float64, string) {
	at := 0
	for i, v := range values {
		if v > values[at] {
			at = i
		}
	}
	if at >= len(values) || at >= len(names) {
		return 0, ""
	}
	return values[at], names[at]
}
