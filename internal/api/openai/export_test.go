package openai

import "parley/internal/httpapi"

// Operations lists the operations.
func Operations() []httpapi.Operation { return newAPI(Config{}).Operations() }
