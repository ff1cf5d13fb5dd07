package hostile

import (
	"strconv"
	"strings"
)

// Kinds are all of them.
var Kinds = []Kind{
	// What people write, again and again.
	{"questions", repeated("When do you open? ")},
	{"questions about prices", repeated("how much does it cost to pay ")},
	{"wishes for a person", repeated("please let me talk to a human, ")},
	{"orders", repeated("cancel my order 4711 and ")},
	{"thanks", repeated("thank you ")},
	{"words that are all different", numberedParts(func(b *strings.Builder, i int) {
		writeDistinctWord(b, i)
		b.WriteByte(' ')
	})},
	{"sentences that are all different", numberedParts(func(b *strings.Builder, i int) {
		b.WriteString("The ")
		writeDistinctWord(b, i)
		b.WriteString(" opens at ")
		b.WriteString(strconv.Itoa(i))
		b.WriteString(". ")
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
	{"longer and longer backticks", numberedParts(func(b *strings.Builder, i int) {
		b.WriteString("e" + strings.Repeat("`", i%1000+1))
	})},
	{"fences", repeated("```\n")},
	{"headings", repeated("# a\n")},
	{"underlined headings", repeated("a\n===\n")},
	{"rules", repeated("---\n")},
	{"items", repeated("- a\n")},
	{"deep items", repeated("- ")},
	{"items of items", numberedParts(func(b *strings.Builder, i int) {
		b.WriteString(strings.Repeat("  ", i%90) + "- a\n")
	})},
	{"numbered items", repeated("1. a\n")},
	{"quotes of quotes", repeated("> ")},
	{"quoted lines", repeated("> a\nb\n")},
	{"a table's cells", prefixed("|a|\n|-|\n", "|a")},
	{"a table's rows", prefixed("|a|b|\n|-|-|\n", "|a\n")},
	{"tables", repeated("|a|b|\n|-|-|\n|1|2|\n\n")},
	{"references", numberedParts(func(b *strings.Builder, i int) { b.WriteString("[" + strconv.Itoa(i) + "]: b\n") })},
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
	// What programs write.
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
