package synonym_test

import (
	"fmt"
	"testing"

	"parley/internal/synonym"
)

// A new group takes in the groups that share a word with it, at the place of the first of them; all words keep
// their order.
func TestGroupsThatShareAWordBecomeOne(t *testing.T) {
	for _, c := range []struct {
		groups [][]string
		group  []string
		want   string
	}{
		{nil, []string{"bill", "invoice"}, "[[bill invoice]]"},
		{nil, []string{"bill", "Bill", "invoice"}, "[[bill invoice]]"},
		{[][]string{{"a", "b"}}, []string{"bill", "invoice"}, "[[a b] [bill invoice]]"},
		{[][]string{{"a", "b"}, {"Invoice", "c"}, {"d", "e"}}, []string{"bill", "invoice"}, "[[a b] [Invoice c bill] [d e]]"},
		{[][]string{{"a", "b"}, {"c", "d"}, {"e", "f"}}, []string{"d", "a"}, "[[a b c d] [e f]]"},
		{[][]string{{"café", "bar"}}, []string{"CAFE", "bistro"}, "[[café bar bistro]]"},
		{[][]string{{"a", "b"}}, []string{"b", "a"}, "[[a b]]"},
	} {
		before := fmt.Sprint(c.groups)
		if got := fmt.Sprint(synonym.AddGroup(c.groups, c.group)); got != c.want || fmt.Sprint(c.groups) != before {
			t.Errorf("%v and %v: %s, want %s; the groups are %v", c.groups, c.group, got, c.want, c.groups)
		}
	}
}
