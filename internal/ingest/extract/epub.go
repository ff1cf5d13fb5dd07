package extract

import (
	"context"
	"encoding/xml"
	"errors"
	"net/url"
	"path"
	"strings"
)

// readEPUB reads the chapters of a book in the order of its spine.
func readEPUB(ctx context.Context, _ string, data []byte) (Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return Document{}, err
	}
	if a.locked() {
		return Document{}, errEncrypted
	}
	root, err := a.rootFile()
	if err != nil {
		return Document{}, err
	}
	book, err := a.book(root)
	if err != nil {
		return Document{}, err
	}
	var d draft
	doc := Document{Title: book.title}
	for _, name := range book.spine {
		if err := ctx.Err(); err != nil {
			return Document{}, err
		}
		chapter, err := a.once(name)
		if err != nil {
			if errors.Is(err, errNoPart) {
				continue
			}
			return Document{}, err
		}
		tree := parseHTML(decode(chapter, declaredIn(chapter, "")))
		prune(tree, nil)
		text, err := markdown(ctx, tree)
		if err != nil {
			return Document{}, err
		}
		d.block(tidy(text))
		doc.Pages++
		if d.full() {
			return Document{}, errTooMuchText
		}
	}
	doc.Text = d.text()
	return doc, nil
}

// locked reports a book whose chapters only a shop's own readers can open; encrypted fonts do not matter.
func (a *archive) locked() bool {
	data, err := a.part("META-INF/encryption.xml")
	return err == nil && (strings.Contains(string(data), ".xhtml") || strings.Contains(string(data), ".html"))
}

func (a *archive) rootFile() (string, error) {
	data, err := a.part("META-INF/container.xml")
	if err != nil {
		return "", err
	}
	e := newElements(data)
	root := ""
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		if el.Name.Local == "rootfile" && root == "" {
			root = value(el, "full-path")
		}
		return e.children(look)
	}
	if err := e.children(look); err != nil {
		return "", err
	}
	return root, nil
}

type book struct {
	title string
	spine []string // names of parts
}

func (a *archive) book(root string) (b book, err error) {
	data, err := a.part(root)
	if err != nil {
		return b, err
	}
	files := map[string]string{}
	e := newElements(data)
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		switch el.Name.Local {
		case "title":
			text, err := e.text()
			if b.title == "" {
				b.title = text
			}
			return err
		case "item":
			href := value(el, "href")
			if plain, err := url.PathUnescape(href); err == nil {
				href = plain
			}
			files[value(el, "id")] = path.Join(path.Dir(root), href)
		case "itemref":
			if name := files[value(el, "idref")]; name != "" && value(el, "linear") != "no" && len(b.spine) < mostEntries {
				b.spine = append(b.spine, name)
			}
		}
		return e.children(look)
	}
	return b, e.children(look)
}
