package manual

import (
	"bytes"
	"html/template"
	"net/http"
)

// What a page shows.
type (
	pageView struct {
		Title, Version, Style string
		Groups                []groupView
		Current               *chapter // of a chapter's page
		Body                  template.HTML
		Sections              []section
		Previous, Next        *chapter
		IsIndex               bool
		Search                *searchView
		Missing               string // the name of a chapter that there is not
	}
	groupView struct {
		Title    string
		Chapters []*chapter
	}
	searchView struct {
		Query string
		Hits  []hit
	}
)

func (e *edition) newView(title string) *pageView {
	v := &pageView{Title: title, Version: e.version, Style: e.style}
	for _, g := range contents {
		view := groupView{Title: g.Title}
		for _, name := range g.names {
			view.Chapters = append(view.Chapters, e.byName[name])
		}
		v.Groups = append(v.Groups, view)
	}
	return v
}

func (e *edition) newIndexView() *pageView {
	v := e.newView("Parley’s manual")
	v.IsIndex = true
	return v
}

func (e *edition) newChapterView(at int) *pageView {
	c := e.chapters[at]
	v := e.newView(c.Title + " · Parley’s manual")
	v.Current, v.Body = c, c.body
	for _, s := range c.sections {
		if s.Level > 1 {
			v.Sections = append(v.Sections, s)
		}
	}
	if at > 0 {
		v.Previous = e.chapters[at-1]
	}
	if at+1 < len(e.chapters) {
		v.Next = e.chapters[at+1]
	}
	return v
}

func (e *edition) newSearchView(query string) *pageView {
	query = cutQuery(query)
	v := e.newView("Search · Parley’s manual")
	v.Search = &searchView{Query: query, Hits: e.search(query)}
	return v
}

func (e *edition) newMissingView(name string) *pageView {
	v := e.newView("Not found · Parley’s manual")
	v.Missing = cutQuery(name)
	return v
}

// render returns the page as HTML.
func (e *edition) render(v *pageView) []byte {
	var b bytes.Buffer
	if err := e.page.Execute(&b, v); err != nil {
		return []byte("The page could not be made.") // a fault of the template, which tests execute
	}
	return b.Bytes()
}

// writePage writes a page that is made for this request.
func (e *edition) writePage(w http.ResponseWriter, status int, v *pageView) {
	w.Header().Set("Content-Type", contentTypeHTML)
	w.WriteHeader(status)
	_, _ = w.Write(e.render(v)) // whoever has gone does not read it
}
