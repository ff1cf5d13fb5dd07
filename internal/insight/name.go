package insight

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/store"
)

// nameOf names a group after its weightiest words, as they are written most often: a pair of neighbours where one weighs much, else
// one or two words, and more of them where the name is taken.
func nameOf(list []question, c cluster, taken map[string]bool) string {
	written := writtenBy(list, c.members)
	stems := headStems(c.centre)
	for n := min(2, len(stems)); n <= len(stems); n++ {
		var said []string
		for _, stem := range stems[:n] {
			said = append(said, written[stem])
		}
		name := capital(strings.Join(said, " "))
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
	heavy := heaviest(centre)
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

// writtenBy gives for each stem the word that stands for it most often.
func writtenBy(list []question, members []int) map[string]string {
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

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// unspecified is what filters call a conversation without a topic: no topic may have this name.
const unspecified = "unspecified"

// groupsOf makes new automatic topics of clusters. The names of those that are there are taken.
func groupsOf(list []question, found []cluster, there []store.InsightGroup) (groups []store.InsightGroup, members [][]int) {
	taken := map[string]bool{}
	for _, g := range there {
		taken[strings.ToLower(g.Name)] = true
	}
	for _, c := range found {
		name := nameOf(list, c, taken)
		if name == "" {
			continue
		}
		taken[strings.ToLower(name)] = true
		groups, members = append(groups, store.InsightGroup{Name: name, Terms: c.centre}), append(members, c.members)
	}
	return groups, members
}
