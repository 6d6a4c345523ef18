package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"minicloud/shared/language/placeholder"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// flowKey is the key of an action's flow controls, parsed once.
type flowKey struct {
	template placeholder.Template
	sees     *trigger.Visibility
	zone     *time.Location
}

// maxFlowKey is how many bytes of a rendered key are kept as they are; of a longer one its hash is.
const maxFlowKey = 64

// flowKeys parses the keys of a trigger's actions.
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

// of renders the key of an event: equal texts are one key. Only what the event brings is in it, never the profile of
// its creator, which may have changed when the event comes again.
func (k flowKey) of(e trigger.Event) string {
	nobody := func() map[string]any { return nil }
	text, err := k.template.Render(e.Lookup(k.sees, nobody), k.zone)
	if err != nil {
		return "" // too long to be a key: those share that of the trigger
	}
	if len(text) <= maxFlowKey {
		return "=" + text
	}
	sum := sha256.Sum256([]byte(text))
	return "h" + hex.EncodeToString(sum[:])
}

// FlowOf returns how the event of an action goes through its flow controls, nil for an action without any.
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

// NewRun is what an action makes of an event, before anybody has decided whether it runs.
func (m *Matcher) NewRun(a trigger.Action, e trigger.Event) run.Run {
	r := run.New(m.Trigger, a, e)
	r.Flow = m.FlowOf(a, e)
	return r
}
