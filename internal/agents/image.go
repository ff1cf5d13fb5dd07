package agents

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// maxImageSide is the most pixels a picture may be wide: a small file may unfold to any size in who shows it.
const maxImageSide = 4096

var errNoImage = errors.New("must be a PNG, JPEG, GIF or WebP image")

// checkImage tells the media type of a picture by its content, and fails, in words for the caller, for one that is no image or not square.
// It reads the header alone: nothing is unfolded.
func checkImage(data []byte) (mediaType string, err error) {
	mediaType, size, err := imageConfig(data)
	switch {
	case err != nil || size.Width < 1 || size.Height < 1:
		return "", errNoImage
	case size.Width != size.Height:
		return "", fmt.Errorf("must be square: it is %d pixels wide and %d high", size.Width, size.Height)
	case size.Width > maxImageSide:
		return "", fmt.Errorf("must be at most %d pixels wide", maxImageSide)
	}
	return mediaType, nil
}

// imageConfig reads the header of an image. Formats are told by their signatures; SVG, which can hold scripts, is none of them.
func imageConfig(data []byte) (string, image.Config, error) {
	for _, format := range []struct {
		signature, mediaType string
		read                 func([]byte) (image.Config, error)
	}{
		{"\x89PNG\r\n\x1a\n", "image/png", func(b []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(b)) }},
		{"\xff\xd8\xff", "image/jpeg", func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) }},
		{"GIF8", "image/gif", func(b []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(b)) }},
		{"RIFF", "image/webp", webpSize},
	} {
		if bytes.HasPrefix(data, []byte(format.signature)) {
			size, err := format.read(data)
			return format.mediaType, size, err
		}
	}
	return "", image.Config{}, errNoImage
}

// webpSize reads the size of a WebP image from the first chunk of its container, which is of one of three kinds (RFC 9649).
func webpSize(b []byte) (size image.Config, err error) {
	const first = 20 // where the content of the first chunk begins
	if len(b) < first+10 || string(b[8:12]) != "WEBP" {
		return size, errNoImage
	}
	content := b[first:]
	switch string(b[12:16]) {
	case "VP8 ":
		if content[0]&1 != 0 || string(content[3:6]) != "\x9d\x01\x2a" { // a key frame, and its start code
			return size, errNoImage
		}
		size.Width, size.Height = littleEndian(content[6:8])&0x3fff, littleEndian(content[8:10])&0x3fff
	case "VP8L":
		if content[0] != 0x2f {
			return size, errNoImage
		}
		bits := littleEndian(content[1:5])
		size.Width, size.Height = bits&0x3fff+1, bits>>14&0x3fff+1
	case "VP8X":
		size.Width, size.Height = littleEndian(content[4:7])+1, littleEndian(content[7:10])+1
	default:
		return size, errNoImage
	}
	return size, nil
}

// littleEndian reads up to four bytes as a number, the least first.
func littleEndian(b []byte) (n int) {
	for i, each := range b {
		n |= int(each) << (8 * i)
	}
	return n
}
