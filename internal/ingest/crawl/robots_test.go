package crawl

import (
	"strings"
	"testing"
	"time"
)

const parleyGroup, everyGroup = "User-agent: parley\n", "User-agent: *\n"

// robotsCase is a robots.txt with paths that it allows and forbids.
type robotsCase struct{ name, text, allowed, forbidden string }

// checkRobots checks cases from RFC 9309 and from Google's documentation of robots.txt.
func checkRobots(t *testing.T, cases []robotsCase) {
	t.Helper()
	for _, c := range cases {
		robots := ParseRobots([]byte(c.text), "Parley")
		for _, path := range strings.Fields(c.allowed) {
			wantAllowed(t, c.name, robots, path, true)
		}
		for _, path := range strings.Fields(c.forbidden) {
			wantAllowed(t, c.name, robots, path, false)
		}
	}
}

func TestRobotsLines(t *testing.T) {
	checkRobots(t, []robotsCase{
		{"nothing", "", "/ /a", ""},
		{"everything", parleyGroup + "Disallow: /", "/robots.txt", "/ /a /a?b"},
		{"an empty rule", parleyGroup + "Disallow:\n", "/ /a", ""},
		{"no colon", "user-agent parley\ndisallow /a", "/b", "/a"},
		{"three words are no line", parleyGroup + "disallow /a b", "/a", ""},
		{"unknown keys", "foo: parley\nbar: /", "/", ""},
		{"case of keys and names", "USER-AGENT: PARLEY\nDISALLOW: /a", "/b /A", "/a"},
		{"white space", " \t user-agent \t:  parley \t\r\n  disallow : /a \t", "/b", "/a /ab"},
		{"comments", parleyGroup + "# Disallow: /\nDisallow: /a#b\nAllow: / # yes", "/b", "/a /a/c"},
		{"a misspelling", parleyGroup + "dissalow: /a", "/b", "/a"},
		{"rules before any group", "Disallow: /a\n" + parleyGroup + "Disallow: /b", "/a", "/b"},
		{"a byte order mark", "\xEF\xBB\xBF" + parleyGroup + "Disallow: /a", "/b", "/a"},
		{"a mark cut short", "\xEF\xBB" + parleyGroup + "Disallow: /a", "/b", "/a"},
		{"no mark", "\xEF\x11\xBF" + parleyGroup + "Disallow: /a", "/a", ""},
		{"ends of lines", "User-agent: other\rDisallow: /\r\nUser-agent: parley\rDisallow: /a\r\n\rDisallow: /b", "/c",
			"/a /b"},
		{"a line too long is cut", parleyGroup + "Disallow: /x/" + strings.Repeat("a", maxRobotsLine) + "\nDisallow: /b",
			"/c /x/a", "/b"},
		{"a file too long is cut", parleyGroup + "Disallow: /a\n#" + strings.Repeat("a", maxRobotsBytes) + "\nDisallow: /b",
			"/b", "/a"},
	})
}

func TestRobotsGroups(t *testing.T) {
	checkRobots(t, []robotsCase{
		{"another's group", "User-agent: other\nDisallow: /", "/", ""},
		{"the group for all", everyGroup + "Disallow: /a", "/b", "/a"},
		{"ours goes before all", everyGroup + "Disallow: /\n" + parleyGroup + "Allow: /", "/ /a", ""},
		{"ours is not added to all", everyGroup + "Disallow: /a\n" + parleyGroup + "Disallow: /b", "/a", "/b"},
		{"ours says nothing", parleyGroup + "\n" + "User-agent: other\nDisallow: /b\n" + everyGroup + "Disallow: /a",
			"/a", "/b"},
		{"ours is empty", parleyGroup + "Disallow:\n" + everyGroup + "Disallow: /", "/a", ""},
		{"several groups of ours are one",
			parleyGroup + "Disallow: /a\nUser-agent: other\nDisallow: /c\n" + parleyGroup + "Disallow: /b",
			"/c", "/a /b"},
		{"several groups for all are one",
			everyGroup + "Disallow: /a\nUser-agent: other\nDisallow: /c\n" + everyGroup + "Disallow: /b", "/c", "/a /b"},
		{"a group of several", "User-agent: other\n" + parleyGroup + "Disallow: /a", "/b", "/a"},
		{"blank lines end no group", parleyGroup + "\n\nDisallow: /a\n\nDisallow: /b", "/c", "/a /b"},
		{"other lines end no group",
			parleyGroup + "Sitemap: https://a.example/s.xml\nUnknown: 1\nUser-agent: other\nDisallow: /a", "/b", "/a"},
		{"a rule ends the names", parleyGroup + "Disallow: /a\nUser-agent: other\nDisallow: /b", "/b", "/a"},
		{"a name ends at what is no letter", "User-agent: Parley/2.0\nDisallow: /a", "/b", "/a"},
		{"a name ends at a space", everyGroup + "Disallow: /\nUser-agent: Parley Bot\nDisallow: /a", "/b", "/a"},
		{"a longer name is another", "User-agent: parley-image\nDisallow: /", "/a", ""},
		{"a shorter name is another", "User-agent: par\nDisallow: /", "/a", ""},
		{"a star with more is nobody", "User-agent: *bot\nDisallow: /", "/a", ""},
		{"a star with a space is all", "User-agent: * bot\nDisallow: /a", "/b", "/a"},
	})
}

func TestRobotsPrecedence(t *testing.T) {
	checkRobots(t, []robotsCase{
		{"the longest decides", parleyGroup + "Allow: /x/\nDisallow: /x/page.html", "/x/ /x/page.htm", "/x/page.html"},
		{"in whatever order", parleyGroup + "Disallow: /x/\nAllow: /x/page.html", "/x/page.html", "/x/ /x/b"},
		{"allow wins a draw", parleyGroup + "Disallow: /x\nAllow: /x", "/x /x/y", ""},
		{"allow wins a draw in any order", parleyGroup + "Allow: /x\nDisallow: /x", "/x /x/y", ""},
		{"a folder and its file", parleyGroup + "Disallow: /x\nAllow: /x/", "/x/ /x/a", "/x /xa"},
		{"stars count", parleyGroup + "Allow: /page\nDisallow: /*.html", "/page", "/page.html"},
		{"a longer allow", parleyGroup + "Allow: /x/page.\nDisallow: /*.html", "/x/page.html", "/x/y.html"},
		{"the front page only", parleyGroup + "Allow: /$\nDisallow: /", "/", "/a /?a"},
		{"by length and not by what is matched", parleyGroup + "Allow: /page\nDisallow: /*.htm", "/page", "/page.htm"},
	})
}

func TestRobotsPatterns(t *testing.T) {
	checkRobots(t, []robotsCase{
		{"prefixes", parleyGroup + "Disallow: /\nAllow: /fish",
			"/fish /fish.html /fish/salmon.html /fishheads/yummy.html /fish.php?id=1",
			"/Fish.asp /catfish /?id=fish /desert/fish"},
		{"a star at the end", parleyGroup + "Disallow: /\nAllow: /fish*", "/fish /fish.html /fishheads /fish.php?id=1",
			"/Fish.asp /catfish /?id=fish"},
		{"a folder", parleyGroup + "Disallow: /\nAllow: /fish/", "/fish/ /fish/?id=1 /fish/salmon.htm",
			"/fish /fish.html /animals/fish/ /Fish/Salmon.asp"},
		{"a star within", parleyGroup + "Disallow: /\nAllow: /*.php",
			"/index.php /a/filename.php?parameters /a/any.php.file.html /filename.php/ /index?f=a.php/",
			"/ /windows.PHP /php/ /index?php"},
		{"an end", parleyGroup + "Disallow: /\nAllow: /*.php$", "/filename.php /folder/filename.php",
			"/filename.php?parameters /filename.php/ /filename.php5 /windows.PHP /aphpb"},
		{"a star between", parleyGroup + "Disallow: /\nAllow: /fish*.php", "/fish.php /fishheads/catfish.php?parameters",
			"/Fish.PHP /fish"},
		{"several stars", parleyGroup + "Disallow: /a*b*c$", "/a /abcd /acb", "/abc /aXbXc /a/b/c/c"},
		{"a star is nothing too", parleyGroup + "Disallow: /*/private*/$", "/a/private/b", "/a/private/ /a/b/private1/"},
		{"a dollar within is a dollar", parleyGroup + "Disallow: /a$b", "/ab /a", "/a$b /a$bc"},
		{"an end that comes twice", parleyGroup + "Disallow: /*aa$", "/a /aab", "/aa /aaa /baa"},
		{"parameters", parleyGroup + "Disallow: /\nAllow: /a?q=b&c=http://d.example?e&f",
			"/a?q=b&c=http://d.example?e&f", "/a?q=b"},
		{"any question", parleyGroup + "Disallow: /*?", "/a", "/a?b /a?"},
		{"index.html stands for its folder", parleyGroup + "Allow: /a/index.html\nDisallow: /", "/a/ /a/index.html",
			"/a/index.htm /a/b"},
		{"and so does index.htm", parleyGroup + "Allow: /a/index.htm\nDisallow: /", "/a/ /a/index.htm /a/index.html",
			"/a/b /a"},
	})
}

func TestRobotsEncodings(t *testing.T) {
	checkRobots(t, []robotsCase{
		{"encoded beyond ASCII", parleyGroup + "Disallow: /\nAllow: /a/ツ", "/a/%E3%83%84 /a/ツ", "/a/%E3%83"},
		{"encoded in the rule", parleyGroup + "Disallow: /\nAllow: /a/%e3%83%84", "/a/%E3%83%84 /a/ツ", "/a/"},
		// RFC 9309, 2.2.2; Google compares less
		{"encoded without need", parleyGroup + "Disallow: /\nAllow: /a/%62%61%7A", "/a/%62%61%7A /a/baz", "/a/bar"},
		{"an encoded slash is none", parleyGroup + "Disallow: /a%2fb", "/a/b", "/a%2Fb /a%2fb"},
		{"an encoded star is a star of the address", parleyGroup + "Disallow: /a%2Ab", "/aXb", "/a%2ab"},
	})
}

func wantAllowed(t *testing.T, name string, robots *Robots, path string, want bool) {
	t.Helper()
	u := parseURL(t, "https://a.example"+path)
	u.ForceQuery = strings.HasSuffix(path, "?")
	if got := robots.Allows(u); got != want {
		t.Errorf("%s: %s allowed = %v", name, path, got)
	}
}

func TestRobotsDelayAndSitemaps(t *testing.T) {
	robots := ParseRobots([]byte("Sitemap: https://a.example/1.xml\nUser-agent: *\nCrawl-delay: 9\nUser-agent: "+
		"parley\nCrawl-delay: 1.5\nDisallow: /x\nSITEMAP: /2.xml\nSitemap:\n"+
		"User-agent: *\nCrawl-delay: 7\nDisallow: /"), "parley")
	if robots.Delay != 1500*time.Millisecond {
		t.Error(robots.Delay)
	}
	if len(robots.Sitemaps) != 2 || robots.Sitemaps[1] != "/2.xml" {
		t.Error(robots.Sitemaps)
	}
	for text, want := range map[string]time.Duration{"2": 2 * time.Second, "0.5": time.Second / 2, "-1": 0, "x": 0,
		"1e300": 24 * time.Hour, "NaN": 0} {
		if got := ParseRobots([]byte("User-agent: *\nCrawl-delay: "+text), "parley").Delay; got != want {
			t.Errorf("Crawl-delay %s: %v", text, got)
		}
	}
}

func TestProductToken(t *testing.T) {
	for agent, token := range map[string]string{"Parley/1.0 (+https://a.example)": "Parley",
		"Foo-Bar_baz": "Foo-Bar_baz", "": "", "1": ""} {
		if got := productToken(agent); got != token {
			t.Errorf("%q: %q", agent, got)
		}
	}
}
