package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"minicloud/shared/language/placeholder"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// flowKey is the parsed key template of an action's flow controls.
type flowKey struct {
	template placeholder.Template
	sees     *trigger.Visibility
	zone     *time.Location
}

// maxFlowKey is the maximum length of a rendered key in bytes. A longer key is replaced by its hash.
const maxFlowKey = 64

// flowKeys parses the flow-control keys of a trigger's actions.
func flowKeys(t trigger.Trigger) (map[trigger.ActionID]flowKey, error) {
	var keys map[trigger.ActionID]flowKey
	for _, a := range t.Actions {
		if !a.Flow.Uses() || a.Flow.Key == "" {
			continue
		}
		parsed, err := placeholder.Parse(a.Flow.Key)
		if err != nil {
			return nil, err
		}
		zone, err := t.Location()
		if err != nil {
			return nil, err
		}

		if keys == nil {
			keys = map[trigger.ActionID]flowKey{}
		}
		keys[a.ID] = flowKey{parsed, t.Type.Definition().Keys, zone}
	}
	return keys, nil
}

// of returns the rendered key of an event. It uses only the data of the event, not the profile of its creator, because
// the profile may have changed when the event is redelivered.
func (k flowKey) of(e trigger.Event) string {
	nobody := func() map[string]any { return nil }
	text, err := k.template.Render(e.Lookup(k.sees, nobody), k.zone)
	if err != nil {
		return "" // the rendered text is too long: such events share the empty key
	}
	if len(text) <= maxFlowKey {
		return "=" + text
	}
	sum := sha256.Sum256([]byte(text))
	return "h" + hex.EncodeToString(sum[:])
}

// FlowOf returns the flow controls of a run of the action, with the key of the event; nil if the action has none.
func (m *Matcher) FlowOf(a trigger.Action, e trigger.Event) *run.Flow {
	if !a.Flow.Uses() {
		return nil
	}
	flow := &run.Flow{Flow: a.Flow}
	if key, ok := m.keys[a.ID]; ok {
		flow.Key = key.of(e)
	}
	return flow
}

// NewRun returns the run of an action for an event, before any limit or flow control is applied.
func (m *Matcher) NewRun(a trigger.Action, e trigger.Event) run.Run {
	r := run.New(m.Trigger, a, e)
	r.Flow = m.FlowOf(a, e)
	return r
}
