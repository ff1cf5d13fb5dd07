package html

// StreamPage lets tests stream pages that are small enough for a tree.
var StreamPage = streamPage
