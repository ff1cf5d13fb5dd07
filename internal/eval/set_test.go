package eval_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/eval"
)

func newFolder(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestFormatsAreFoundByLooking(t *testing.T) {
	const ownSet = `{"id": "hours", "title": "Hours", "text": "We open at nine."}
{"id": "1", "question": "When?", "history": ["Where are you?", {"role": "assistant", "text": "In town."}], ` +
		`"relevant": ["hours"], "answerable": true}
{"id": "2", "question": "Why?", "relevant": [], "answerable": false}`
	for _, c := range []struct {
		name, fileName string
		files          map[string]string
		want           string // name/documents/questions/answerable/unanswerable of each set
	}{
		{"squad", "",
			map[string]string{"a.json": `{"version": "1.1", "data": [{"paragraphs": [{"context": "C", "qas": ` +
				`[{"id": "q", "question": "Q"}]}]}]}`},
			"a/1/1/1/0"},
		{"stackfaq", "", map[string]string{"bank.jsonl": `{"id": "t", "question": "Q", "answers": ["A", "B"]}`,
			"queries.jsonl": `{"thread": "t", "query": "P"}`},
			"stackfaq/1/1/1/0 stackfaq-qna/1/1/1/0"},
		{"clapnq", "",
			map[string]string{"yes.jsonl": `{"id": "1", "input": "I", "passages": [{"title": "T", "text": "X"}], ` +
				`"output": [{"answer": "A"}]}`,
				"no.jsonl": `{"id": "2", "input": "I", "passages": [{"title": "T", "text": "X"}], "output": [{"answer": ""}]}`},
			"clapnq/2/2/1/1"},
		{"mtrag", "",
			map[string]string{"r.jsonl": `{"task_id": "1", "Answerability": ["ANSWERABLE"], "contexts": [{"document_id": "d", ` +
				`"text": "X"}], "input": [{"speaker": "user", "text": "A"}, {"speaker": "agent", "text": "B"}, {"speaker": ` +
				`"user", "text": "C"}]}
{"task_id": "2", "Answerability": ["PARTIAL"], "contexts": [{"document_id": "d", "text": "X"}], "input": ` +
				`[{"speaker": "user", "text": "A"}]}
{"task_id": "3", "Answerability": ["UNANSWERABLE"], "contexts": [], "input": [{"speaker": "user", "text": "A"}]}`},
			"mtrag-un/1/3/1/1"},
		{"help centre", "", map[string]string{"faq.jsonl": `{"id": "1", "question": "Q", "linked_pages": ["a/b.md"]}
{"id": "2", "question": "Q", "linked_pages": []}`, "pages/a/b.md": "# B"}, "ente-help/1/1/1/0"},
		{"intents", "",
			map[string]string{"val.json": `{"val": [["a", "x"], ["b", "x"], ["c", "y"]], "oos_val": [["d", "oos"]]}`,
				"train.csv": "text,category\na,x\n\"b, c\",x\n"}, "banking77/1/1/1/0 clinc150/2/2/1/1"},
		{"the manual", "", map[string]string{"q.tsv": "Which port?\tconfiguration.md#Server\nWho are you?\t\n"},
			"manual/9/2/1/1"},
		{"ours in one file", "", map[string]string{"set.jsonl": ownSet}, "questions/1/2/1/1"},
		{"one file of a folder", "set.jsonl",
			map[string]string{"set.jsonl": ownSet, "other.json": `{"version": "1", "data": []}`}, "questions/1/2/1/1"},
		{"folders of folders", "", map[string]string{"one/set.jsonl": ownSet,
			"two/a.json": `{"version": "1", "data": []}`, "three/readme.md": "x"}, "questions/1/2/1/1 a/0/0/0/0"},
	} {
		sets, err := eval.ReadSets(newFolder(c.files), c.fileName)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := describeSets(sets); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func describeSets(sets []eval.Set) string {
	var all []string
	for _, s := range sets {
		answerable, open := 0, 0
		for _, q := range s.Questions {
			if q.Answerable != nil && *q.Answerable {
				answerable++
			} else if q.Answerable != nil {
				open++
			}
		}
		all = append(all, strings.Join([]string{s.Name, digitString(len(s.Docs)), digitString(len(s.Questions)),
			digitString(answerable), digitString(open)}, "/"))
	}
	return strings.Join(all, " ")
}

// digitString returns the number, 9 for any that is larger.
func digitString(n int) string { return string(rune('0' + min(n, 9))) }

func TestInvalidSetIsRefusedWithItsReason(t *testing.T) {
	for want, text := range map[string]string{
		"there twice":                  `{"id": "1", "text": "A"} {"id": "1", "text": "B"}`,
		"needs documents":              `{"id": "1", "question": "A"}`,
		"neither user nor assistant":   `{"id": "1", "question": "A", "history": [{"role": "system", "text": "B"}]}`,
		"no question set found":        `{"other": 1}`,
		"set.jsonl: unexpected EOF":    `{"id": "1", "text": "A"} {"id": `,
		"set.jsonl: json: cannot unma": `{"id": "1", "text": 7}`,
	} {
		_, err := eval.ReadSets(newFolder(map[string]string{"set.jsonl": text}), "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
