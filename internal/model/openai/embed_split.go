package openai

import (
	"context"

	"parley/internal/httpclient"
)

// embedBatch asks for a few texts together. Where the provider refuses them for what they are, the one at fault is looked for.
func (e *Embedder) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	list, err := e.requestVectors(ctx, texts)
	if err == nil || !httpclient.IsRejectedInput(err) {
		return list, err
	}
	if _, other := e.requestVectors(ctx, []string{"test"}); other != nil {
		return nil, err // it is not the texts
	}
	return e.embedHalves(ctx, texts)
}

func (e *Embedder) embedHalves(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 1 {
		v, err := e.embedShortened(ctx, texts[0])
		return [][]float32{v}, err
	}
	var all [][]float32
	for _, half := range [][]string{texts[:len(texts)/2], texts[len(texts)/2:]} {
		list, err := e.requestVectors(ctx, half)
		if httpclient.IsRejectedInput(err) {
			list, err = e.embedHalves(ctx, half)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// embedShortened asks for the beginning of a text that is too long for the model, shorter each time; nil when nothing of it is taken.
func (e *Embedder) embedShortened(ctx context.Context, text string) ([]float32, error) {
	for size := len(text) / 2; size >= 32; size /= 2 {
		list, err := e.requestVectors(ctx, []string{httpclient.TruncateText(text, size)})
		if err == nil {
			return list[0], nil
		}
		if !httpclient.IsRejectedInput(err) {
			return nil, err
		}
	}
	return nil, nil
}
