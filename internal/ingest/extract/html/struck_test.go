package html_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
)

// What is struck out does not hold any more, however the page says it.
func TestStruckTextIsLeftOut(t *testing.T) {
	for name, source := range map[string]string{
		"del":    `<p>The dinner <del>costs 30 euros</del> <ins>costs 28 euros</ins>.</p>`,
		"s":      `<p>The dinner costs <s>30</s> 28 euros.</p>`,
		"strike": `<p>The dinner costs <strike>30</strike> 28 euros.</p>`,
		"style":  `<p>The dinner costs <span style="text-decoration: line-through">30</span> 28 euros.</p>`,
		"class": `<style>.old, .gone{color:red;text-decoration:line-through}</style><p>It costs ` +
			`<b class="x old">30</b> 28 euros.`,
		"descendant": `<style>@media screen{.price > i{text-decoration-line:line-through}}</style>` +
			`<p class=price><i>30</i> 28 euros.`,
		"id": `<style>/* x */ p #o{text-decoration:line-through}</style><p><span id=o>30</span> 28 euros.`,
		"row": `<style>tr.off{text-decoration:line-through}</style>` +
			`<table><tr><th>A<th>B<tr class=off><td>30<td>x<tr><td>28<td>y</table>`,
		"list":        `<ul><li><del>30 euros</del></li><li>28 euros</li></ul>`,
		"whole block": `<p><del>30 euros</del></p><p>28 euros</p>`,
	} {
		text := readPage(t, "<main><h1>Dinner</h1>"+source+"</main>").Text
		if strings.Contains(text, "30") || !strings.Contains(text, "28") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	for name, source := range map[string]string{
		"hover":     `<style>.x:hover{text-decoration:line-through}</style><p class=x>28 euros`,
		"print":     `<style>@media print{.x{text-decoration:line-through}} .y{color:red}</style><p class=x>28 euros`,
		"elsewhere": `<style>.sale .x{text-decoration:line-through}</style><p class=x>28 euros`,
		"underline": `<style>.x{text-decoration:underline}</style><p class=x>28 euros`,
	} {
		if text := readPage(t, source).Text; !strings.Contains(text, "28 euros") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// What only the description of a picture says is read, decorations are not.
func TestPictureTexts(t *testing.T) {
	text := readPage(t, `<main><h1>Hall</h1><p>Call us: <img src=a.png alt="030 1234567"></p>`+
		`<p><img alt="Open Monday to Friday"></p><figure><img alt="The hall is 18 m high"><figcaption>The hall is 18 m high`+
		`</figcaption></figure><p><img alt="DSC_0042.jpg"><img alt="Logo"><img alt="">`+
		`<img role=presentation alt="Sale 2026 now">`+
		`<img alt="IMG 7731"></p></main><footer><img alt="Phone 999"></footer>`).Text
	const want = "# Hall\n\nCall us: 030 1234567\n\nOpen Monday to Friday\n\nThe hall is 18 m high"
	if text != want {
		t.Errorf("%q", text)
	}
}

// Raised text is kept apart from numbers, and a term with its text.
func TestRaisedTextAndDefinitions(t *testing.T) {
	const source = `<h1>Tank</h1><p>The area is 20<sup>2</sup> cm, the load 10<sup>5</sup> pascal. It costs ` +
		`49<sup>1</sup> euros or 1.299<sup>00</sup> euros. It opens at 9<sup>30</sup>.</p><p>The ` +
		`pump<sup><a href="#n2">2</a></sup> is ` +
		`red.</p><p><sup>1</sup> without VAT</p><p>2<sup>1</sup>/<sub>2</sub> cups of H<sub>2</sub>O</p><dl><dt>Lead</dt>` +
		`<dd>79 euros</dd><dt>Is it open?</dt><dd>Yes</dd></dl>`
	const want = "# Tank\n\nThe area is 20² cm, the load 10⁵ pascal. It costs 49 euros or 1.299,00 euros [1]. It opens " +
		"at 9:30.\n\nThe pump is red [2].\n\n[1] without VAT\n\n2 1/2 cups of H2O\n\nLead: 79 euros\n\nIs it open? Yes"
	if text := readPage(t, source).Text; text != want {
		t.Errorf("%s", text)
	}
	page, err := html.StreamPage(t.Context(), "https://example.com/",
		strings.ReplaceAll(source, "<a href=\"#n2\">2</a>", "2"))
	if err != nil || draft.NormalizeText(page.Text) != want {
		t.Errorf("%v\n%s", err, draft.NormalizeText(page.Text))
	}
	formula := readPage(t, `<p>It is <math><msup><mn>10</mn><mn>5</mn></msup></math> or <math><mfrac><mn>1</mn><mn>2</mn>`+
		`</mfrac></math></p>`).Text
	if formula != "It is 10⁵ or 1/2" {
		t.Errorf("%q", formula)
	}
}

// A definition with several lines or blocks stays below its term.
func TestDefinitions(t *testing.T) {
	for source, want := range map[string]string{
		`<dl><dt>Hours<dd>Mon 9-17<dd>Tue 9-12</dl>`:                         "Hours: Mon 9-17; Tue 9-12",
		`<dl><dt>CD<dt>DVD<dd>10 euros</dl>`:                                 "CD, DVD: 10 euros",
		`<dl><div><dt>CD</dt><dd>10 euros</dd></div></dl>`:                   "CD: 10 euros",
		`<dl><dt>Lead:</dt><dd><p>79 euros</p></dd></dl>`:                    "Lead: 79 euros",
		`<dl><dt>Lead</dt><dd><ul><li>shoes<li>rope</ul></dd></dl>`:          "Lead:\n\n- shoes\n- rope",
		`<dl><dt>Lead</dt><dd>79 euros</dd></dl><p>More.</p>`:                "Lead: 79 euros\n\nMore.",
		`<dl><dt><a href="https://a.example/">Lead</a></dt><dd>79</dd></dl>`: "[Lead](https://a.example/): 79",
		`<dl><dd>79 euros</dd></dl>`:                                         "79 euros",
		`<table><tr><td><dl><dt>A<dd>1</dl><td>x<tr><td>c<td>d</table>`:      "| A 1 | x |\n| --- | --- |\n| c | d |",
	} {
		if text := readPage(t, source).Text; text != want {
			t.Errorf("%s: %q", source, text)
		}
	}
}
