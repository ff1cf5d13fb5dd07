package sqldb

import "testing"

func TestRebind(t *testing.T) {
	for query, want := range map[string]string{
		`select 1`:                               `select 1`,
		`a = ? and b in (?, ?)`:                  `a = $1 and b in ($2, $3)`,
		`a = '?' and b = ?`:                      `a = '?' and b = $1`,
		`a = 'it''s ?' and "odd?" = ?`:           `a = 'it''s ?' and "odd?" = $1`,
		"a = ? -- really?\nand b = ?":            "a = $1 -- really?\nand b = $2",
		`a = '?`:                                 `a = '?`,
		`a like ? escape '\' and b ->> 'ü?' = ?`: `a like $1 escape '\' and b ->> 'ü?' = $2`,
		`(?,?,?,?,?,?,?,?,?,?,?)`:                `($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)`,
	} {
		if got := rebind(query); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", query, got, want)
		}
	}
}
