package model

import (
	"context"
	"errors"
	"net/http"
)

// embedBatch asks for a few texts together. Where the provider refuses them for what they are, the one at fault is looked for.
func (e *OpenAIEmbedder) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	list, err := e.requestVectors(ctx, texts)
	if err == nil || !isRejectedInput(err) {
		return list, err
	}
	if _, other := e.requestVectors(ctx, []string{"test"}); other != nil {
		return nil, err // it is not the texts
	}
	return e.embedHalves(ctx, texts)
}

func (e *OpenAIEmbedder) embedHalves(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 1 {
		v, err := e.embedShortened(ctx, texts[0])
		return [][]float32{v}, err
	}
	var all [][]float32
	for _, half := range [][]string{texts[:len(texts)/2], texts[len(texts)/2:]} {
		list, err := e.requestVectors(ctx, half)
		if isRejectedInput(err) {
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
func (e *OpenAIEmbedder) embedShortened(ctx context.Context, text string) ([]float32, error) {
	for size := len(text) / 2; size >= 32; size /= 2 {
		list, err := e.requestVectors(ctx, []string{truncateText(text, size)})
		if err == nil {
			return list[0], nil
		}
		if !isRejectedInput(err) {
			return nil, err
		}
	}
	return nil, nil
}

// isRejectedInput reports that the provider refused what was in the request.
func isRejectedInput(err error) bool {
	var r *statusError
	if !errors.As(err, &r) {
		return false
	}
	return r.status == http.StatusBadRequest || r.status == http.StatusRequestEntityTooLarge || r.status == http.StatusUnprocessableEntity
}
