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
	if a.hasDRM() {
		return Document{}, errEncrypted
	}
	root, err := a.packagePath()
	if err != nil {
		return Document{}, err
	}
	book, err := a.readPackage(root)
	if err != nil {
		return Document{}, err
	}
	var d textBuilder
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
		tree := parseHTML(decodeText(chapter, declaredEncoding(chapter, "")))
		pruneHidden(tree, nil)
		text, err := renderMarkdown(ctx, tree)
		if err != nil {
			return Document{}, err
		}
		d.addBlock(normalizeText(text))
		doc.Pages++
		if d.isFull() {
			return Document{}, errTooMuchText
		}
	}
	doc.Text = d.text()
	return doc, nil
}

// hasDRM reports a book whose chapters only a shop's own readers can open; encrypted fonts do not matter.
func (a *archive) hasDRM() bool {
	data, err := a.unpackPart("META-INF/encryption.xml")
	return err == nil && (strings.Contains(string(data), ".xhtml") || strings.Contains(string(data), ".html"))
}

func (a *archive) packagePath() (string, error) {
	data, err := a.unpackPart("META-INF/container.xml")
	if err != nil {
		return "", err
	}
	e := newXMLReader(data)
	root := ""
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		if el.Name.Local == "rootfile" && root == "" {
			root = attributeValue(el, "full-path")
		}
		return e.eachChild(look)
	}
	if err := e.eachChild(look); err != nil {
		return "", err
	}
	return root, nil
}

type epubPackage struct {
	title string
	spine []string // names of parts
}

func (a *archive) readPackage(root string) (b epubPackage, err error) {
	data, err := a.unpackPart(root)
	if err != nil {
		return b, err
	}
	files := map[string]string{}
	e := newXMLReader(data)
	var look func(el xml.StartElement) error
	look = func(el xml.StartElement) error {
		switch el.Name.Local {
		case "title":
			text, err := e.readText()
			if b.title == "" {
				b.title = text
			}
			return err
		case "item":
			href := attributeValue(el, "href")
			if plain, err := url.PathUnescape(href); err == nil {
				href = plain
			}
			files[attributeValue(el, "id")] = path.Join(path.Dir(root), href)
		case "itemref":
			if name := files[attributeValue(el, "idref")]; name != "" && attributeValue(el, "linear") != "no" && len(b.spine) < maxArchiveFiles {
				b.spine = append(b.spine, name)
			}
		}
		return e.eachChild(look)
	}
	return b, e.eachChild(look)
}
