package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/store"
)

// specKind is how manifests hold the sources of one kind.
type specKind struct {
	required []string // members that a new one must have
	optional []string
	maxName  int // characters of a name; 0 for no limit

	// presence tells by kind and content what an agent cannot have twice.
	presence func(m *store.ManagedSource) string
	// draft returns a new source.
	draft func(spec *sourceSpec) sourceDraft
	// compare returns what is to change of the source of an entry. Faults of the entry are noted.
	compare func(ctx context.Context, r *applyRun, e *entry[store.ManagedSource], spec *sourceSpec) (sourceEdit, error)
	// export writes the members of an entry.
	export func(ctx context.Context, db *store.DB, m *store.ManagedSource, spec *sourceSpec) error
}

// specKinds is the registry of the kinds that manifests hold.
var specKinds = map[parley.SourceKind]specKind{
	parley.SourceText: {required: []string{"name", "content"}, maxName: 100, presence: textPresence, draft: draftText,
		compare: compareText, export: exportText},
	parley.SourceQnA: {required: []string{"name", "questions", "answer"}, presence: qnaPresence, draft: draftQnA,
		compare: compareQnA, export: exportQnA},
	parley.SourceLink: {required: []string{"url"}, optional: []string{"linkType", "excludePaths", "includeOnlyPaths",
		"slowScraping"}, presence: linkPresence, draft: draftLink, compare: compareLink, export: exportLink},
	parley.SourceFile: {required: []string{"name", "file"}, optional: []string{"sha256", "data"}, draft: draftFile,
		compare: compareFile, export: exportFile},
}

func (k specKind) takes(member string) bool {
	return slices.Contains(k.required, member) || slices.Contains(k.optional, member)
}

// missing lists the members that a new source lacks.
func (k specKind) missing(spec *sourceSpec) (list []string) {
	present := spec.members()
	for _, member := range k.required {
		if !slices.Contains(present, member) {
			list = append(list, member)
		}
	}
	return list
}

// sourceDraft is a source that is to be added.
type sourceDraft struct {
	fault      error  // VALIDATION_INVALID_BODY where the entry cannot be added
	presence   string // see specKind; empty if the agent may have the same again
	whyPresent string
	size       int64
	after      map[string]any // for people
	put        func(ctx context.Context, s *ingest.Service, caller parley.Caller, agent parley.AgentID, key string) error
}

// sourceEdit is what is to change of a source that is there.
type sourceEdit struct {
	before, after map[string]any
	growth        int64
	run           func(ctx context.Context, s *ingest.Service, caller parley.Caller) error
}

func (e *sourceEdit) set(member string, before, after any) {
	if e.after == nil {
		e.before, e.after = map[string]any{}, map[string]any{}
	}
	e.before[member], e.after[member] = before, after
}

// setName notes a new name, and returns it; nil if it stays.
func (e *sourceEdit) setName(m *store.ManagedSource, name httpapi.Opt[string]) *string {
	if !name.Present || name.Value == m.Name {
		return nil
	}
	e.set("name", m.Name, name.Value)
	return &name.Value
}

const alreadyThere = "already; to manage that one, write its id beside the key"

func contentHash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func textPresence(m *store.ManagedSource) string { return "text\x00" + m.Name + "\x00" + m.Hash }

func draftText(spec *sourceSpec) sourceDraft {
	name, content := spec.Name.Value, spec.Content.Value
	return sourceDraft{presence: "text\x00" + name + "\x00" + contentHash(content), size: int64(len(content)),
		whyPresent: "the agent has this text under the same name " + alreadyThere,
		after:      map[string]any{"name": name, "content": content},
		put: func(ctx context.Context, s *ingest.Service, caller parley.Caller, agent parley.AgentID, key string) error {
			return s.PutText(ctx, caller, agent, key, name, content)
		}}
}

func compareText(ctx context.Context, r *applyRun, e *entry[store.ManagedSource],
	spec *sourceSpec) (edit sourceEdit, err error) {
	m := e.existing
	change := ingest.TextChange{Name: edit.setName(m, spec.Name)}
	if spec.Content.Present && contentHash(spec.Content.Value) != m.Hash {
		v, err := r.tx.Version(ctx, m.AgentRef(), m.ID, m.WantedVersion)
		if err != nil {
			return edit, err
		}
		edit.set("content", v.Text, spec.Content.Value)
		change.Content, edit.growth = &spec.Content.Value, int64(len(spec.Content.Value))-m.Size
	}
	edit.run = func(ctx context.Context, s *ingest.Service, caller parley.Caller) error {
		_, err := s.ChangeText(ctx, caller, m.AgentID, m.ID, change)
		return err
	}
	return edit, nil
}

func exportText(ctx context.Context, db *store.DB, m *store.ManagedSource, spec *sourceSpec) error {
	v, err := db.Version(ctx, m.AgentRef(), m.ID, m.WantedVersion)
	if err != nil {
		return err
	}
	spec.Name, spec.Content = httpapi.Some(m.Name), httpapi.Some(v.Text)
	return nil
}

func qnaPresence(m *store.ManagedSource) string { return "qna\x00" + m.Name + "\x00" + m.Hash }

// qnaText is the text of a version of questions and answer, as ingest writes it.
func qnaText(questions []string, answer string) string {
	text, _ := ingest.SplitQnA(questions, answer)
	return text
}

func draftQnA(spec *sourceSpec) sourceDraft {
	q := ingest.QnA{Name: spec.Name.Value, Questions: spec.Questions.Value, Answer: spec.Answer.Value}
	text := qnaText(q.Questions, q.Answer)
	return sourceDraft{presence: "qna\x00" + q.Name + "\x00" + contentHash(text), size: int64(len(text)),
		whyPresent: "the agent has these questions and this answer under the same name " + alreadyThere,
		after:      map[string]any{"name": q.Name, "questions": q.Questions, "answer": q.Answer},
		put: func(ctx context.Context, s *ingest.Service, caller parley.Caller, agent parley.AgentID, key string) error {
			return s.PutQnA(ctx, caller, agent, key, q)
		}}
}

func compareQnA(ctx context.Context, r *applyRun, e *entry[store.ManagedSource],
	spec *sourceSpec) (edit sourceEdit, err error) {
	m := e.existing
	change := ingest.QnAChange{Name: edit.setName(m, spec.Name)}
	if spec.Questions.Present || spec.Answer.Present {
		v, err := r.tx.Version(ctx, m.AgentRef(), m.ID, m.WantedVersion)
		if err != nil {
			return edit, err
		}
		now, err := ingest.QnAOf(v)
		if err != nil {
			return edit, err
		}
		after := now
		if spec.Questions.Present && !slices.Equal(spec.Questions.Value, now.Questions) {
			edit.set("questions", now.Questions, spec.Questions.Value)
			change.Questions, after.Questions = spec.Questions.Value, spec.Questions.Value
		}
		if spec.Answer.Present && spec.Answer.Value != now.Answer {
			edit.set("answer", now.Answer, spec.Answer.Value)
			change.Answer, after.Answer = &spec.Answer.Value, spec.Answer.Value
		}
		edit.growth = int64(len(qnaText(after.Questions, after.Answer)) - len(v.Text))
	}
	edit.run = func(ctx context.Context, s *ingest.Service, caller parley.Caller) error {
		_, err := s.ChangeQnA(ctx, caller, m.AgentID, m.ID, change)
		return err
	}
	return edit, nil
}

func exportQnA(ctx context.Context, db *store.DB, m *store.ManagedSource, spec *sourceSpec) error {
	v, err := db.Version(ctx, m.AgentRef(), m.ID, m.WantedVersion)
	if err != nil {
		return err
	}
	q, err := ingest.QnAOf(v)
	spec.Name, spec.Questions, spec.Answer = httpapi.Some(m.Name), httpapi.Some(q.Questions), httpapi.Some(q.Answer)
	return err
}

func linkPresence(m *store.ManagedSource) string {
	return "link\x00" + string(ingest.LinkOf(&m.Source).Type) + "\x00" + m.Name
}

// linkOf returns the link that an entry describes, from what there is.
func linkOf(spec *sourceSpec, now ingest.Link) ingest.Link {
	spec.URL.Replace(&now.URL)
	if spec.LinkType.Present {
		now.Type = crawl.Kind(spec.LinkType.Value)
	}
	spec.ExcludePaths.Replace(&now.Exclude)
	spec.IncludeOnlyPaths.Replace(&now.Include)
	spec.SlowScraping.Replace(&now.Slow)
	return now
}

// linkMembers returns what manifests say of a link.
func linkMembers(l ingest.Link) map[string]any {
	all := map[string]any{"url": l.URL, "linkType": string(l.Type)}
	if l.Type != crawl.Individual {
		all["excludePaths"], all["includeOnlyPaths"], all["slowScraping"] = append([]string{}, l.Exclude...),
			append([]string{}, l.Include...), l.Slow
	}
	return all
}

func draftLink(spec *sourceSpec) sourceDraft {
	link := linkOf(spec, ingest.Link{Type: crawl.Individual})
	return sourceDraft{fault: link.Check(), presence: "link\x00" + string(link.Type) + "\x00" + link.URL, size: 1,
		whyPresent: "the agent reads this address in the same way " + alreadyThere, after: linkMembers(link),
		put: func(ctx context.Context, s *ingest.Service, caller parley.Caller, agent parley.AgentID, key string) error {
			return s.PutLink(ctx, caller, agent, key, link)
		}}
}

// compareLink compares how a link is read. Its address and what that stands for cannot change.
func compareLink(_ context.Context, r *applyRun, e *entry[store.ManagedSource],
	spec *sourceSpec) (edit sourceEdit, err error) {
	m := e.existing
	now := ingest.LinkOf(&m.Source)
	after := linkOf(spec, now)
	for _, fixed := range []struct{ member, now, after string }{{"url", now.URL, after.URL},
		{"linkType", string(now.Type), string(after.Type)}} {
		if fixed.now != fixed.after {
			r.faults.add(e.path+"."+fixed.member, "cannot change; another key makes another source")
			return edit, nil
		}
	}
	if now.Equals(after) {
		return edit, nil
	}
	if err := after.Check(); err != nil {
		return edit, r.faults.addError(e.path, err)
	}
	old, changed := linkMembers(now), linkMembers(after)
	for _, member := range []string{"excludePaths", "includeOnlyPaths", "slowScraping"} {
		if string(mustJSON(old[member])) != string(mustJSON(changed[member])) {
			edit.set(member, old[member], changed[member])
		}
	}
	edit.run = func(ctx context.Context, s *ingest.Service, caller parley.Caller) error {
		_, err := s.ChangeLink(ctx, caller.AgentRef(m.AgentID), m.ID, ingest.LinkChange{
			Exclude: append([]string{}, after.Exclude...), Include: append([]string{}, after.Include...), Slow: &after.Slow})
		return err
	}
	return edit, nil
}

func exportLink(_ context.Context, _ *store.DB, m *store.ManagedSource, spec *sourceSpec) error {
	link := ingest.LinkOf(&m.Source)
	spec.URL, spec.LinkType = httpapi.Some(link.URL), httpapi.Some(string(link.Type))
	if link.Type != crawl.Individual {
		spec.ExcludePaths = httpapi.Some(append([]string{}, link.Exclude...))
		spec.IncludeOnlyPaths = httpapi.Some(append([]string{}, link.Include...))
		spec.SlowScraping = httpapi.Some(link.Slow)
	}
	return nil
}

// filesFolder is the folder beside an exported manifest that has the files of its sources.
const filesFolder = "files/"

// fileName returns the name of a file by its path in a manifest, or by what whoever uploaded it has called it.
func fileName(text string) string {
	name := path.Base(strings.ReplaceAll(text, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, name)
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	return name
}

// writtenFile calls a function with a file that holds the bytes of an entry.
func writtenFile(s *ingest.Service, name string, data []byte, use func(ingest.File) error) error {
	if len(data) < ingest.MinFileBytes || len(data) > ingest.MaxFileBytes {
		return parley.Invalid("file", "must have from 50 bytes to 20 MB")
	}
	if s.Files == nil {
		return parley.Invalid("file", "cannot be kept: this server takes no files")
	}
	f, err := s.Files.Write(name, data)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Path) }() // where it was not kept
	return use(f)
}

func draftFile(spec *sourceSpec) sourceDraft {
	name, file, data := spec.Name.Value, fileName(spec.File.Value), spec.Data
	return sourceDraft{size: int64(len(data)),
		after: map[string]any{"name": name, "file": spec.File.Value, "sha256": contentHash(string(data))},
		put: func(ctx context.Context, s *ingest.Service, caller parley.Caller, agent parley.AgentID, key string) error {
			return writtenFile(s, file, data, func(f ingest.File) error {
				return s.PutFile(ctx, caller, agent, key, name, f)
			})
		}}
}

// compareFile compares a file by its hash. An entry with the hash alone is about a file that stays.
func compareFile(ctx context.Context, r *applyRun, e *entry[store.ManagedSource],
	spec *sourceSpec) (edit sourceEdit, err error) {
	m := e.existing
	blob, err := r.tx.VersionBlob(ctx, m.AgentRef(), m.WantedVersion)
	if err != nil {
		return edit, err
	}
	name := edit.setName(m, spec.Name)
	wanted := spec.SHA256.Value
	if spec.Data != nil {
		wanted = contentHash(string(spec.Data))
	}
	var data []byte
	if wanted != "" && wanted != blob.Hash {
		if spec.Data == nil {
			r.faults.add(e.path+".file", "cannot be read, and the agent has another one")
			return edit, nil
		}
		edit.set("sha256", blob.Hash, wanted)
		data, edit.growth = spec.Data, int64(len(spec.Data))-m.Size
	}
	edit.run = func(ctx context.Context, s *ingest.Service, caller parley.Caller) error {
		if data == nil {
			_, err := s.ChangeFile(ctx, caller, m.AgentID, m.ID, ingest.FileChange{Name: name})
			return err
		}
		return writtenFile(s, fileName(spec.File.Value), data, func(f ingest.File) error {
			_, err := s.ChangeFile(ctx, caller, m.AgentID, m.ID, ingest.FileChange{Name: name, File: &f})
			return err
		})
	}
	return edit, nil
}

func exportFile(ctx context.Context, db *store.DB, m *store.ManagedSource, spec *sourceSpec) error {
	blob, err := db.VersionBlob(ctx, m.AgentRef(), m.WantedVersion)
	if err != nil {
		return err
	}
	spec.Name, spec.SHA256 = httpapi.Some(m.Name), httpapi.Some(blob.Hash)
	spec.File = httpapi.Some(filesFolder + fileName(blob.Name))
	return nil
}
