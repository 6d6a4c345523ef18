package model

import (
	"slices"

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/triggers/outside"
	"minicloud/shared/message/messaging"
	"minicloud/shared/trigger"
	"minicloud/shared/user/consent"
)

// OpenID names a person at the vendor.
func (t *Tenant) OpenID(name string) string { return t.Mark + "/" + name }

// everybody is what an action does that writes to all people; others name the one they write to.
const everybody = "everybody"

// paceCount is how many messages go out in a minute, where an action has a pace.
const paceCount = 1

// templateMessage makes up settings of a template message.
func (t *Tenant) templateMessage(
	random sim.Random, w *Action, mark, name string,
) *trigger.TemplateMessageSettings {
	s := &trigger.TemplateMessageSettings{
		Vendor: string(messaging.Chat), TemplateID: "news", FormIDSource: consent.AnyKind,
		Recipient: trigger.Recipient{Kind: trigger.SomeUsers},
		Keywords:  map[string]string{"mark": mark, "name": name},
	}
	w.Variant = everybody
	if random.IntN(3) == 0 {
		w.Variant = outside.People[random.IntN(len(outside.People))].Name
		s.Recipient.Where = map[string]any{"nickname": map[string]any{"$eq": w.Variant}}
	}
	if random.IntN(4) == 0 {
		s.Pace, w.paced = &trigger.Pace{Count: paceCount, Minutes: 1}, true
	}
	return s
}

// recipients are whom an action writes to.
func (a Action) recipients() []outside.Person {
	if a.Variant == everybody {
		return outside.People
	}
	at := slices.IndexFunc(outside.People, func(p outside.Person) bool { return p.Name == a.Variant })
	return outside.People[at : at+1]
}
