package cohere

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/internal/httpclient"
)

// result is the score of one text. Cohere and Jina name it relevance_score, and text-embeddings-inference names it
// score.
type result struct {
	Index          *int     `json:"index"`
	RelevanceScore *float64 `json:"relevance_score"`
	Score          *float64 `json:"score"`
}

func (r result) score() *float64 {
	if r.RelevanceScore != nil {
		return r.RelevanceScore
	}
	return r.Score
}

// parseScores takes the scores out of an answer to n texts. It refuses an answer in which a text has no score, or
// several, or a number is out of range: an order made of it would be no better than chance.
func parseScores(response []byte, n int) ([]float64, error) {
	results, err := parseResults(response)
	switch {
	case err != nil:
		return nil, httpclient.NewProviderError("the answer is no JSON of scores", response)
	case len(results) != n:
		return nil, httpclient.NewProviderError(fmt.Sprintf("%d scores came for %d texts", len(results), n),
			response[:min(len(response), 300)])
	}
	scores, seen := make([]float64, n), make([]bool, n)
	for _, r := range results {
		switch {
		case r.Index == nil || *r.Index < 0 || *r.Index >= n:
			return nil, httpclient.NewProviderError("a score has no number of a text, or one out of range", nil)
		case seen[*r.Index]:
			return nil, httpclient.NewProviderError(fmt.Sprintf("text %d has two scores", *r.Index), nil)
		case r.score() == nil:
			return nil, httpclient.NewProviderError(fmt.Sprintf("the score of text %d is no number", *r.Index), nil)
		}
		scores[*r.Index], seen[*r.Index] = *r.score(), true
	}
	return scores, nil
}

// parseResults reads an object with results, or a list of them as text-embeddings-inference sends it. JSON has no
// number that is not finite, and one that no float holds is an error.
func parseResults(response []byte) (list []result, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(response), []byte("[")) {
		err = json.Unmarshal(response, &list)
		return list, err
	}
	var answer struct {
		Results []result `json:"results"`
	}
	err = json.Unmarshal(response, &answer)
	return answer.Results, err
}
