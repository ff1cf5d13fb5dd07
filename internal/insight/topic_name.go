package insight

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/store"
)

// groupName names a group after its weightiest words, as they are written most often: a pair of neighbours where one
// weighs much, else one or two words, and more of them where the name is taken.
func groupName(list []question, c cluster, taken map[string]bool) string {
	forms := commonForms(list, c.members)
	stems := headStems(c.centroid)
	for n := min(2, len(stems)); n <= len(stems); n++ {
		var parts []string
		for _, stem := range stems[:n] {
			parts = append(parts, forms[stem])
		}
		name := capitalize(strings.Join(parts, " "))
		if !taken[strings.ToLower(name)] && name != "" && !strings.EqualFold(name, unspecified) {
			return name
		}
	}
	return ""
}

// headStems lists the single stems of a centre, those of the weightiest pair first and in its order.
func headStems(centre vector) (stems []string) {
	seen := map[string]bool{}
	add := func(stem string) {
		if !seen[stem] {
			seen[stem] = true
			stems = append(stems, stem)
		}
	}
	heavy := termsByWeight(centre)
	for _, term := range heavy[:min(4, len(heavy))] {
		if a, b, pair := strings.Cut(term, " "); pair {
			add(a)
			add(b)
			break
		}
	}
	for _, term := range heavy {
		if !strings.Contains(term, " ") {
			add(term)
		}
	}
	return stems[:min(5, len(stems))]
}

// commonForms returns for each stem the word that stands for it most often.
func commonForms(list []question, members []int) map[string]string {
	count := map[string]int{}
	for _, i := range members {
		for term := range list[i].terms {
			if strings.Contains(term, "|") {
				count[term]++
			}
		}
	}
	best := map[string]string{}
	for _, term := range sortedKeys(count) {
		stem, word, _ := strings.Cut(term, "|")
		if b, ok := best[stem]; !ok || count[term] > count[stem+"|"+b] {
			best[stem] = word
		}
	}
	return best
}

func capitalize(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// unspecified is what filters call a conversation without a topic: no topic may have this name.
const unspecified = "unspecified"

// newGroups makes new automatic topics of clusters. The names of those that are there are taken.
func newGroups(list []question, found []cluster, existing []store.InsightGroup) (groups []store.InsightGroup,
	members [][]int) {
	taken := map[string]bool{}
	for _, g := range existing {
		taken[strings.ToLower(g.Name)] = true
	}
	for _, c := range found {
		name := groupName(list, c, taken)
		if name == "" {
			continue
		}
		taken[strings.ToLower(name)] = true
		groups, members = append(groups, store.InsightGroup{Name: name, Terms: c.centroid}), append(members, c.members)
	}
	return groups, members
}
