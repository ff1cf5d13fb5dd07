package crawl

import "testing"

// Similar addresses with the same bytes are one page; others with these bytes are pages of their own.
func TestSimilarAddressesWithTheSameBytesAreOnePage(t *testing.T) {
	const home = "<p>Words. <a href=/index.html>a</a> <a href=/?ref=x>b</a> <a href=/page>c</a> <a href=/other>d</a>" +
		"<a href=/?id=1>e</a> <a href=/changed/>f</a>\n"
	const page = "<p>A page. <a href=/page/>d</a>\n"
	ts := serve(t, "-- / --\n"+home+"-- /index.html --\n"+home+"-- /?ref=x --\n"+home+"-- /?id=1 --\n"+home+
		"-- /page --\n"+page+"-- /page/ --\n"+page+"-- /other --\n"+page+
		"-- /changed/ --\n<p>One. <a href=/changed>x</a>\n-- /changed --\n<p>Two.\n")
	cr := ts.crawl(t, Site{Start: "/", Kind: WholeSite, Slow: true})
	cr.expect(t, "/ included\n/?id=1 included\n/?ref=x merged /\n/changed included\n/changed/ included\n"+
		"/index.html merged /\n/other included\n/page included\n/page/ merged /page\n")
}

// A page that the host says has not changed is the same as one with its validators under a similar address.
func TestUnchangedPageIsTheSamePage(t *testing.T) {
	r := &crawlRun{crawlPlan: &crawlPlan{Site: Site{Kind: WholeSite}}}
	at := func(address string) (Link, Page) {
		return Link{URL: address, Validators: Validators{ETag: `"1"`}},
			Page{URL: address, Body: []byte("a"), Validators: Validators{ETag: `"1"`}}
	}
	same := func(address string) string {
		u, err := Canonical(nil, address)
		if err != nil {
			t.Fatal(err)
		}
		link, page := at(address)
		if address == "https://x.example/docs/" {
			r.noteUnchanged(link, u)
			return ""
		}
		return r.samePage(link, u, page)
	}
	for address, want := range map[string]string{
		"https://x.example/docs/index.html": "https://x.example/docs/",
		"http://www.x.example/docs":         "https://x.example/docs/",
		"https://x.example/docs/a":          "", "https://x.example/docs?page=2": "", "https://y.example/docs/": "",
	} {
		same("https://x.example/docs/")
		if got := same(address); got != want {
			t.Errorf("%s is the same as %q", address, got)
		}
	}
}
