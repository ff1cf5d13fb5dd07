package synonym

// AddGroup adds a group to others.
var AddGroup = addGroup
