package engine

import (
	"crypto/sha256"
	"encoding/hex"

	"minicloud/shared/language/placeholder"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// maxFlowKey is the maximum length of a rendered key in bytes. A longer key is replaced by its hash.
const maxFlowKey = 64

// flowKeys parses the flow-control keys of a trigger's actions.
func flowKeys(t trigger.Trigger) (map[trigger.ActionID]placeholder.Template, error) {
	keys := map[trigger.ActionID]placeholder.Template{}
	for _, a := range t.Actions {
		if !a.Flow.Uses() || a.Flow.Key == "" {
			continue
		}
		parsed, err := placeholder.Parse(a.Flow.Key)
		if err == nil {
			_, err = t.Location()
		}
		if err != nil {
			return nil, err
		}
		keys[a.ID] = parsed
	}
	return keys, nil
}

// flowKey returns the rendered key of an event. It uses only the data of the event, not the profile of its creator,
// because the profile may have changed when the event is redelivered.
func (m *Matcher) flowKey(key placeholder.Template, e trigger.Event) string {
	nobody := func() map[string]any { return nil }
	zone, _ := m.Trigger.Location() // flowKeys has loaded it
	text, err := key.Render(e.Lookup(m.Trigger.Type.Definition().Keys, nobody), zone)
	if err != nil {
		return "" // the rendered text is too long: such events share the empty key
	}
	if len(text) <= maxFlowKey {
		return "=" + text
	}
	sum := sha256.Sum256([]byte(text))
	return "h" + hex.EncodeToString(sum[:])
}

// NewRun returns the run of an action for an event, before any limit or flow control is applied.
func (m *Matcher) NewRun(a trigger.Action, e trigger.Event) run.Run {
	r := run.New(m.Trigger, a, e)
	if !a.Flow.Uses() {
		return r
	}
	r.Flow = &run.Flow{Flow: a.Flow}
	if key, ok := m.keys[a.ID]; ok {
		r.Flow.Key = m.flowKey(key, e)
	}
	return r
}
