package retrieval

// likely tells how likely the passage answers the question, 0 to 1: by how much of the question stands in its best two
// neighbouring sentences, and by how much of the question's letters the best passage of all holds.
func (c *closeness) likely(letters float64) float64 { return min(1, 0.75*c.stretch+1.5*letters) }
