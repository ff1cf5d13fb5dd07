package quote

import (
	"slices"
	"strings"
)

// recountsPastUnspaced does what recounts does where words are not set apart.
func (s *parsedSentence) recountsPastUnspaced(t *trigger, first, last int) bool {
	from := s.clauseStart(first)
	before := s.text[s.tokens[from].Start:s.tokens[first].Start]
	inside, after := s.text[s.tokens[first].Start:s.tokens[last].End], s.text[s.tokens[last].End:s.end]
	if i := strings.IndexAny(after, "、，,；。"); i >= 0 {
		after = after[:i]
	}
	has := func(text string, any ...string) bool {
		return slices.ContainsFunc(any, func(p string) bool { return strings.Contains(text, p) })
	}
	past := has(before, "他说", "她说", "们说", "听说", "据说", "被告知", "讨厌", "害怕", "拒绝", "已经", "已經", "曾经", "刚刚", "刚才", "早就") ||
		has(inside, "了", "过") && !has(t.text, "了", "过") || has(before, "我") && endsInChinesePast(after)
	if past && !has(before, "请", "帮", "想", "要", "麻烦", "給", "给我") {
		return true
	}
	return endsInJapanesePast(after)
}

// endsInChinesePast reports a Chinese sentence that ends as what is done does.
func endsInChinesePast(after string) bool {
	after = strings.TrimRight(after, " 。！!.?？\n")
	return strings.HasSuffix(after, "了") && !strings.HasSuffix(after, "好了") && !strings.HasSuffix(after, "算了")
}

// endsInJapanesePast reports a Japanese ending of the past.
func endsInJapanesePast(after string) bool {
	after = strings.ReplaceAll(strings.TrimSpace(after), "ましたら", "")
	for _, end := range []string{"済", "ずみ", "された", "していた", "してもらった", "してしまった", "してた"} {
		if strings.HasPrefix(after, end) {
			return true
		}
	}
	plain := strings.HasPrefix(after, "した") && !strings.HasPrefix(after, "したい") && !strings.HasPrefix(after, "したく")
	return plain || strings.Contains(after, "ました")
}
