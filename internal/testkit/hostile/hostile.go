// Package hostile holds texts that are built to be expensive to read, of any size, and measures whether the work that
// they cause grows linearly. Only tests import it.
package hostile

import (
	"strconv"
	"strings"
)

// Kind is one way to build such a text.
type Kind struct {
	Name    string
	newText func(size int) string
}

// Made returns a kind of texts with a beginning, a unit repeated up to the size, and an end.
func Made(name, head, unit, tail string) Kind {
	return Kind{name, func(size int) string { return head + repeated(unit)(size) + tail }}
}

// Halves returns a kind of texts whose first half repeats a unit, and the second half another.
func Halves(name, head, first, between, second, tail string) Kind {
	return Kind{name, func(size int) string {
		return head + repeated(first)(size/2) + between + repeated(second)(size/2) + tail
	}}
}

// Text returns a text of about a number of bytes, whole characters only.
func (k Kind) Text(size int) string { return k.newText(size) }

func repeated(unit string) func(int) string {
	return func(size int) string { return strings.Repeat(unit, max(1, size/len(unit))) }
}

// nested repeats one unit and then another as often.
func nested(open, shut string) func(int) string {
	return func(size int) string {
		n := max(1, size/(len(open)+len(shut)))
		return strings.Repeat(open, n) + strings.Repeat(shut, n)
	}
}

// prefixed puts a text before the repeated unit.
func prefixed(lead, unit string) func(int) string {
	return func(size int) string { return lead + repeated(unit)(size) }
}

// numberedParts concatenates parts, each made from its number.
func numberedParts(part func(i int) string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(part(i))
		}
		return b.String()
	}
}

// distinctWord returns a different word for each number.
func distinctWord(i int) string {
	var word []byte
	for n := i*7919 + 17; n > 0; n /= 19 {
		word = append(word, "bcdfghjklmnpqrstvwx"[n%19], "aeiou"[n%5])
	}
	return string(word)
}

// Kinds lists all kinds.
var Kinds = []Kind{
	// Text of people, repeated.
	{"questions", repeated("When do you open? ")},
	{"questions about prices", repeated("how much does it cost to pay ")},
	{"wishes for a person", repeated("please let me talk to a human, ")},
	{"orders", repeated("cancel my order 4711 and ")},
	{"thanks", repeated("thank you ")},
	{"words that are all different", numberedParts(func(i int) string { return distinctWord(i) + " " })},
	{"sentences that are all different", numberedParts(func(i int) string {
		return "The " + distinctWord(i) + " opens at " + strconv.Itoa(i) + ". "
	})},
	{"paragraphs", repeated("It costs 5 € a month, tax included.\n\n")},
	{"one word without an end", repeated("a")},
	{"a vowel without an end", repeated("y")},
	{"vowels without an end", repeated("uiyqu")},
	{"a compound without an end", repeated("settings")},
	{"one line of letters", repeated("a b c ")},
	{"lines of one letter", repeated("a\n")},
	// Brackets and marks of Markdown.
	{"links that are never closed", repeated("[a](")},
	{"titles that are never closed", repeated("[a](b \"")},
	{"links", repeated("[a](http://b.example) ")},
	{"links to nowhere", repeated("[a][b] ")},
	{"images that are never closed", repeated("![a](")},
	{"open brackets", repeated("[")},
	{"nested brackets", nested("[", "]")},
	{"nested parentheses", nested("(", ")")},
	{"nested links", nested("[a ", "](b)")},
	{"closing brackets", repeated("](")},
	{"emphasis", repeated("*a **b ")},
	{"emphasis in words", repeated("a**b_c")},
	{"stars", repeated("*")},
	{"underscores", repeated("_a")},
	{"strikes", repeated("~~a ~")},
	{"backticks", repeated("`a")},
	{"longer and longer backticks", numberedParts(func(i int) string { return "e" + strings.Repeat("`", i%1000+1) })},
	{"fences", repeated("```\n")},
	{"headings", repeated("# a\n")},
	{"underlined headings", repeated("a\n===\n")},
	{"rules", repeated("---\n")},
	{"items", repeated("- a\n")},
	{"deep items", repeated("- ")},
	{"items of items", numberedParts(func(i int) string { return strings.Repeat("  ", i%90) + "- a\n" })},
	{"numbered items", repeated("1. a\n")},
	{"quotes of quotes", repeated("> ")},
	{"quoted lines", repeated("> a\nb\n")},
	{"a table's cells", prefixed("|a|\n|-|\n", "|a")},
	{"a table's rows", prefixed("|a|b|\n|-|-|\n", "|a\n")},
	{"tables", repeated("|a|b|\n|-|-|\n|1|2|\n\n")},
	{"references", numberedParts(func(i int) string { return "[" + strconv.Itoa(i) + "]: b\n" })},
	{"escapes", repeated(`\[\*\\`)},
	// HTML.
	{"tags that are never closed", repeated("<a ")},
	{"open tags", repeated("<b>")},
	{"comments that are never closed", repeated("<!--")},
	{"declarations and instructions", repeated("<?<![CDATA[<!A")},
	{"attributes", prefixed("<a ", `b="c" `)},
	{"entities", repeated("&amp;&#x41;")},
	{"ampersands", repeated("&a")},
	// Addresses and numbers.
	{"addresses of pages", repeated("http://a.b/c?d=e#f ")},
	{"beginnings of addresses", repeated("www. (http:/ <http: ")},
	{"one address of a page", prefixed("www.a.b/", "(a")},
	{"addresses of mail", repeated("a.b@c.de ")},
	{"halves of addresses of mail", repeated("a.b@c.")},
	{"dots between letters", repeated("a.")},
	{"digits", repeated("1")},
	{"digits in groups", repeated("1,000.")},
	{"numbers of phones and cards", repeated("+49 30 1234567, 4111 1111 1111 1112 ")},
	{"dates and codes", repeated("2024-02-30 ND-2007/DE89370400440532013000 ")},
	{"dashes in words", repeated("a-1-")},
	// Characters.
	{"spaces", prefixed("a", " ")},
	{"empty lines", prefixed("a", "\n")},
	{"ends of lines of all kinds", repeated("a\r\n\rb\n\r")},
	{"marks upon a letter", prefixed("a", "\u0301")},
	{"characters without width", repeated("a\u200b\u200d\ufeff")},
	{"directions", repeated("\u202ea\u2066")},
	{"Chinese", repeated("营业时间是什么")},
	{"Japanese and Korean", repeated("営業時間は何ですか한국어")},
	{"Thai and Arabic", repeated("เวลาทำการ متى تفتحون ـــ ")},
	{"emoji", repeated("👩‍👩‍👧‍👦🏳️‍🌈")},
	{"full-width letters and ligatures", repeated("ＡＢ１２ﬁﷺ")},
	// Output of programs.
	{"quotation marks", repeated(`"a' “b `)},
	{"JSON", nested(`{"a":[`, `]}`)},
	{"flat JSON", repeated(`{"a": "b", "c": 1}, `)},
	{"YAML", repeated("a: &b [*b, {c: d}]\n")},
	{"escapes of JSON", repeated(`\u0041\ud83d\n`)},
	{"placeholders", repeated("{a} {{b}} ${c} ")},
	{"numbers of sources", repeated("[1] a. [2][3] ")},
	{"full stops", repeated("a. B! c? ")},
	{"colons", repeated("a:\n")},
}
