package html_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
)

const parkingAnswer = "Behind the hall there are 30 places."

// What readers open by a click is text, below the words they click on.
func TestPanelsAreRead(t *testing.T) {
	heading, sub := "## Is there parking?\n\n"+parkingAnswer, "### Is there parking?\n\n"+parkingAnswer
	for name, c := range map[string]struct{ source, want string }{
		"heading and region": {`<h3><button aria-expanded="false" aria-controls="s1" id="b1">Is there parking?</button>` +
			`</h3><div id="s1" role="region" aria-labelledby="b1" hidden><p>` + parkingAnswer + `</p></div>`, sub},
		"heading without ids": {`<h3><button>Is there parking?</button></h3><div hidden>` + parkingAnswer + `</div>`, sub},
		"icon beside the heading": {`<h3>Is there parking? <button aria-expanded=false aria-label="Open">+</button></h3>` +
			`<div style="display: none">` + parkingAnswer + `</div>`, sub},
		"bootstrap 5": {`<div class=accordion><h2 class="accordion-header"><button class="accordion-button collapsed" ` +
			`data-bs-toggle="collapse">Is there parking?</button></h2><div class="accordion-collapse collapse">` +
			`<div class="accordion-body">` + parkingAnswer + `</div></div></div>`, heading},
		"bootstrap 4": {`<div class=card><div class="card-header"><h5><a class="btn" data-toggle="collapse" href="#c1">Is ` +
			`there parking?</a></h5></div><div id=c1 class="collapse">` + parkingAnswer + `</div></div>`,
			"##### Is there parking?\n\n" + parkingAnswer},
		"button and box": {`<div><button type=button>Is there parking?</button><div class=panel><p>` + parkingAnswer +
			`</p></div></div>`, heading},
		"buttons without names": {`<div><button>Parking</button><div>` + parkingAnswer + `</div></div><div><button>Shoes` +
			`</button><div>We lend them.</div></div>`, "## Parking\n\n" + parkingAnswer + "\n\n## Shoes\n\nWe lend them."},
		"term": {`<dl><dt><button aria-expanded=false>Is there parking?</button></dt><dd hidden>` + parkingAnswer +
			`</dd></dl>`, "Is there parking?"},
		"summary": {`<details><summary>Is there parking?</summary>` + parkingAnswer + `</details>`, heading},
		"summary within a text": {`<details><summary>Is there parking?</summary>` + parkingAnswer +
			`</details><p>Come in.</p>`, "Is there parking?\n\n" + parkingAnswer + "\n\nCome in."},
		"summary of a heading": {`<details><summary><h3>Is there parking?</h3></summary>` + parkingAnswer + `</details>`,
			sub},
		"tabs": {`<div role=tablist><button role=tab aria-controls=p1>Shoes</button><button role=tab aria-controls=p2>Is ` +
			`there parking?</button></div><div id=p1 role=tabpanel>We lend them.</div><div id=p2 role=tabpanel ` +
			`style="display:none">` + parkingAnswer + `</div>`, "## Shoes\n\nWe lend them.\n\n" + heading},
		"tabs as links": {`<ul class="nav nav-tabs"><li><a href="#p1">Shoes</a></li><li><a href="#p2">Is there ` +
			`parking?</a></li></ul><div id=p1>We lend them.</div><div id=p2 style="display:none">` + parkingAnswer + `</div>`,
			"## Shoes\n\nWe lend them.\n\n" + heading},
		"tabs named by their panels": {`<div role=tablist><div role=tab id=t1>Is there parking?</div></div><div ` +
			`role=tabpanel aria-labelledby=t1 hidden>` + parkingAnswer + `</div>`, heading},
		"a box with a role": {`<div role=button aria-expanded=false>Is there parking?</div><div hidden>` + parkingAnswer +
			`</div>`, heading},
		"script": {`<div class="faq-question">Is there parking?</div><div class="faq-answer" style="display:none">` +
			parkingAnswer + `</div>`, "Is there parking?\n\n" + parkingAnswer},
		"in a list": {`<ul><li><button aria-controls=a1>Is there parking?</button><div id=a1 hidden>` + parkingAnswer +
			`</div></li></ul>`, "- Is there parking?"},
		"several panels": {`<button aria-controls="a1 a2">Open all</button><h3><button aria-controls=a1>Is there ` +
			`parking?</button></h3><div id=a1 hidden>` + parkingAnswer + `</div><div id=a2 hidden>More.</div>`, sub},
	} {
		source := "<main><h1>Hall</h1><p>The hall is 18 m high.</p>" + c.source + "</main>"
		text := readPage(t, source).Text
		if !strings.Contains(text, c.want) || strings.Count(text, "30 places") != 1 || strings.Contains(text, "Open all") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// Panels that are elsewhere on the page, in any order, follow what opens them.
func TestPanelsElsewhere(t *testing.T) {
	const question, other = `<button aria-expanded=false aria-controls=a1>Is there parking?</button>`,
		`<button aria-expanded=false aria-controls=a2>Shoes?</button>`
	const answer, more = `<div id=a1 hidden><p>` + parkingAnswer + `</p></div>`,
		`<div id=a2 hidden><p>We lend them.</p></div>`
	const want = "## Is there parking?\n\n" + parkingAnswer + "\n\n## Shoes?\n\nWe lend them."
	for name, c := range map[string]struct{ source, want string }{
		"behind all, in another order": {`<h2>` + question + `</h2><h2>` + other + `</h2><section>` + more + answer +
			`</section>`, want},
		"before all":   {answer + more + `<h2>` + question + `</h2><h2>` + other + `</h2>`, want},
		"side by side": {`<div><h2>` + question + `</h2><h2>` + other + `</h2></div><div>` + answer + more + `</div>`, want},
		"items": {`<h2><span>` + question + `</span></h2><h2>` + other + `</h2><ul><li id=a2 hidden>We lend them.</li>` +
			`<li id=a1 hidden>` + parkingAnswer + `</li></ul>`, strings.Replace(want, "We lend", "- We lend", 1)},
		"in their place": {`<h2>` + question + `</h2>` + answer + `<h2>` + other + `</h2>` + more, want},
		"terms": {`<dl><dt>` + question + `</dt><dt>` + other + `</dt><dd id=a2 hidden>We lend them.</dd><dd id=a1 hidden>` +
			parkingAnswer + `</dd></dl>`, "Is there parking? " + parkingAnswer + "\n\nShoes? We lend them."},
	} {
		text := readPage(t, "<main><h1>Hall</h1><p>The hall is 18 m high.</p>"+c.source+
			"<div hidden>secret</div></main>").Text
		if !strings.Contains(text, c.want) || strings.Contains(text, "secret") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// What nobody opens as text stays hidden, and what no panel belongs to is a control.
func TestHiddenElementsStayHidden(t *testing.T) {
	for name, source := range map[string]string{
		"hidden":    `<div hidden>secret</div>`,
		"style":     `<p>x</p><div style="display:none">secret</div>`,
		"menu":      `<button aria-haspopup=true aria-controls=m>Share</button><ul id=m hidden><li>secret</li></ul>`,
		"drop-down": `<button data-toggle=dropdown>Share</button><div class=dropdown-menu hidden>secret</div>`,
		"dialog":    `<button aria-controls=d>Buy</button><div id=d role=dialog hidden>secret</div>`,
		"modal": `<button data-bs-toggle=modal data-bs-target="#d">Buy</button><div id=d class="modal" ` +
			`hidden>secret</div>`,
		"form": `<form><button type=submit>secret</button><div>x</div></form>`,
		"basket": `<div><p>Kettle</p><button>secret</button><p>red</p></div>` +
			`<div><p>Cup</p><button>secret</button><p>blue</p></div>`,
		"within it":    `<div hidden><h3><button aria-controls=a>Open</button></h3><div id=a hidden>secret</div></div>`,
		"page content": `<a href="#a">secret</a>`,
	} {
		text := readPage(t, "<main><h1>Hall</h1><p>Words.</p>"+source+"</main>").Text
		if name != "page content" && strings.Contains(text, "secret") || strings.Contains(text, "Share") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// Panels of a page too large for a tree are read, too.
func TestPanelsOfStreamedPages(t *testing.T) {
	page, err := html.StreamPage(t.Context(), "https://example.com/", `<h1>Hall</h1><h3><button aria-controls=a>Shoes?`+
		`</button></h3><div id=a hidden>We lend them.</div><button>Send</button><div hidden>secret</div><details>`+
		`<summary>Is there parking?</summary>`+parkingAnswer+`</details><div role=tabpanel hidden>Come in.</div>`)
	const want = "# Hall\n\n### Shoes?\n\nWe lend them.\n\nIs there parking?\n\n" + parkingAnswer + "\n\nCome in."
	if err != nil || draft.NormalizeText(page.Text) != want {
		t.Errorf("%v\n%s", err, page.Text)
	}
}
