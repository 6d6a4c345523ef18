package draft

import (
	"slices"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/language/placeholder"
	"minicloud/shared/trigger"
)

// Limits of frequency and flow (G5), in seconds unless noted.
const (
	minInterval   = 60
	maxInterval   = 2592000
	maxDebounce   = 604800
	minBatch      = 2
	maxBatch      = 1000
	maxBatchTime  = 3600
	maxThrottle   = 1000000
	maxPeriod     = 2592000
	maxKey        = 512 // characters
	maxKeywords   = 50
	maxRecipients = 50
)

// readActions reads the list of actions. In a change, actions that are missing from the list are removed, and the given
// members of an action with an id replace its stored members.
func (k *check) readActions(f *fields, old *trigger.Trigger) {
	if _, given := f.take("actions"); !given && old != nil {
		return
	}

	before := k.trigger.Actions
	k.trigger.Actions = nil
	for _, a := range f.objects("actions", 1, trigger.MaxActions) {
		action := trigger.Action{Frequency: trigger.Frequency{Mode: trigger.Repeatable}}
		id, given := a.take("id")
		if given && old != nil {
			found := false
			if action, found = actionOf(before, id); !found {
				a.wrong("id", "there is no action %v in this trigger: leave it out for a new one", id)
				continue
			}
			if slices.ContainsFunc(k.trigger.Actions, func(other trigger.Action) bool { return other.ID == action.ID }) {
				a.wrong("id", "is given twice")
			}
		}

		k.readAction(a, &action)
		k.trigger.Actions = append(k.trigger.Actions, action)
	}
}

func actionOf(actions []trigger.Action, id any) (trigger.Action, bool) {
	i := slices.IndexFunc(actions, func(a trigger.Action) bool { return sameID(id, int64(a.ID)) })
	if i < 0 {
		return trigger.Action{}, false
	}
	return actions[i], true
}

func (k *check) readAction(a *fields, action *trigger.Action) {
	absent := trigger.ActionType(needed)
	if action.ID != 0 {
		absent = action.Type
	}
	kind := choice(a, "type", absent, trigger.ActionTypes...)
	if action.ID != 0 && kind != action.Type {
		a.wrong("type", "cannot change: it is %q", action.Type)
		return
	}
	action.Type = kind
	known := slices.Contains(trigger.ActionTypes, kind)
	if known && slices.Contains(trigger.Types, k.trigger.Type) && !trigger.Allowed(k.trigger.Type, kind) {
		a.wrong("type", "%s", trigger.Forbidden(k.trigger.Type, kind))
	}

	if frequency := a.object("frequency", false); frequency != nil {
		action.Frequency = readFrequency(frequency)
	}
	if flow := a.object("flow", false); flow != nil {
		action.Flow = k.readFlow(flow, kind)
	}
	settings := a.object("settings", action.ID == 0 && known)
	a.unknown()
	if settings == nil || !known {
		return
	}
	action.Settings = readers[kind](k, settings)
	settings.unknown()
	k.checkTemplates(settings.path, action.Settings, k.trigger.Type.Definition().Actions)
}

func readFrequency(f *fields) trigger.Frequency {
	frequency := trigger.Frequency{
		Mode: choice(f, "mode", trigger.Repeatable, trigger.Repeatable, trigger.Intermittent, trigger.Once),
	}
	if frequency.Mode == trigger.Intermittent {
		frequency.IntervalSeconds = f.number("interval_seconds", minInterval, maxInterval, true)
	} else if _, given := f.take("interval_seconds"); given {
		f.wrong("interval_seconds", "is for the mode %q only", trigger.Intermittent)
	}
	f.unknown()
	return frequency
}

func (k *check) readFlow(f *fields, kind trigger.ActionType) trigger.Flow {
	flow := trigger.Flow{
		DebounceSeconds: f.number("debounce_seconds", 1, maxDebounce, false),
		Key:             f.text("key", maxKey, ""),
		Ordered:         f.flag("ordered", false),
	}
	if batch := f.object("batch", false); batch != nil {
		flow.Batch = &trigger.Batch{
			Size: batch.number("size", minBatch, maxBatch, true), Seconds: batch.number("seconds", 1, maxBatchTime, true),
		}
		batch.unknown()
		if !kind.Definition().Batched {
			f.wrong("batch", "is only for actions of type %s", either(actionsThat(batched)))
		}
	}

	if throttle := f.object("throttle", false); throttle != nil {
		flow.Throttle = &trigger.Throttle{
			Count:         throttle.number("count", 1, maxThrottle, true),
			PeriodSeconds: throttle.number("period_seconds", 1, maxPeriod, true),
		}
		throttle.unknown()
	}

	k.checkKey(f.at("key"), flow)
	f.unknown()
	return flow
}

// checkKey checks the key of a flow. A key may use only the values of the event itself: the profile of the creator can
// change before the event is delivered again, and an event must keep its key.
func (k *check) checkKey(path string, flow trigger.Flow) {
	k.checkTemplate(path, flow.Key, k.trigger.Type.Definition().Keys, k.known())
	template, err := placeholder.Parse(flow.Key)
	if err != nil {
		return // checkTemplate has reported it
	}

	for _, name := range template.Names() {
		if strings.HasPrefix(name, trigger.CreatedBy+".") {
			k.warn(path, "variable %q renders empty here: of who made it a key knows only %s", clip.Text(name, clip.Name), trigger.CreatedBy)
		}
	}
	if flow.Key != "" && !flow.Uses() {
		k.warn(path, "does nothing without debounce_seconds, batch, throttle or ordered")
	}
}

// checkTemplates checks every template of an action.
func (k *check) checkTemplates(path string, s trigger.Settings, set *trigger.Visibility) {
	n := k.known()
	s.Templates(func(one trigger.Template) { k.checkTemplate(path+"."+one.Path, one.Text, set, n) })
}
