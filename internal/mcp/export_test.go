package mcp

// Operations gives the operationId behind each tool.
func Operations() map[string]string {
	all := map[string]string{}
	for _, t := range offered() {
		all[prefix+t.name] = t.op
	}
	return all
}
