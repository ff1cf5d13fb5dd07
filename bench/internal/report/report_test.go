package report

import (
	"errors"
	"strings"
	"testing"
)

func TestQuantile(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	for _, c := range []struct {
		values []int
		q      float64
		want   int
	}{
		{hundred, .5, 50}, {hundred, .99, 99}, {hundred, 1, 100}, {hundred, 0, 1}, {[]int{7}, .99, 7},
		{[]int{1, 2}, .5, 1}, {nil, .5, 0},
	} {
		if got := Quantile(c.values, c.q); got != c.want {
			t.Errorf("quantile %v of %d values = %d, want %d", c.q, len(c.values), got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	if got := Median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median of four = %v, want 2.5", got)
	}
}

func TestReportMarksMisses(t *testing.T) {
	atMostThreefold := AtMostTimes(3)
	rep := &Report{Command: "go run ./bench"}
	rep.Add("latency", []Row{
		ComparedRow("fast", "ms", 1, 2.9, &atMostThreefold),
		ComparedRow("slow", "ms", 1, 3.1, &atMostThreefold),
		ComparedRow("no bar", "ms", 0, 3, nil),
		SingleRow("broken", "MB", 1, nil).WithFailures(2, errors.New("it broke")),
	})
	var b strings.Builder
	if err := rep.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| fast | 1 ms | 2.9 ms | 2.9 | ≤ 3 × floor | pass |",
		"| slow | 1 ms | 3.1 ms | 3.1 | ≤ 3 × floor | **MISS** |",
		"| no bar | 0 ms | 3 ms |  |  |  |",
		"| broken [1] |  | 1 MB |  |  | **MISS** |",
		"1. 2 failed, first: it broke",
	} {
		if !strings.Contains(b.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, b.String())
		}
	}
}
