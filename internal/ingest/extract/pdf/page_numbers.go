package pdf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pageNumber matches a line that says on which page it is, and perhaps of how many.
var pageNumber = regexp.MustCompile(`(?i)^(?:[-–—\[(]\s*)?(?:(?:page|pagina|página|seite|s\.|p\.|pg\.?|sida|side|` +
	`sivu|strona|стр\.?|страница|صفحة)\s*)?(\d{1,4})\s*(?:(?:/|\||of|von|de|di|du|sur|van|av|af|z|из)\s*\d{1,4})?` +
	`\s*(?:页|ページ|쪽)?(?:\s*[-–—\])])?$`)

// removePageNumbers leaves out the lines at the top or the foot of pages that count them.
func removePageNumbers(pages [][]textLine) [][]textLine {
	out := slices.Clone(pages)
	for _, edge := range []func([]textLine) int{highestLine, lowestLine} {
		for i, k := range countingLines(out, edge) {
			out[i] = slices.Delete(slices.Clone(out[i]), k, k+1)
		}
	}
	return out
}

// countingLines finds the line of each page that counts it, where several pages have one: one more on each page.
func countingLines(pages [][]textLine, edge func([]textLine) int) map[int]int {
	found, offsets := map[int]int{}, map[int]int{} // lines, and how far their number is ahead, by page
	ahead := map[int]int{}                         // pages by how far their number is ahead
	for i, lines := range pages {
		k := edge(lines)
		if k < 0 {
			continue
		}
		if match := pageNumber.FindStringSubmatch(strings.TrimSpace(lines[k].text)); match != nil {
			n, _ := strconv.Atoi(match[1])
			found[i], offsets[i] = k, n-i
			ahead[n-i]++
		}
	}
	for i, offset := range offsets {
		if ahead[offset] < 2 || ahead[offset]*2 < len(offsets) {
			delete(found, i)
		}
	}
	return found
}

// lowestLine returns the line below all others; -1 if another is beside it.
func lowestLine(lines []textLine) int {
	return outermostLine(lines, func(a, b textLine) float64 { return b.y - a.y })
}

// highestLine returns the line above all others; -1 if another is beside it.
func highestLine(lines []textLine) int {
	return outermostLine(lines, func(a, b textLine) float64 { return a.y - b.y })
}

// outermostLine returns the line that is half a line or more beyond all others; beyond tells how far a is beyond b.
func outermostLine(lines []textLine, beyond func(a, b textLine) float64) int {
	best := 0
	for k, l := range lines {
		if beyond(l, lines[best]) > 0 {
			best = k
		}
	}
	for k, l := range lines {
		if k != best && beyond(lines[best], l) < 0.5*lines[best].size {
			return -1
		}
	}
	return min(best, len(lines)-1)
}
