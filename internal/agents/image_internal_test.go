package agents

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"
)

// newWebP returns a WebP file of chunks, each a name and a content in turn.
func newWebP(chunks ...string) []byte {
	var body []byte
	for i := 0; i < len(chunks); i += 2 {
		body = append(body, chunks[i]...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(chunks[i+1])))
		body = append(body, chunks[i+1]...)
		if len(chunks[i+1])%2 == 1 {
			body = append(body, 0)
		}
	}
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)+4))
	return append(append(file, "WEBP"...), body...)
}

// Of a WebP file nothing but the image is handed out.
func TestWebPKeepsTheImageAlone(t *testing.T) {
	const size = "\x00\x00\x00\x07\x00\x00\x07\x00\x00"
	const data = "\x2f\x07\xc0\x01\x00"
	file := newWebP("VP8X", "\x2c"+size, "EXIF", "where it was", "VP8L", data, "XMP ", "who it was", "evil", "x")
	clean, _, err := cleanImage(append(file, "tail"...))
	if want := newWebP("VP8X", "\x00"+size, "VP8L", data); err != nil || !bytes.Equal(clean, want) {
		t.Errorf("%v\n%q\n%q", err, clean, want)
	}
	if _, _, err := cleanImage(file[:len(file)-30]); err == nil {
		t.Error("a file that is cut was taken")
	}
}

func TestAccentFollowsTheIcon(t *testing.T) {
	square := image.NewRGBA(image.Rect(0, 0, 16, 16))
	draw.Draw(square, square.Rect, image.NewUniform(color.Gray{200}), image.Point{}, draw.Src)
	draw.Draw(square, image.Rect(4, 4, 12, 12), image.NewUniform(color.RGBA{200, 16, 32, 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	if err := png.Encode(&file, square); err != nil {
		t.Fatal(err)
	}
	_, accent, err := cleanImage(file.Bytes())
	if err != nil || accent != "#c81020" {
		t.Errorf("%q, %v", accent, err)
	}
	const synced = `{"accentColor":{"color":"#c81020","enabled":true},"accentSyncWithIcon":true`
	for styles, want := range map[string]string{
		`{"centerStage":{"theme":"dark"}}`: `{"centerStage":` + synced + `,"theme":"dark"}}`,
		`{"chat":{},"centerStage":null}`:   `{"centerStage":` + synced + `},"chat":{}}`,
		`null`:                             `{"centerStage":` + synced + `}}`,
		``:                                 `{"centerStage":` + synced + `}}`,
	} {
		if got := string(withAccent([]byte(styles), accent)); got != want {
			t.Errorf("%s: %s", styles, got)
		}
	}
}
