package agents

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// The smallest image of each kind of WebP, as cwebp writes them, and only the header of one of 5000 pixels.
var (
	lossyWebP    = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	losslessWebP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
	bigWebP      = "RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x87\x13\x00\x87\x13\x00"
	wideWebP     = "RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x04\x00\x00"
)

func TestPictureTypesAreDetectedByContent(t *testing.T) {
	drawn := func(w, h int, encode func(*bytes.Buffer, image.Image) error) string {
		var b bytes.Buffer
		if err := encode(&b, image.NewPaletted(image.Rect(0, 0, w, h), palette)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	asPNG := func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }
	asJPEG := func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }
	asGIF := func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }
	for name, c := range map[string]struct{ data, want string }{
		"png":             {drawn(8, 8, asPNG), "image/png"},
		"jpeg":            {drawn(8, 8, asJPEG), "image/jpeg"},
		"gif":             {drawn(8, 8, asGIF), "image/gif"},
		"webp, lossy":     {unpack(t, lossyWebP), "image/webp"},
		"webp, lossless":  {unpack(t, losslessWebP), "image/webp"},
		"just fits":       {drawn(4096, 4096, asPNG), "image/png"},
		"header alone":    {drawn(8, 8, asPNG)[:60], "image/png"},
		"too wide":        {drawn(4097, 4097, asPNG), "must be at most 4096 pixels wide"},
		"too wide, webp":  {bigWebP, "must be at most 4096 pixels wide"},
		"not square":      {drawn(8, 9, asGIF), "must be square: it is 8 pixels wide and 9 high"},
		"not square webp": {wideWebP, "must be square: it is 10 pixels wide and 5 high"},
		"svg":             {`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>`, errNoImage.Error()},
		"cut off":         {drawn(8, 8, asPNG)[:20], errNoImage.Error()},
		"cut off, webp":   {wideWebP[:25], errNoImage.Error()},
		"another riff":    {"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00" + strings.Repeat("\x01", 20), errNoImage.Error()},
		"nothing":         {"", errNoImage.Error()},
	} {
		got, err := checkImage([]byte(c.data))
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

var palette = color.Palette{color.Black, color.White}

func unpack(t *testing.T, text string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func FuzzCheckImage(f *testing.F) {
	f.Add([]byte(bigWebP))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xc0\x00\x11\x08\x00\x01\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if kind, err := checkImage(data); (kind == "") == (err == nil) {
			t.Error(kind, err)
		}
	})
}
