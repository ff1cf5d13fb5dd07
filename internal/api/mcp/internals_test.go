package mcp

// Operations returns the operationId behind each tool.
func Operations() map[string]string {
	all := map[string]string{}
	for _, t := range newTools() {
		all[toolPrefix+t.name] = t.operationID
	}
	return all
}
