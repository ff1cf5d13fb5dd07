package looks

import (
	"strings"

	"parley"
	"parley/internal/agents"
)

// PicturesPath is the path below which everybody may see the pictures of agents: the agent's id, which picture it is,
// and the id of its file.
const PicturesPath = "/__cb/picture/"

// PicturePath returns the path of a picture, which changes with the picture; nil if there is none.
func PicturePath(agent *parley.Agent, picture agents.Picture) *string {
	file := agent.PictureBlobID
	if picture == agents.Icon {
		file = agent.IconBlobID
	}
	if file == "" {
		return nil
	}
	path := PicturesPath + strings.Join([]string{string(agent.ID), string(picture), file}, "/")
	return &path
}
