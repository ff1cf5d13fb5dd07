package v2_test

import "parley/internal/testkit/expect"

// The stories in testdata are told as package expect says, with paths below /api/v2 and {{key}} sent unless an Authorization header is
// given. Besides, there are
//
//	@plan free                               the plan of the account "free", whose key is {{free}}
//	@rate 5                                  requests per 10 s
//	@scopes reader agents:read               a key {{reader}} of our account; the other settings are in house_test.go
//
//	=== title [meanwhile]                    a request that waits at the model's gate (see moody) while the story goes on
//	EVERY /agents/nobody?limit=1             a request to every route below the path that lists the code of the reply: with
//	                                         {{agentId}} and so on for its ids, and the body of the isolation test
//	HOUSE ends {{conversation}}              what no request does; see deeds
type (
	story    = expect.Story
	exchange = expect.Exchange
)
