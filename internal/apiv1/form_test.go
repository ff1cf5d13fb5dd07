package apiv1_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
)

// boundary parts the pieces of the forms that tests send.
const boundary = "--parley-form"

// declare says of a body that is a form that it is one.
func declare(req *http.Request, body string) {
	if strings.HasPrefix(body, boundary) {
		req.Header.Set("Content-Type", `multipart/form-data; boundary="`+boundary[2:]+`"`)
	}
}

// pictureForm is a form with a small square picture in a part.
func pictureForm(part string) string { return formWith(part, drawn(8, 8)) }

func formWith(part, file string) string {
	return boundary + "\nContent-Disposition: form-data; name=\"chatbotId\"\n\n{chatbotId}\n" +
		boundary + "\nContent-Disposition: form-data; name=\"" + part + "\"; filename=\"p.png\"\n\n" + file + "\n" + boundary + "--"
}

// drawn is a PNG of that many pixels.
func drawn(width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})); err != nil {
		panic(err) // an image in memory always encodes
	}
	return b.String()
}
