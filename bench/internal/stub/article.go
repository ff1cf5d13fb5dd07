package stub

import (
	"fmt"
	"strings"
)

// articleTokens returns so many tokens of 20 bytes: an article in Markdown with headings, paragraphs with emphasis
// and links, lists, tables and code.
func articleTokens(n int) []string {
	const size, end = 20, "\n\nThis is the end."
	var text strings.Builder
	for i := 1; text.Len() < n*size; i++ {
		fmt.Fprintf(&text, articleSection, i, i, i)
	}
	article := text.String()[:n*size-len(end)] + end
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = article[i*size : (i+1)*size]
	}
	return tokens
}

const articleSection = `## %d. How goods are sent back

Goods may be sent back **within thirty days** of the day on which they arrived, and the money is paid back by the way
that it came. Whoever has lost the receipt finds it in the [list of orders](https://shop.example/orders/%d), or asks for
a copy by *e-mail*.

- Shoes are sent back in their own box.
- What was made to measure is *not* taken back.
- The label is in the parcel; ` + "`track %d`" + ` shows where it is.

| Goods | Days | Who pays |
|---|---|---|
| Shoes | 30 | the shop |
| Books | 14 | the customer |

` + "```sh\ncurl https://shop.example/returns -d order=12345\n```" + `

`
