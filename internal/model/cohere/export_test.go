package cohere

// ParseScores is what reads a provider's answer.
var ParseScores = parseScores
