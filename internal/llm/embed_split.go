package llm

import (
	"context"
	"errors"
	"net/http"
)

// batch asks for a few texts together. Where the provider refuses them for what they are, the one at fault is looked for.
func (e *Embeddings) batch(ctx context.Context, texts []string) ([][]float32, error) {
	list, err := e.ask(ctx, texts)
	if err == nil || !unfit(err) {
		return list, err
	}
	if _, other := e.ask(ctx, []string{"test"}); other != nil {
		return nil, err // it is not the texts
	}
	return e.halves(ctx, texts)
}

func (e *Embeddings) halves(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 1 {
		v, err := e.shortened(ctx, texts[0])
		return [][]float32{v}, err
	}
	var all [][]float32
	for _, half := range [][]string{texts[:len(texts)/2], texts[len(texts)/2:]} {
		list, err := e.ask(ctx, half)
		if unfit(err) {
			list, err = e.halves(ctx, half)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// shortened asks for the beginning of a text that is too long for the model, shorter each time; nil when nothing of it is taken.
func (e *Embeddings) shortened(ctx context.Context, text string) ([]float32, error) {
	for size := len(text) / 2; size >= 32; size /= 2 {
		list, err := e.ask(ctx, []string{trimmed(text, size)})
		if err == nil {
			return list[0], nil
		}
		if !unfit(err) {
			return nil, err
		}
	}
	return nil, nil
}

// unfit reports that the provider refused what was in the request.
func unfit(err error) bool {
	var r *refusal
	if !errors.As(err, &r) {
		return false
	}
	return r.status == http.StatusBadRequest || r.status == http.StatusRequestEntityTooLarge || r.status == http.StatusUnprocessableEntity
}
