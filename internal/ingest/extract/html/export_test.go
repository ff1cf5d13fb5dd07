package html

// StreamPage is called by tests for pages that are small enough for a tree.
var StreamPage = streamPage
