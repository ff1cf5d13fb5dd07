package manifest

import (
	"fmt"
	"strings"
)

const (
	contextLines   = 3         // lines shown before and after a difference
	maxComparisons = 4_000_000 // pairs of lines compared; what is larger is shown as replaced
)

// Diff returns the differences between two texts as lines that begin with -, + or a space, parted where lines are left
// out. It is empty when the texts are the same.
func Diff(before, after string) string {
	lines := diffTexts(splitLines(before), splitLines(after))
	var out strings.Builder
	shown := -1
	for i := range lines {
		if !isNearChange(lines, i) {
			continue
		}
		if i != shown+1 {
			out.WriteString(" ⋮\n")
		}
		fmt.Fprintf(&out, "%c%s\n", lines[i].sign, lines[i].text)
		shown = i
	}
	if shown >= 0 && shown < len(lines)-1 {
		out.WriteString(" ⋮\n")
	}
	return out.String()
}

type diffLine struct {
	sign byte
	text string
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func isNearChange(lines []diffLine, at int) bool {
	for i := max(0, at-contextLines); i <= min(len(lines)-1, at+contextLines); i++ {
		if lines[i].sign != ' ' {
			return true
		}
	}
	return false
}

// diffTexts takes the common lines off both ends and finds the longest common run in between.
func diffTexts(a, b []string) []diffLine {
	var lines []diffLine
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		lines = append(lines, diffLine{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	common := 0
	for common < min(len(a), len(b)) && a[len(a)-1-common] == b[len(b)-1-common] {
		common++
	}
	lines = append(lines, diffMiddle(a[:len(a)-common], b[:len(b)-common])...)
	for _, line := range a[len(a)-common:] {
		lines = append(lines, diffLine{' ', line})
	}
	return lines
}

// diffMiddle compares by the table of longest common subsequences.
func diffMiddle(a, b []string) (lines []diffLine) {
	var common [][]int32
	if len(a)*len(b) <= maxComparisons {
		common = lcsTable(a, b)
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case common != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, diffLine{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common == nil || common[i+1][j] >= common[i][j+1]):
			lines = append(lines, diffLine{'-', a[i]})
			i++
		default:
			lines = append(lines, diffLine{'+', b[j]})
			j++
		}
	}
	return lines
}

// lcsTable returns the length of the longest common subsequence of a[i:] and b[j:].
func lcsTable(a, b []string) [][]int32 {
	t := make([][]int32, len(a)+1)
	for i := range t {
		t[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				t[i][j] = t[i+1][j+1] + 1
			} else {
				t[i][j] = max(t[i+1][j], t[i][j+1])
			}
		}
	}
	return t
}
