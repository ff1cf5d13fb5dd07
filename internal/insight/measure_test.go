package insight

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"testing"

	"parley"
)

func loadSets(t *testing.T) map[string][][2]string {
	sets := map[string][][2]string{}
	b, err := os.ReadFile("/work/shared/data/clinc150/val.json")
	if err != nil { t.Skip() }
	var clinc struct{ Val [][2]string }
	if err := json.Unmarshal(b, &clinc); err != nil { t.Fatal(err) }
	sets["clinc"] = clinc.Val
	f, err := os.Open("/work/shared/data/banking77/train.csv")
	if err != nil { t.Fatal(err) }
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil { t.Fatal(err) }
	for i, r := range rows[1:] { if i%5 == 0 { sets["banking"] = append(sets["banking"], [2]string{r[0], r[1]}) } }
	return sets
}

func TestMeasureGroups(t *testing.T) {
	for name, set := range loadSets(t) {
		var terms []map[string]float64
		for _, r := range set { terms = append(terms, termsOf(r[0])) }
		list := askedOf(terms)
		v := vocabularyOf(list)
		got := clusters(list, &v, 5)
		in, right := 0, 0
		labels := map[string]bool{}
		for gi, c := range got {
			of := map[string]int{}
			for _, m := range c.members { of[set[m][1]]++ }
			best, bl := 0, ""
			for l, n := range of { if n > best { best, bl = n, l } }
			labels[bl] = true
			in += len(c.members); right += best
			if gi < 6 { t.Log(name, len(c.members), best, bl, heaviest(c.centre)[:3]) }
		}
		t.Logf("%s: %d questions, %d groups, covered %.2f, purity %.3f, labels met %d", name, len(set), len(got), float64(in)/float64(len(set)), float64(right)/float64(in), len(labels))
	}
}

func TestMeasureTree(t *testing.T) {
	for name, set := range loadSets(t) {
		of := map[string]*parley.Topic{}
		var rest [][2]string
		var order []string
		for _, r := range set {
			n := of[r[1]]
			if n == nil { n = &parley.Topic{Name: "zz" + r[1]}; of[r[1]] = n; order = append(order, r[1]) }
			if len(n.Examples) < 5 { n.Examples = append(n.Examples, r[0]) } else { rest = append(rest, r) }
		}
		var topics []parley.Topic
		for _, o := range order { topics = append(topics, *of[o]) }
		tr := plant(topics)
		right, none := 0, 0
		for _, r := range rest {
			p := tr.find(r[0])
			if p == nil { none++ } else if p[0] == "zz"+r[1] { right++ }
		}
		t.Logf("%s tree: %d topics, %d questions, right %.3f, none %.3f, right among answered %.3f", name, len(topics), len(rest), float64(right)/float64(len(rest)), float64(none)/float64(len(rest)), float64(right)/float64(len(rest)-none))
	}
}
