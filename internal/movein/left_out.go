package movein

import (
	"context"

	"parley"
	"parley/internal/store"
)

// LeftOut is something that was not taken over.
type LeftOut struct {
	AgentID parley.AgentID // here
	Agent   string         // its name
	Kind    string         // setting, source or conversation
	Type    string         // of a source
	Name    string
	Reason  string
}

// KindSetting is the kind of LeftOut that is a setting of an agent. The others are those of store.MoveInItem.
const KindSetting = "setting"

const (
	maxLeftOut     = 1000
	leftOutPerRead = 500
)

// leftOut lists what was not taken over, and counts what the list has no space for.
func (r *run) leftOut(ctx context.Context, agents []store.MoveInAgent) (list []LeftOut, more int, err error) {
	names := map[parley.AgentID]string{}
	add := func(l LeftOut) {
		if len(list) == maxLeftOut {
			more++
			return
		}
		list = append(list, l)
	}
	for i := range agents {
		a := &agents[i]
		names[a.Ref.Agent] = a.Name
		if string(a.Ref.Agent) != a.RemoteID {
			add(LeftOut{a.Ref.Agent, a.Name, KindSetting, "", "id",
				"at the service it is " + a.RemoteID + ", which is taken here or is none that agents have"})
		}
		for _, s := range a.LeftOut {
			add(LeftOut{a.Ref.Agent, a.Name, KindSetting, "", s.Name, s.Reason})
		}
	}
	for after := ""; ; {
		items, err := r.DB.MoveInLeftOut(ctx, r.moveIn, after, leftOutPerRead)
		if err != nil {
			return nil, 0, err
		}
		for i := range items {
			item := &items[i]
			after = item.ID
			add(LeftOut{item.Ref.Agent, names[item.Ref.Agent], item.Kind, item.Type, item.Name, item.Reason})
		}
		if len(items) < leftOutPerRead {
			return list, more, nil
		}
	}
}
