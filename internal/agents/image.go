package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"

	"parley"
)

// maxDrawnSide is the most pixels of a side of a picture that is drawn again: it is decompressed here.
const maxDrawnSide = 1024

// ReplacePicture sets a picture of the agent from the bytes of a file. PNG and JPEG are drawn again, and of WebP the
// image alone stays, so that nothing else which the file held is handed out. With syncAccent the color of the image
// becomes the accent color of center stage. Fails as SetPicture does.
func (s *Service) ReplacePicture(ctx context.Context, ref parley.AgentRef, picture Picture, file []byte,
	syncAccent bool) error {
	clean, accent, err := cleanImage(file)
	if err != nil {
		return invalidFile(err)
	}
	f, err := s.Ingest.Files.Write("", clean)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Path) }() // where it was not kept
	if !syncAccent {
		accent = ""
	}
	return s.setPicture(ctx, ref, picture, accent, f)
}

// cleanImage returns a square image without anything else that was in its file, and its accent color; empty where that
// is not known.
func cleanImage(data []byte) (clean []byte, accent string, err error) {
	mediaType, err := checkImage(data)
	if err != nil {
		return nil, "", err
	}
	if mediaType == "image/webp" {
		clean, err = cleanWebP(data)
		return clean, "", err
	}
	if mediaType == "image/gif" {
		return nil, "", errors.New("must be a PNG, JPEG or WebP image")
	}
	_, size, err := imageConfig(data)
	if err == nil && size.Width > maxDrawnSide {
		err = fmt.Errorf("must be at most %d pixels wide", maxDrawnSide)
	}
	if err != nil {
		return nil, "", err
	}
	decode := png.Decode
	if mediaType == "image/jpeg" {
		decode = jpeg.Decode
	}
	drawn, err := decode(bytes.NewReader(data))
	if err != nil {
		return nil, "", errNoImage
	}
	var out bytes.Buffer
	err = png.Encode(&out, drawn)
	return out.Bytes(), accentOf(drawn), err
}

// webpImageChunks are the chunks of a WebP file that are the image itself. Others tell of the camera or the place.
var webpImageChunks = map[string]bool{"VP8 ": true, "VP8L": true, "VP8X": true, "ALPH": true, "ANIM": true,
	"ANMF": true}

// webpMetadataFlags are those of the first chunk which say that there are chunks besides the image.
const webpMetadataFlags = 0x20 | 0x08 | 0x04 // a color profile, EXIF, XMP

// cleanWebP returns a WebP file of the chunks of its image.
func cleanWebP(data []byte) ([]byte, error) {
	const header, chunkHeader = 12, 8
	out := bytes.Clone(data[:header])
	for rest := data[header:]; len(rest) >= chunkHeader; {
		length := littleEndian(rest[4:chunkHeader])
		whole := chunkHeader + length + length&1 // chunks have an even length
		if length < 0 || whole > len(rest) {
			return nil, errNoImage
		}
		if name := string(rest[:4]); webpImageChunks[name] {
			at := len(out)
			out = append(out, rest[:whole]...)
			if name == "VP8X" && length > 0 {
				out[at+chunkHeader] &^= webpMetadataFlags
			}
		}
		rest = rest[whole:]
	}
	size := len(out) - chunkHeader
	for i := range 4 {
		out[4+i] = byte(size >> (8 * i))
	}
	return out, nil
}

// accentOf returns the color that is most of an image, as #rrggbb; empty for an image without one. What is transparent
// does not count, and gray counts little.
func accentOf(img image.Image) string {
	var weights [1 << 12]float64
	var sums [1 << 12][3]float64
	bounds, best := img.Bounds(), 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			if a < 0x8000 {
				continue
			}
			at := int(r>>12<<8 | g>>12<<4 | b>>12)
			weight := 0.01 + float64(max(r, g, b)-min(r, g, b))/0xffff
			weights[at] += weight
			for i, each := range [3]uint32{r, g, b} {
				sums[at][i] += weight * float64(each) / 0x101
			}
			if weights[at] > weights[best] {
				best = at
			}
		}
	}
	if weights[best] == 0 {
		return ""
	}
	mean := func(i int) int { return int(sums[best][i]/weights[best] + 0.5) }
	return fmt.Sprintf("#%02x%02x%02x", mean(0), mean(1), mean(2))
}

// withAccent returns styles whose center stage has the accent color of the icon; those that were sent for no color.
func withAccent(styles json.RawMessage, color string) json.RawMessage {
	if color == "" {
		return styles
	}
	all, stage := map[string]json.RawMessage{}, map[string]any{}
	_ = json.Unmarshal(styles, &all)               // there may be none
	_ = json.Unmarshal(all["centerStage"], &stage) // likewise
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	if stage == nil {
		stage = map[string]any{}
	}
	stage["accentColor"], stage["accentSyncWithIcon"] = map[string]any{"enabled": true, "color": color}, true
	all["centerStage"], _ = json.Marshal(stage) // of what was JSON
	changed, err := json.Marshal(all)
	if err != nil {
		return styles
	}
	return changed
}
