package office

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"net/url"
	"path"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/text/charset"
)

// ReadEPUB reads the chapters of an EPUB publication in the order of its spine.
func ReadEPUB(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	a, err := openArchive(data)
	if err != nil {
		return draft.Document{}, err
	}
	if a.hasDRM() {
		return draft.Document{}, draft.ErrEncrypted
	}
	root, err := a.packagePath()
	if err != nil {
		return draft.Document{}, err
	}
	content, err := a.readPackage(root)
	if err != nil {
		return draft.Document{}, err
	}
	var d draft.Builder
	doc := draft.Document{Title: content.title}
	for _, name := range content.spine {
		if err := ctx.Err(); err != nil {
			return draft.Document{}, err
		}
		chapter, err := a.once(name)
		switch {
		case errors.Is(err, errNoPart):
			continue
		case err != nil:
			return draft.Document{}, err
		}
		tree := html.Parse(charset.Decode(chapter, charset.Declared(chapter, "")))
		html.PruneHidden(tree, nil)
		text, err := html.RenderMarkdown(ctx, tree)
		if err != nil {
			return draft.Document{}, err
		}
		d.AddBlock(draft.NormalizeText(text))
		doc.Pages++
		if d.IsFull() {
			return draft.Document{}, draft.ErrTooMuchText
		}
	}
	doc.Text = d.Text()
	return doc, nil
}

// hasDRM reports whether only a shop's own readers can open the chapters; encrypted fonts do not matter.
func (a *archive) hasDRM() bool {
	data, err := a.unpackPart("META-INF/encryption.xml")
	return err == nil && (strings.Contains(string(data), ".xhtml") || strings.Contains(string(data), ".html"))
}

func (a *archive) packagePath() (string, error) {
	x, err := a.openXML("META-INF/container.xml")
	if err != nil {
		return "", err
	}
	root := ""
	err = x.eachDescendant(func(el xml.StartElement) error {
		if el.Name.Local == "rootfile" && root == "" {
			root = attributeValue(el, "full-path")
		}
		return nil
	})
	return root, err
}

type epubPackage struct {
	title string
	spine []string // names of parts
}

func (a *archive) readPackage(root string) (b epubPackage, err error) {
	x, err := a.openXML(root)
	if err != nil {
		return b, err
	}
	files := map[string]string{}
	err = x.eachDescendant(func(el xml.StartElement) error {
		switch el.Name.Local {
		case "title":
			text, err := x.readText()
			b.title = cmp.Or(b.title, text)
			return err
		case "item":
			href := attributeValue(el, "href")
			if plain, err := url.PathUnescape(href); err == nil {
				href = plain
			}
			files[attributeValue(el, "id")] = path.Join(path.Dir(root), href)
		case "itemref":
			name := files[attributeValue(el, "idref")]
			if name != "" && attributeValue(el, "linear") != "no" && len(b.spine) < draft.MaxArchiveFiles {
				b.spine = append(b.spine, name)
			}
		}
		return nil
	})
	return b, err
}
