package store

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// ArchiveTable is a table of which an archive holds an account's rows.
type ArchiveTable struct {
	Name      string
	Columns   []ArchiveColumn // that are archived
	Order     []int           // columns by which rows are ordered, which are unique
	condition string          // of the rows t, besides their owner and what they refer to
	filled    []filledColumn  // that are not archived
}

// ArchiveColumn is a column that is archived.
type ArchiveColumn struct {
	Name       string
	Kind       ArchiveKind
	IsNullable bool
	Values     []string // that it may have; nil for any
	References string   // the table whose id it is; empty for none
	IDPaths    []string // the places of ids within JSON
}

// filledColumn is a column that is not archived, with what it gets on import.
type filledColumn struct{ name, value, reason string }

// ArchiveKind is what is in a column.
type ArchiveKind string

// The kinds of columns; archiveSpec explains them.
const (
	ArchiveText     ArchiveKind = "text"
	ArchiveNat32    ArchiveKind = "nat32"
	ArchiveNat      ArchiveKind = "nat"
	ArchiveInt      ArchiveKind = "int"
	ArchiveTime     ArchiveKind = "time"
	ArchiveReal     ArchiveKind = "real"
	ArchiveFlag     ArchiveKind = "flag"
	ArchiveJSON     ArchiveKind = "json"
	ArchiveObject   ArchiveKind = "object"
	ArchiveArray    ArchiveKind = "array"
	ArchiveHash     ArchiveKind = "hash"
	ArchiveID       ArchiveKind = "id"
	ArchiveID0      ArchiveKind = "id0"
	ArchiveMessage  ArchiveKind = "message"
	ArchiveMessage0 ArchiveKind = "message0"
	ArchiveWho      ArchiveKind = "who"
	ArchiveAgent    ArchiveKind = "agent"
	ArchiveDay      ArchiveKind = "day"
	ArchiveMonth    ArchiveKind = "month"
)

// The bounds of numbers.
const (
	MaxArchiveNumber = 1 << 53             // clients read numbers as fractions
	MaxArchiveSum    = 1 << 44             // many are added up
	MaxArchiveTime   = 253_402_300_799_999 // the end of the year 9999: later ones have no form in which they are told
)

// IsJSON reports whether the column holds JSON.
func (k ArchiveKind) IsJSON() bool {
	return k == ArchiveJSON || k == ArchiveObject || k == ArchiveArray
}

// IsNumber reports whether the column holds a whole number.
func (k ArchiveKind) IsNumber() bool {
	return k == ArchiveNat32 || k == ArchiveNat || k == ArchiveInt || k == ArchiveTime || k == ArchiveFlag
}

// RecordingDaysPrefix begins the names of the settings that are of kind ArchiveAgent.
const RecordingDaysPrefix = recordingDaysSetting

var archiveTables = parseArchiveSpec(archiveSpec)

// ArchiveTables lists what an archive holds, in its order.
func ArchiveTables() []*ArchiveTable { return archiveTables }

// FindArchiveTable returns the table of a name; nil if an archive holds nothing of it.
func FindArchiveTable(name string) *ArchiveTable {
	i := slices.IndexFunc(archiveTables, func(t *ArchiveTable) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return archiveTables[i]
}

// LeftOut is what an archive does not hold, with the reason.
type LeftOut struct {
	Name   string `json:"name"` // of a table, or of a table and a column
	Reason string `json:"reason"`
}

// ArchiveLeavesOut lists the tables and the columns of which an archive holds nothing, by their names.
func ArchiveLeavesOut() (list []LeftOut) {
	for name, reason := range leftOutTables {
		list = append(list, LeftOut{name, reason})
	}
	for _, t := range archiveTables {
		for _, f := range t.filled {
			list = append(list, LeftOut{t.Name + "." + f.name, f.reason})
		}
	}
	slices.SortFunc(list, func(a, b LeftOut) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// parseArchiveSpec reads the list of tables. It is part of the program: what is wrong in it is a fault of ours.
func parseArchiveSpec(spec string) (tables []*ArchiveTable) {
	for block := range strings.SplitSeq(strings.TrimSpace(spec), "\n\n") {
		lines := strings.Split(block, "\n")
		head, condition, _ := strings.Cut(lines[0], ": ")
		name, order, _ := strings.Cut(strings.TrimSuffix(head, ")"), " (")
		t := &ArchiveTable{Name: name, condition: condition}
		for _, line := range lines[1:] {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "and ") || strings.HasPrefix(line, "where ") {
				t.condition += " " + line
				continue
			}
			t.addColumn(line)
		}
		for column := range strings.SplitSeq(order, ", ") {
			t.Order = append(t.Order, t.ColumnIndex(column))
		}
		tables = append(tables, t)
	}
	return tables
}

func (t *ArchiveTable) addColumn(line string) {
	if name, rest, ok := strings.Cut(line, " = "); ok {
		value, reason, _ := strings.Cut(rest, " # ")
		t.filled = append(t.filled, filledColumn{name, value, reason})
		return
	}
	line, paths, _ := strings.Cut(line, " ids ")
	line, to, _ := strings.Cut(line, " -> ")
	name, kind, _ := strings.Cut(line, " ")
	kind, isNullable := strings.CutSuffix(kind, "?")
	kind, enum, isEnum := strings.Cut(kind, ":")
	if isEnum {
		kind = string(ArchiveText)
	}
	t.Columns = append(t.Columns, ArchiveColumn{Name: name, Kind: ArchiveKind(kind), IsNullable: isNullable,
		Values: archiveValues(enum), References: to, IDPaths: strings.Fields(paths)})
}

// archiveValues returns the values of an enumeration of archiveEnums or of package parley; nil for none.
func archiveValues(enum string) []string {
	if values := archiveEnums[enum]; values != nil {
		return values
	}
	return parley.EnumValues(enum)
}

// ColumnIndex returns the place of a column among those that are archived.
func (t *ArchiveTable) ColumnIndex(name string) int {
	i := slices.IndexFunc(t.Columns, func(c ArchiveColumn) bool { return c.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("store: %s has no column %s in archives", t.Name, name))
	}
	return i
}

// HasOwnID reports whether rows have an id that no other account's row may have.
func (t *ArchiveTable) HasOwnID() bool { return slices.ContainsFunc(t.Columns, isOwnID) }

func isOwnID(c ArchiveColumn) bool { return c.Name == "id" }

// archiveOwners are the conditions by which the rows of an account are found where they do not name it.
var archiveOwners = map[string]string{
	"accounts": "t.id = ?",
	"settings": "exists (select 1 from agents r where '" + recordingDaysSetting + "' || r.id = t.name " +
		"and r.account_id = ? and r.deleted_at is null)",
}

func (t *ArchiveTable) namesAccount() bool {
	return t.Name != "accounts" && t.Name != "users" && t.Name != "settings"
}

// rowsCondition returns the condition of the rows t of an account that are archived. Each ? in it is the account.
func (t *ArchiveTable) rowsCondition() string {
	if t.Name == "users" {
		return usersCondition()
	}
	owner, ok := archiveOwners[t.Name]
	if !ok {
		owner = "t.account_id = ?"
	}
	conditions := []string{owner}
	if t.condition != "" {
		conditions = append(conditions, t.condition)
	}
	for _, c := range t.Columns {
		if c.References == "" || c.IsNullable || c.Kind == ArchiveAgent {
			continue
		}
		exists := t.existsReferred(c)
		if c.Kind == ArchiveID0 {
			exists = "(t." + c.Name + " = '' or " + exists + ")"
		}
		conditions = append(conditions, exists)
	}
	return strings.Join(conditions, " and ")
}

// existsReferred returns the condition that the row which a column of t names is archived.
func (t *ArchiveTable) existsReferred(c ArchiveColumn) string {
	if c.References == "users" { // they are archived because they are named
		return "exists (select 1 from users r where r.id = t." + c.Name + ")"
	}
	return "t." + c.Name + " in (select t.id from " + c.References + " t where " +
		FindArchiveTable(c.References).rowsCondition() + ")"
}

// usersCondition finds the users whom archived rows of an account name: its members, and whoever was one.
func usersCondition() string {
	var parts []string
	for _, t := range archiveTables {
		for _, c := range t.Columns {
			if c.References == "users" || c.Kind == ArchiveWho {
				parts = append(parts, "select t."+c.Name+" from "+t.Name+" t where t."+c.Name+" is not null and "+
					t.rowsCondition())
			}
		}
	}
	return "t.id in (" + strings.Join(parts, " union ") + ")"
}

// selectText returns the statement that reads the archived rows of an account in their order. Texts are ordered by
// their bytes on every database.
func (t *ArchiveTable) selectText(d sqldb.Dialect) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = "t." + c.Name
		if c.References != "" && c.IsNullable {
			columns[i] = "case when " + t.existsReferred(c) + " then t." + c.Name + " end"
		}
	}
	order := make([]string, len(t.Order))
	for i, o := range t.Order {
		order[i] = "t." + t.Columns[o].Name
		if d == sqldb.Postgres && !t.Columns[o].Kind.IsNumber() {
			order[i] += ` collate "C"`
		}
	}
	return "select " + strings.Join(columns, ", ") + " from " + t.Name + " t where " + t.rowsCondition() +
		" order by " + strings.Join(order, ", ")
}
