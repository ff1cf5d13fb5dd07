package extract_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/testkit/documents"
)

const mailHead = "From: =?utf-8?q?K=C3=BCche?= <kitchen@example.com>\r\nTo: shop@example.com\r\n" +
	"Date: Mon, 7 Dec 2026 10:00:00 +0100\r\nSubject: =?iso-8859-1?Q?R=FCckgabe?=\r\nMIME-Version: 1.0\r\n"

const mailTop = "# Rückgabe\n\nFrom: Küche <kitchen@example.com>\nTo: shop@example.com\n" +
	"Date: Mon, 7 Dec 2026 10:00:00 +0100\n\n"

// A mail is its head and its text, whatever encodes it, and the files in it by their kinds.
func TestMails(t *testing.T) {
	packed := base64.StdEncoding.EncodeToString([]byte("Article;Price\nLamp;59\nCup;4\n"))
	for name, c := range map[string]struct{ body, want string }{
		"plain": {"\r\nThe kettle costs 28 euros.\r\n", "The kettle costs 28 euros."},
		"quoted-printable": {"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable" +
			"\r\n\r\nDie R=FCckgabe ist=\r\n frei.\r\n", "Die Rückgabe ist frei."},
		"base64": {"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
			base64.StdEncoding.EncodeToString([]byte("Größe 5 €")) + "\r\n", "Größe 5 €"},
		"page": {"Content-Type: text/html; charset=windows-1252\r\n\r\n<p>Gr\xf6\xdfe</p><p><del>30</del> 28</p>",
			"Größe\n\n28"},
		"alternatives": {"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n" +
			"Plain text.\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Page</p>\r\n--b--\r\n", "Plain text."},
		"a page alone says something": {"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: " +
			"text/plain\r\n\r\n \r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Page</p>\r\n--b--\r\n", "Page"},
		"attachments": {"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the list.\r\n--b\r\n" +
			"Content-Type: text/csv; name=list.csv\r\nContent-Disposition: attachment; filename=list.csv\r\n" +
			"Content-Transfer-Encoding: base64\r\n\r\n" + packed + "\r\n--b\r\nContent-Type: image/png; name=x.png\r\n\r\n" +
			"\x89PNG\r\n--b--\r\n",
			"See the list.\n\n## list.csv\n\n| Article | Price |\n| --- | --- |\n| Lamp | 59 |\n| Cup | 4 |\n\n## x.png"},
		"a mail within": {"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nFor you.\r\n--b\r\nContent-Type: " +
			"message/rfc822\r\n\r\nSubject: Old\r\nTo: a@example.com\r\n\r\nThe old text.\r\n--b--\r\n",
			"For you.\n\n## Old\n\nTo: a@example.com\n\nThe old text."},
		"an invitation": {"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nCome.\r\n--b\r\nContent-Type: " +
			"text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Fair\r\nDTSTART:20261212T1900" +
			"00\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n--b--\r\n", "Come.\n\n## Fair\n\nBegins: 2026-12-12 19:00"},
		"breaks off": {"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nThe begin", "The begin"},
	} {
		kind, err := extract.Sniff("a.eml", []byte(mailHead+c.body))
		if err != nil || kind != extract.EML {
			t.Errorf("%s: %q %v", name, kind, err)
		}
		doc, err := extract.ReadFile(t.Context(), extract.EML, "a.eml", []byte(mailHead+c.body))
		if err != nil || doc.Text != mailTop+c.want || doc.Title != "Rückgabe" {
			t.Errorf("%s: %v %q\n%s", name, err, doc.Title, doc.Text)
		}
	}
}

// A page that a browser has saved as a mail is read as a page.
func TestSavedPage(t *testing.T) {
	const file = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://shop.example.com/\r\nSubject: Prices\r\n" +
		"Date: Mon, 7 Dec 2026 10:00:00 -0000\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"----x\"\r\n\r\n------x\r\n" +
		"Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<html><body>" +
		"<p class=3Dx>The kettle costs 28=E2=82=AC.</p></body></html>\r\n" +
		"------x\r\nContent-Type: text/css\r\n\r\np{color:red}\r\n------x--\r\n"
	kind, err := extract.Sniff("a.mhtml", []byte(file))
	if err != nil || kind != extract.EML {
		t.Fatal(kind, err)
	}
	doc, err := extract.ReadFile(t.Context(), kind, "a.mhtml", []byte(file))
	if err != nil || doc.Text != "# Prices\n\nThe kettle costs 28€." {
		t.Errorf("%v %s", err, doc.Text)
	}
}

// A text that only looks like a mail is a text.
func TestTextsThatAreNoMails(t *testing.T) {
	for _, text := range []string{"Note: we are open.\n\nFrom: Monday\nTo: Friday\n", "To: all\n\nCome in.\n",
		"Opening hours: 9 to 5\nFrom: May\nTo: June\nDate: none\n\nx"} {
		if kind, err := extract.Sniff("a", []byte(text)); err != nil || kind != extract.TXT {
			t.Errorf("%q: %q %v", text, kind, err)
		}
	}
	if kind, _ := extract.Sniff("a.txt", []byte(mailHead+"\r\nx")); kind != extract.TXT {
		t.Error(kind)
	}
	if _, err := extract.ReadFile(t.Context(), extract.EML, "a.eml", []byte("no head, only words\n")); err == nil {
		t.Error("a file of this name that is no mail is read")
	}
}

func FuzzMail(f *testing.F) {
	f.Add([]byte(mailHead + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nText.\r\n--b\r\nContent-Type: " +
		"text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+eA==\r\n--b--\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) { documents.ReadBounded(t, readerOf(extract.EML), data) })
}

func TestRecords(t *testing.T) {
	for _, c := range []struct {
		kind         extract.Kind
		source, want string
	}{
		{extract.VCF, "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Service;;;;\r\nFN:Service desk\r\nORG:Kettles\\, Ltd;Service\r\n" +
			"item1.TEL;TYPE=work:+49 30 1234\r\nEMAIL:service@exam\r\n ple.com\r\nADR;TYPE=work:;;1 High Street;York;;YO1;" +
			"UK\r\nNOTE:Open 9 to 5\\nClosed on Sunday\r\nEND:VCARD\r\nBEGIN:VCARD\r\nFN;ENCODING=QUOTED-PRINTABLE:" +
			"K=C3=BCche\r\nTEL:tel:110\r\nEND:VCARD\r\n",
			"## Service desk\n\nOrganisation: Kettles, Ltd, Service\nPhone: +49 30 1234\nEmail: service@example.com\n" +
				"Address: 1 High Street, York, YO1, UK\nNote: Open 9 to 5 Closed on Sunday\n\n## Küche\n\nPhone: 110"},
		{extract.ICS, "BEGIN:VCALENDAR\nX-WR-CALNAME:Hall\nBEGIN:VTIMEZONE\nDTSTART:19700101T000000\nEND:VTIMEZONE\n" +
			"BEGIN:VEVENT\nSUMMARY:Winter fair\nDTSTART;VALUE=DATE:20261212\nDTEND;VALUE=DATE:20261214\nLOCATION:Hall 2\n" +
			"BEGIN:VALARM\nDESCRIPTION:x\nEND:VALARM\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:Course\n" +
			"DTSTART;TZID=\"Europe/Berlin: x\":20261207T190000\n" +
			"RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20270101\nEND:VEVENT\nEND:VCALENDAR\n",
			"## Winter fair\n\nBegins: 2026-12-12, ends: 2026-12-13\nPlace: Hall 2\n\n## Course\n\nBegins: 2026-12-07 19:00\n" +
				"Repeats: every 2 weeks on Monday, Wednesday until 2027-01-01"},
		{extract.VCF, "BEGIN:VCARD\nFN:One\nPHOTO;ENCODING=b:AAAA==\nEND:VCARD\nBEGIN:VCARD\nFN:Two\nTEL:1\nURL:" +
			"https://x.example.com/?q=\nADR:;;1 High\\; Low Street;York;;;\nEND:VCARD\n",
			"## One\n\n## Two\n\nPhone: 1\nAddress: 1 High; Low Street, York\nWebsite: https://x.example.com/?q="},
		{extract.VCF, "BEGIN:VCARD\nFN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:K=FC=\nche\nTEL:1\nEND:VCARD\n",
			"## Küche\n\nPhone: 1"},
		{extract.ICS, "BEGIN:VCALENDAR\nDESCRIPTION:All dates\nBEGIN:VEVENT\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20261212\n" +
			"DTEND;VALUE=DATE:20261212\nRRULE:FREQ=MONTHLY;BYDAY=-1FR\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:Rent\n" +
			"DTSTART:20270101T080000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15;COUNT=3\nEND:VEVENT\nEND:VCALENDAR\n",
			"Description: All dates\n\n## Fair\n\nBegins: 2026-12-12\nRepeats: monthly on the last Friday\n\n## Rent\n\n" +
				"Begins: 2027-01-01 08:00 UTC\nRepeats: monthly on day 15, 3 times"},
		{extract.ICS, "BEGIN:VEVENT\nSUMMARY:Pottery\nDTSTART;TZID=Europe/Vienna:20261106T183000\n" +
			"DTEND;TZID=Europe/Vienna:20261106T203000\nEND:VEVENT\n",
			"## Pottery\n\nBegins: 2026-11-06 18:30, ends: 2026-11-06 20:30"},
		{extract.ICS, "BEGIN:VEVENT\nSUMMARY:Call\nDTSTART:20261106T183000Z\nDTEND:20261106T190000Z\nEND:VEVENT\n",
			"## Call\n\nBegins: 2026-11-06 18:30 UTC, ends: 2026-11-06 19:00 UTC"},
		{extract.ICS, "BEGIN:VTODO\nSUMMARY:Tax\nDTEND:20261106\nEND:VTODO\n", "## Tax\n\nEnds: 2026-11-05"},
		{extract.SRT, "1\n00:00:01,000 --> 00:00:03,000\nThe stones are\n\n2\n00:00:04,000 --> 00:00:05,000\nnew.\n\n3\n" +
			"00:00:06,000 --> 00:00:07,000\n- How much flour is made?\n- About 350 kilograms.\n\n4\n" +
			"00:00:08,000 --> 00:00:09,000\nIt is sold here.\n",
			"The stones are new.\n\nHow much flour is made? About 350 kilograms.\n\nIt is sold here."},
		{extract.SRT, "1\n00:00:01,000 --> 00:00:03,000\n- May I pay by card?\n- You may,\n\n2\n00:00:04,000 --> " +
			"00:00:05,000\nfrom 5 euros on.\n", "May I pay by card? You may, from 5 euros on."},
		{extract.SRT, "1\n00:00:01,000 --> 00:00:03,000\n- 5 degrees\n", "- 5 degrees"},
		{extract.SRT, "1\n00:00:01,000 --> 00:00:03,000\nSalt &amp; pepper.\n", "Salt & pepper."},
		{extract.SRT, "1\n00:00:01,000 --> 00:00:03,000\n<i>Open the lid</i>\nand fill in water.\n\n2\n00:00:04,000 --> " +
			"00:00:05,000\nand fill in water.\n28 cups are enough.\n", "Open the lid and fill in water. 28 cups are enough."},
		{extract.SRT, "WEBVTT\n\nNOTE x\n\nintro\n00:01.000 --> 00:02.000 align:start\nHello.\n", "Hello."},
	} {
		doc, err := extract.ReadFile(t.Context(), c.kind, "a", []byte(c.source))
		if err != nil || doc.Text != c.want {
			t.Errorf("%s: %v\n%s", c.kind, err, doc.Text)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte("BEGIN:VCARD\nFN:x\nTEL:1\nEND:VCARD\n"))
	f.Add([]byte("BEGIN:VEVENT\nDTEND:20260101\nRRULE:FREQ=DAILY;COUNT=3\nEND:VEVENT\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		documents.ReadBounded(t, readerOf(extract.ICS), data)
		documents.ReadBounded(t, readerOf(extract.SRT), []byte(strings.ReplaceAll(string(data), "\n", "\n00:01.0 -->\n")))
	})
}
