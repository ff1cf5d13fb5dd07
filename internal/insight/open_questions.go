package insight

import (
	"context"
	"time"

	"parley"
)

// NewestOpenQuestions lists an agent's newest questions that its sources did not answer, at most limit. Withheld
// reports that their texts may not be shown; then there are none.
func (s *Service) NewestOpenQuestions(ctx context.Context, account *parley.Account, a *parley.Agent,
	limit int) (list []parley.OpenQuestion, withheld bool, err error) {
	if hidesText(account, a) {
		return nil, true, nil
	}
	list, err = s.DB.OpenQuestions(ctx, a.Ref(), time.UnixMilli(0), s.Now().Add(dayLength), limit)
	return list, false, err
}
