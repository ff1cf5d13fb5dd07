package v1_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
)

// formBoundary parts the pieces of the forms that tests send.
const formBoundary = "--parley-form"

// setFormContentType says of a body that is a form that it is one.
func setFormContentType(req *http.Request, body string) {
	if strings.HasPrefix(body, formBoundary) {
		req.Header.Set("Content-Type", `multipart/form-data; boundary="`+formBoundary[2:]+`"`)
	}
}

// newPictureForm is a form with a small square picture in a part.
func pictureForm(part string) string { return formWith(part, newPNG(8, 8)) }

func formWith(part, file string) string {
	return formBoundary + "\nContent-Disposition: form-data; name=\"chatbotId\"\n\n{chatbotId}\n" +
		formBoundary + "\nContent-Disposition: form-data; name=\"" + part + "\"; filename=\"p.png\"\n\n" + file + "\n" + formBoundary + "--"
}

// newPNG is a PNG of that many pixels.
func newPNG(width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})); err != nil {
		panic(err) // an image in memory always encodes
	}
	return b.String()
}
