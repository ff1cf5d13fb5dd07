package archive_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/archive"
	"parley/internal/store"
	"parley/internal/testkit/check"
)

// parts are the files of an archive that a test changes. Their manifest is made to fit, as an attacker would.
type parts map[string][]byte

// write writes the parts as an archive with a manifest that fits, and returns its path.
func (p parts) write(t testing.TB) string {
	t.Helper()
	var m archive.Manifest
	check.Must(t, json.Unmarshal(p["manifest.json"], &m))
	for i, r := range m.Records {
		text := p["records/"+r.Table+".jsonl"]
		m.Records[i] = archive.Records{Table: r.Table, Rows: int64(bytes.Count(text, []byte("\n"))), Bytes: int64(len(text)),
			Hash: hashOf(text)}
	}
	manifest, err := json.Marshal(m)
	check.Must(t, err)
	changed := maps.Clone(p)
	changed["manifest.json"] = manifest
	return changed.writeAsIs(t)
}

// writeAsIs writes the parts without compression: most of the time would go into it.
func (p parts) writeAsIs(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile.zip")
	file, err := os.Create(path)
	check.Must(t, err)
	w := zip.NewWriter(file)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		to, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		check.Must(t, err)
		_, err = to.Write(p[name])
		check.Must(t, err)
	}
	check.Must(t, w.Close())
	check.Must(t, file.Close())
	return path
}

// refusals imports archives that must be refused, and compares the installation with what it was.
type refusals struct {
	t      *testing.T
	in     *installation
	before string
}

func newRefusals(t *testing.T) *refusals { return newRefusalsOn(t, "") }

// newRefusalsOn is newRefusals with a database; url is empty for SQLite.
func newRefusalsOn(t *testing.T, url string) *refusals {
	in := newInstallation(t, url)
	return &refusals{t, in, in.counts()}
}

func (r *refusals) refuse(attack, path string) {
	r.t.Helper()
	_, err := r.in.importFrom(path, archive.Options{})
	if err == nil {
		r.t.Fatalf("imported: %s", attack)
	}
	if text := err.Error(); !strings.Contains(strings.ToLower(text), "nothing was imported") {
		r.t.Errorf("%s: %s", attack, text)
	}
}

// requireUnchanged fails if an import has left something.
func (r *refusals) requireUnchanged(attack string) {
	r.t.Helper()
	if after := r.in.counts(); after != r.before {
		r.t.Errorf("%s has left\n%s", attack, after)
	}
}

// newParts returns the parts of an archive with rows in every table.
func newParts(t *testing.T) parts {
	t.Helper()
	in := newInstallation(t, "")
	in.seed(2, 0)
	_, text := in.export(account)
	return readParts(t, text)
}

// Records of every table that are not as records are written are refused with the line, whatever the manifest says,
// and nothing of their archive stays.
func TestMutatedRecords(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, count := newRefusalsOn(t, url(t)), 10
			if name == "postgres" {
				r.in.keepOpen()
				count = 2 // most are refused before anything is written, whatever the database
			}
			checkMutatedRecords(t, r, count)
		})
	}
}

func checkMutatedRecords(t *testing.T, r *refusals, count int) {
	t.Helper()
	original := newParts(t)
	for i, table := range store.ArchiveTables() {
		name := "records/" + table.Name + ".jsonl"
		mutations := mutationsOf(t, table, bytes.SplitAfter(original[name], []byte("\n")))
		for _, fault := range someOf(t, slices.Sorted(maps.Keys(mutations)), i, count) {
			changed := maps.Clone(original)
			changed[name] = mutations[fault]
			r.refuse(table.Name+" with "+fault, changed.write(t))
		}
		r.requireUnchanged(table.Name)
	}
}

// badMeanings are values of the right form that the first record of a table cannot have, by table and column.
var badMeanings = map[string][]string{
	"accounts.name":                  {`"` + strings.Repeat("a", 3000) + `"`, `""`},
	"accounts.time_zone":             {`"Mars/Olympus"`},
	"users.email":                    {`"not an email"`, `"@shop.example"`, `"kim@"`},
	"users.name":                     {`"` + strings.Repeat("a", 3000) + `"`},
	"users.notifications":            {`{"waiting":5}`},
	"memberships.role":               {`"god"`},
	"agents.name":                    {`"` + strings.Repeat("a", 20_000) + `"`, `" "`},
	"agents.temp":                    {`99`, `-1`},
	"agents.rate_limit":              {`{"limit":-1,"timeframe":1}`, `{"limit":"x"}`},
	"agents.initial_messages":        {`[1]`, `[[]]`},
	"agents.insight":                 {`{"againDays":"x"}`},
	"agents.voice":                   {`{"model":1}`},
	"agents.mailed_day":              {`"yesterday"`},
	"settings.value":                 {`"often"`, `"-1"`},
	"webhooks.endpoint":              {`"file:///etc/passwd"`, `"https://kim:secret@shop.example"`},
	"webhooks.events":                {`[1]`, `["bogus"]`, `["leads.submit"]`},
	"webhooks.channel":               {`"API"`},
	"webhooks.agent_id":              {``},
	"webhooks.name":                  {`" "`},
	"actions.name":                   {`"bad name!"`},
	"actions.key":                    {`"A key"`},
	"actions.config":                 {`{"url":5}`},
	"actions.inputs":                 {`[{"name":"1","type":"string"}]`},
	"blobs.media_type":               {`"text/html"`, `"text/html\r\nX: y"`},
	"sources.url":                    {`"javascript:alert(1)"`},
	"source_versions.state":          {`"weird"`},
	"crawl_pages.state":              {`"weird"`},
	"crawl_pages.url":                {`"file:///etc/passwd"`},
	"passages.start_byte":            {`2147483647`},
	"people.attributes":              {`[]`},
	"accounts.created_at":            {`4000000000000000`},
	"credit_usage.used":              {`9223372036854775807`, `-9223372036854775807`},
	"conversations.last_activity":    {`4000000000000000`},
	"conversations.last_seq":         {`0`, `9223372036854775807`},
	"conversations.face":             {`"v9"`},
	"messages.author":                {`"god"`},
	"messages.type":                  {`"zzz"`},
	"messages.state":                 {`"weird"`},
	"messages.parts":                 {`[1]`},
	"messages.seq":                   {`0`},
	"messages.citations":             {`["x"]`},
	"turns.state":                    {`"weird"`},
	"turns.month":                    {`"banana"`, `"2026-13"`},
	"tool_calls.status":              {`"weird"`},
	"procedure_runs.state":           {`"weird"`},
	"procedure_runs.inputs":          {`[]`},
	"saved_views.filter":             {`{"agentId":5}`},
	"drafts.kind":                    {`"shout"`},
	"ticket_statuses.internal_label": {`""`},
	"ticket_statuses.is_default":     {`0`},
	"teams.is_default":               {`0`},
	"teams.name":                     {`""`},
	"teams.hours":                    {`[1]`, `[{"days":["xxx"],"from":"99","to":"a","zone":"No/Where"}]`},
	"routing_rules.all_of":           {`[1]`, `[{"field":"bogus","op":"bogus","values":[]}]`},
	"helpdesks.last_number":          {`0`, `9223372036854775807`},
	"helpdesks.targets":              {`[1]`, `[{"priority":"huge"}]`},
	"tickets.number":                 {`0`, `1000000000000000000`},
	"tickets.category":               {`"closed"`},
	"tickets.is_open":                {`0`},
	"tickets.due_at":                 {`1`, ``},
	"tickets.breach_at":              {`1`, ``},
	"voice_sessions.state":           {`"weird"`},
	"voice_sessions.end_reason":      {`"boredom"`},
	"conversation_insights.outcome":  {`"x"`},
	"conversation_insights.day":      {`"banana"`},
	"conversation_insights.topics":   {`[1]`},
	"insight_days.sentiment":         {`"angry"`},
	"credit_usage.month":             {`"banana"`},
	"credit_models.kind":             {`"gift"`},
	"credit_ledger.kind":             {`"gift"`},
}

var placeInArchive = regexp.MustCompile(`records/[a-z_]+\.jsonl, line \d+:`)

// Records that are written as records are, and with which the account could not be used, are refused with their file
// and line, with ids of their own and with new ones.
func TestRecordsThatBreakAnAccount(t *testing.T) {
	t.Parallel()
	original, r := newParts(t), newRefusals(t)
	for _, place := range slices.Sorted(maps.Keys(badMeanings)) {
		table, column, _ := strings.Cut(place, ".")
		name := "records/" + table + ".jsonl"
		lines := bytes.SplitAfter(original[name], []byte("\n"))
		var members map[string]json.RawMessage
		check.Must(t, json.Unmarshal(lines[0], &members))
		if members[column] == nil {
			t.Fatalf("the first record has no %s", place)
		}
		for i, value := range badMeanings[place] {
			changed := maps.Clone(original)
			changed[name] = slices.Concat(withMember(lines[0], column, members[column], value), bytes.Join(lines[1:], nil))
			_, err := r.in.importFrom(changed.write(t), archive.Options{NewIDs: i == 0})
			if text := fmt.Sprint(err); err == nil || !placeInArchive.MatchString(text) ||
				strings.Contains(text, "Go value") || strings.Contains(text, "select ") {
				t.Errorf("%s: %s: %s", place, value, parley.ClipText(text, 500))
			}
		}
		r.requireUnchanged(place)
	}
}

// What is found to be wrong once all else is written, in the last step, leaves neither rows nor bytes of files.
func TestRefusedInTheLastStep(t *testing.T) {
	t.Parallel()
	const attack = "a rule of an unknown team"
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, changed := newRefusalsOn(t, url(t)), newParts(t)
			team, rules := (&seeder{}).rowID("teams", 0), "records/routing_rules.jsonl"
			changed[rules] = bytes.ReplaceAll(changed[rules], []byte(team), []byte("0b9c1a52-5a4e-4e0e-9a52-3f3f6f1f0aff"))
			r.refuse(attack, changed.write(t))
			r.requireUnchanged(attack)
		})
	}
}

// What an export leaves out because it is under way is refused: nobody here would carry it to its end.
func TestUnfinishedWorkIsRefused(t *testing.T) {
	t.Parallel()
	original, r := newParts(t), newRefusals(t)
	for table, change := range map[string][2]string{
		"sources":        {`"status":"trained"`, `"status":"toBeDeleted"`},
		"turns":          {`"state":"done"`, `"state":"open"`},
		"voice_sessions": {`"ended_at":[0-9]+,`, ``},
	} {
		changed, name := maps.Clone(original), "records/"+table+".jsonl"
		changed[name] = regexp.MustCompile(change[0]).ReplaceAll(original[name], []byte(change[1]))
		if bytes.Equal(changed[name], original[name]) {
			t.Errorf("%s are as they were", table)
		}
		r.refuse("unfinished "+table, changed.write(t))
	}
	r.requireUnchanged("unfinished work")
}

// someOf returns some of the names, others for each table, and all of them where time does not matter.
func someOf(t *testing.T, names []string, table, count int) (some []string) {
	t.Helper()
	if len(names) < 10 {
		t.Fatalf("only %d mutations", len(names))
	}
	if os.Getenv("PARLEY_LONG") == "1" {
		return names
	}
	for i := range count {
		some = append(some, names[(table+i*len(names)/count)%len(names)])
	}
	return some
}

// mutationsOf returns records of a table that are refused, by what is wrong with them.
func mutationsOf(t *testing.T, table *store.ArchiveTable, lines [][]byte) map[string][]byte {
	t.Helper()
	first, rest := lines[0], bytes.Join(lines[1:], nil)
	var members map[string]json.RawMessage
	check.Must(t, json.Unmarshal(first, &members))
	all := map[string][]byte{
		"a line twice":         slices.Concat(first, first, rest),
		"a space":              slices.Concat([]byte(`{ `), first[1:], rest),
		"another member":       slices.Concat([]byte(`{"admin":1,`), first[1:], rest),
		"a cut line":           slices.Concat(first[:len(first)/2], []byte("\n"), rest),
		"no end":               bytes.TrimSuffix(slices.Concat(first, rest), []byte("\n")),
		"an array":             slices.Concat([]byte("[]\n"), rest),
		"an empty line":        slices.Concat([]byte("\n"), first, rest),
		"an account of others": slices.Concat([]byte(`{"account_id":"x",`), first[1:], rest),
		"no UTF-8":             slices.Concat([]byte("{\"\xff\":1,"), first[1:], rest),
		"the line reversed":    slices.Concat(reversed(first), rest),
		"a member twice":       slices.Concat(first[:len(first)-2], []byte(","), first[1:], rest),
	}
	for _, c := range table.Columns {
		if members[c.Name] == nil {
			continue
		}
		for fault, value := range badValues(c) {
			all[c.Name+" "+fault] = slices.Concat(withMember(first, c.Name, members[c.Name], value), rest)
		}
	}
	return all
}

func reversed(line []byte) []byte {
	text := slices.Clone(line[:len(line)-1])
	slices.Reverse(text)
	return append(text, '\n')
}

// withMember replaces the value of a member; where value is empty the member is taken out.
func withMember(line []byte, name string, before json.RawMessage, value string) []byte {
	old := fmt.Appendf(nil, "%q:%s", name, before)
	if value == "" {
		text := bytes.Replace(line, append(old, ','), nil, 1)
		text = bytes.Replace(text, append([]byte(","), old...), nil, 1)
		if bytes.Equal(text, line) { // it has no other member
			return []byte("{}\n")
		}
		return text
	}
	return bytes.Replace(line, old, fmt.Appendf(nil, "%q:%s", name, value), 1)
}

// badValues are values that a column cannot have.
func badValues(c store.ArchiveColumn) map[string]string {
	bad := map[string]string{}
	if !c.IsNullable {
		bad["missing"] = ""
	}
	switch {
	case c.Kind.IsNumber():
		bad["of a text"], bad["of a fraction"], bad["too large"] = `"1"`, `1.5`, `9223372036854775807`
		if c.Kind == store.ArchiveTime {
			bad["of another age"] = `253402300800000`
		}
		if c.Kind == store.ArchiveFlag {
			bad["of 2"] = `2`
		}
	case c.Kind == store.ArchiveReal:
		bad["of a text"] = `"1"`
	case c.Kind == store.ArchiveObject:
		bad["of an array"], bad["of a number"] = `[1]`, `1`
	case c.Kind == store.ArchiveArray:
		bad["of an object"], bad["of a number"] = `{"a":1}`, `1`
	case !c.Kind.IsJSON():
		bad["of a number"], bad["null"], bad["with a zero byte"] = `1`, `null`, `"a\u0000"`
	}
	if c.References != "" || c.Values != nil || c.Kind == store.ArchiveDay || c.Kind == store.ArchiveMonth ||
		c.Kind == store.ArchiveID || c.Kind == store.ArchiveHash {
		bad["of nothing known"] = `"nothing"`
	}
	if c.Kind == store.ArchiveMessage || c.Kind == store.ArchiveMessage0 {
		bad["of no id"] = `"<script>"`
	}
	if c.References != "" && c.Kind != store.ArchiveAgent {
		bad["of somebody else"] = `"0b9c1a52-5a4e-4e0e-9a52-3f3f6f1f0aff"`
	}
	return bad
}

// What is no archive, or more than one, is refused: paths that lead elsewhere, what nobody names, parts that are
// missing, changed or compressed where they must not be.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	original, r := newParts(t), newRefusals(t)
	hash, content := fileOf(0)
	file := "files/" + hash[:2] + "/" + hash
	for attack, change := range map[string]func(p parts){
		"a path upward":        func(p parts) { p["../../etc/passwd"] = []byte("x") },
		"an absolute path":     func(p parts) { p["/tmp/x"] = []byte("x") },
		"a path below files":   func(p parts) { p["files/../../x"] = []byte("x") },
		"a backslash":          func(p parts) { p[`files\..\x`] = []byte("x") },
		"a folder":             func(p parts) { p["files/"] = nil },
		"a file of no row":     func(p parts) { p[fileNameOf("more")] = []byte("more") },
		"a table of secrets":   func(p parts) { p["records/api_keys.jsonl"] = []byte("{}\n") },
		"a changed file":       func(p parts) { p[file] = bytes.ToUpper(content) },
		"a longer file":        func(p parts) { p[file] = append(slices.Clone(content), 'x') },
		"a missing file":       func(p parts) { delete(p, file) },
		"a missing table":      func(p parts) { delete(p, "records/messages.jsonl") },
		"a changed record":     func(p parts) { p["records/people.jsonl"] = bytes.ToUpper(p["records/people.jsonl"]) },
		"no manifest":          func(p parts) { delete(p, "manifest.json") },
		"a manifest of text":   func(p parts) { p["manifest.json"] = []byte("hello") },
		"a newer archive":      func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Format = 2 }) },
		"a newer schema":       func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Schema = 9999 }) },
		"no version":           func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Format = 0 }) },
		"another account":      func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Account = "other" }) },
		"a table twice":        func(p parts) { p.setManifest(t, repeatRecords) },
		"an unknown table":     func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Records[0].Table = "jobs" }) },
		"other hashes":         func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Records[3].Hash = hash }) },
		"other numbers":        func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Records[3].Rows++ }) },
		"another count":        func(p parts) { p.setManifest(t, func(m *archive.Manifest) { m.Files++ }) },
		"a manifest too large": func(p parts) { p["manifest.json"] = bytes.Repeat([]byte(" "), 17<<20) },
	} {
		changed := maps.Clone(original)
		change(changed)
		r.refuse(attack, changed.writeAsIs(t))
	}
	r.requireUnchanged("a hostile archive")
	if text := refusalOf(r, original, func(m *archive.Manifest) { m.Schema = 9999 }); !strings.Contains(text, "newer") {
		t.Errorf("a newer archive: %s", text)
	}
}

func refusalOf(r *refusals, original parts, change func(m *archive.Manifest)) string {
	changed := maps.Clone(original)
	changed.setManifest(r.t, change)
	_, err := r.in.importFrom(changed.writeAsIs(r.t), archive.Options{})
	return fmt.Sprint(err)
}

func repeatRecords(m *archive.Manifest) { m.Records = append(m.Records, m.Records[0]) }

func fileNameOf(content string) string {
	hash := hashOf([]byte(content))
	return "files/" + hash[:2] + "/" + hash
}

func (p parts) setManifest(t testing.TB, change func(m *archive.Manifest)) {
	var m archive.Manifest
	check.Must(t, json.Unmarshal(p["manifest.json"], &m))
	change(&m)
	text, err := json.Marshal(m)
	check.Must(t, err)
	p["manifest.json"] = text
}

// An archive that is cut anywhere is refused.
func TestCutArchives(t *testing.T) {
	t.Parallel()
	in, r := newInstallation(t, ""), newRefusals(t)
	in.seed(2, 0)
	_, text := in.export(account)
	for i := range 40 {
		path := filepath.Join(t.TempDir(), "cut.zip")
		check.Must(t, os.WriteFile(path, text[:len(text)*i/40], 0o600))
		r.refuse(fmt.Sprint("cut at ", i, "/40"), path)
	}
	r.requireUnchanged("a cut archive")
}

// An archive in which bytes are changed is refused, or is the same account all the same: some bytes say nothing.
func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	in, r := newInstallation(t, ""), newRefusals(t)
	in.seed(2, 0)
	_, text := in.export(account)
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		changed, at := slices.Clone(text), random.IntN(len(text))
		changed[at] ^= byte(1 + random.IntN(255))
		path := filepath.Join(t.TempDir(), "damaged.zip")
		check.Must(t, os.WriteFile(path, changed, 0o600))
		to := newInstallation(t, "")
		if _, err := to.importFrom(path, archive.Options{}); err != nil {
			continue
		}
		if _, again := to.export(account); !bytes.Equal(again, text) {
			t.Errorf("changed at %d, another account was imported", at)
		}
	}
	r.requireUnchanged("a damaged archive")
}

// A few bytes that claim to be many are refused before they are read: those that would not fit on the disk, and parts
// that lie on each other.
func TestBombs(t *testing.T) {
	t.Parallel()
	original, r := newParts(t), newRefusals(t)
	r.refuse("a table of many terabytes", writeClaim(t, original, 1<<50))
	r.refuse("parts on each other", writeOverlap(t, original))
	r.refuse("a table that becomes more than it says", writeSwelling(t, original, 8<<20))
	long := maps.Clone(original)
	long["records/people.jsonl"] = slices.Concat([]byte(`{"id":"`), bytes.Repeat([]byte("a"), 2<<20), []byte("\"}\n"))
	r.refuse("a line of 2 MB", long.write(t))
	r.requireUnchanged("a bomb")
}

// writeClaim writes an archive in which a table claims a size.
func writeClaim(t *testing.T, p parts, size uint64) string {
	t.Helper()
	changed := maps.Clone(p)
	changed.setManifest(t, func(m *archive.Manifest) {
		for i := range m.Records {
			if m.Records[i].Table == "messages" {
				m.Records[i].Bytes = int64(size)
			}
		}
	})
	return writeRaw(t, changed, func(h *zip.FileHeader) {
		if h.Name == "records/messages.jsonl" {
			h.UncompressedSize64 = size
		}
	})
}

// writeSwelling writes an archive in which a table of a few bytes inflates to many lines, and says that it is as long
// as it was.
func writeSwelling(t *testing.T, p parts, size int) string {
	t.Helper()
	const name = "records/messages.jsonl"
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	check.Must(t, err)
	_, err = w.Write(p[name])
	check.Must(t, err)
	_, err = w.Write(bytes.Repeat([]byte("{}\n"), size/3))
	check.Must(t, err)
	check.Must(t, w.Close())
	changed, claimed := maps.Clone(p), uint64(len(p[name]))
	changed[name] = packed.Bytes()
	return writeRaw(t, changed, func(h *zip.FileHeader) {
		if h.Name == name {
			h.Method, h.UncompressedSize64, h.CRC32 = zip.Deflate, claimed, crc32.ChecksumIEEE(p[name])
		}
	})
}

// writeRaw writes parts without compression, with headers that a test may change.
func writeRaw(t *testing.T, p parts, change func(h *zip.FileHeader)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "raw.zip")
	file, err := os.Create(path)
	check.Must(t, err)
	w := zip.NewWriter(file)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		size := uint64(len(p[name]))
		h := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(p[name]), CompressedSize64: size,
			UncompressedSize64: size}
		change(h)
		to, err := w.CreateRaw(h)
		check.Must(t, err)
		_, err = to.Write(p[name])
		check.Must(t, err)
	}
	check.Must(t, w.Close())
	check.Must(t, file.Close())
	return path
}

// writeOverlap writes an archive in which a part claims to go on into the one behind it.
func writeOverlap(t *testing.T, p parts) string {
	t.Helper()
	return writeRaw(t, p, func(h *zip.FileHeader) {
		if h.Name == "records/accounts.jsonl" {
			h.CompressedSize64 += 400
		}
	})
}
