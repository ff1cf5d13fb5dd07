package store

// EventQueries are the statements that readers of the log run all the time, with arguments, for the test of their
// plans.
func EventQueries() map[string][]any {
	return map[string][]any{
		eventsAfterQuery:    {"a1", 1, 15000, 500},
		oldestEventQuery:    {"a1"},
		eventPositionQuery:  {"search", "a1"},
		accountsBehindQuery: {"search", "a", 500},
	}
}

// AnsweredTurnsQuery is what AnsweredTurns asks, for the test of its plan.
func AnsweredTurnsQuery() string { return answeredTurnTable.selectText(answeredTurnsRest) }
