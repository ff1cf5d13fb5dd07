// Package web hands out what browsers load: the built front end and its pages. The sources are in the folders beside
// this file; "make web" builds them into built, which is committed, so that the server needs nothing but Go. A
// release has the console and the widget packed (packed.go).
package web

import "embed"

// Files holds the script build of service-voice with the licences of what it contains (built), and its demo page
// (voice/demo), and the files of the page on which members try the chat (widget/demo).
//
//go:embed built/service-voice.js built/service-voice.licenses.txt
//go:embed voice/demo/voice.html voice/demo/voice.css voice/demo/voice.js
//go:embed widget/demo/widget.css widget/demo/widget.js
var Files embed.FS
