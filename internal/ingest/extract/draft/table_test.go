package draft_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
)

// Two rows of header become one; rows of values stay. Rows are parted by "/", cells by commas.
func TestHeaderRows(t *testing.T) {
	for rows, want := range map[string]string{
		"Room,Low,,High,/,Single,Double,Single,Double/Garden,80,110,120,165": "Room,Low Single,Low Double," +
			"High Single,High Double/Garden,80,110,120,165",
		"Room,Low,Low/Room,Single,Double/Garden,80,110":     "Room,Low Single,Low Double/Garden,80,110",
		"Model,Water,Water/,Tank,Filter/Bari,1.8 l,yes":     "Model,Water Tank,Water Filter/Bari,1.8 l,yes",
		"Model,Water,Water/,Filter,Tank/Bari,yes,€ 18":      "Model,Water Filter,Water Tank/Bari,yes,€ 18",
		"Name,Price/Ale,4/Beer,5":                           "Name,Price/Ale,4/Beer,5",
		"Name,Colour,Colour/Ale,brown,dark/Beer,pale,light": "Name,Colour,Colour/Ale,brown,dark/Beer,pale,light",
		"Name,Size,Size/Cup,small,small/Pot,2,3":            "Name,Size,Size/Cup,small,small/Pot,2,3",
		"Name,Price,Stock/Chairs,,/Arne,129,4":              "Name,Price,Stock/Chairs,,/Arne,129,4",
	} {
		var table [][]string
		for row := range strings.SplitSeq(rows, "/") {
			table = append(table, strings.Split(row, ","))
		}
		var got []string
		for _, row := range draft.MergeHeaderRows(table) {
			got = append(got, strings.Join(row, ","))
		}
		if text := strings.Join(got, "/"); text != want {
			t.Errorf("%s: %s", rows, text)
		}
	}
}
