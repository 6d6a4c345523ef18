package play

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/infra/lab/sim"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/table/manage"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// person is a user of a tenant who gets template messages.
type person struct {
	name string // the nickname
	// singles and triples are how many form ids there are that are good for one message, and for three.
	singles, triples int
	unknown          bool // at the vendor
}

// people are the users of each tenant: of form ids the first ones have more than they need, the last one too few.
var people = []person{
	{name: "ada", triples: 40}, {name: "bob", singles: 1, triples: 40}, {name: "nobody", triples: 1, unknown: true},
	{name: "eve", triples: 40}, {name: "poor", singles: 2, triples: 1},
}

// mayMiss reports whether a message to a person may be skipped by a run that ended at a time.
func (p person) mayMiss(o *outside, openID string, ended time.Time) bool {
	shown := o.shown[openID]
	if p.unknown || p.triples < 2 {
		return true
	}
	// Timers make up for an hour of missed minutes: with many of them a game has more messages than form ids.
	return len(shown) >= p.triples && ended.After(shown[p.triples-1].Add(-skew))
}

// openID names a person at the vendor.
func (t *tenant) openID(name string) string { return t.mark + "/" + name }

// everybody is what an action does that writes to all people; others name the one they write to.
const everybody = "everybody"

// paceCount is how many messages go out in a minute, where an action has a pace.
const paceCount = 1

// templateMessage makes up settings of a template message.
func (t *tenant) templateMessage(
	random sim.Random, w *modelAction, mark, name string,
) *trigger.TemplateMessageSettings {
	s := &trigger.TemplateMessageSettings{
		Vendor: string(messaging.Chat), TemplateID: "news", FormIDSource: consent.AnyKind,
		Recipient: trigger.Recipient{Kind: trigger.SomeUsers},
		Keywords:  map[string]string{"mark": mark, "name": name},
	}
	w.variant = everybody
	if random.IntN(3) == 0 {
		w.variant = people[random.IntN(len(people))].name
		s.Recipient.Where = map[string]any{"nickname": map[string]any{"$eq": w.variant}}
	}
	if random.IntN(4) == 0 {
		s.Pace, w.paced = &trigger.Pace{Count: paceCount, Minutes: 1}, true
	}
	return s
}

// recipients are whom an action writes to.
func (a modelAction) recipients() []person {
	if a.variant == everybody {
		return people
	}
	at := slices.IndexFunc(people, func(p person) bool { return p.name == a.variant })
	return people[at : at+1]
}

// plantPeople stores who is to get template messages, with their form ids, and the setting.
func (g *Game) plantPeople(t *tenant) error {
	i, ctx := g.world.Instance("owner", g.platform.owner), context.Background()
	_, err := messageSettings(i).PutVendor(ctx, t.scope, messaging.Chat, messaging.VendorPatch{
		AppID: aws.String(t.mark), Secrets: map[string]*string{messaging.AppSecret: aws.String("secret of " + t.mark)},
	})
	if err != nil {
		return err
	}

	users := &user.Service{Tables: g.platform.tables(i).(*manage.Service), Clock: clock.System}
	forms := i.Backend.FormIDs(users)
	for _, p := range people {
		profile := map[string]any{"nickname": p.name, "openid": t.openID(p.name)}
		if p.unknown {
			delete(profile, "openid")
		}
		made, err := users.Create(ctx, t.scope, user.New{Profile: profile})
		if err != nil {
			return err
		}
		for n := range p.singles + p.triples {
			kind := consent.Form
			if n >= p.singles {
				kind = consent.Payment
			}
			id := fmt.Sprintf("%s/%s/%d", t.openID(p.name), kind, n)
			if _, err := forms.Add(ctx, t.scope, made, messaging.Chat, kind, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// The mishaps at a vendor: each verdict, and those of other services.
const (
	badToken failure = "the token is rejected"
	badForm  failure = "the form id is rejected"
	badUser  failure = "the user is rejected"
)

func verdict(v templatemessage.Verdict, after time.Duration) error {
	return &templatemessage.Refusal{Verdict: v, Code: fmt.Sprint(int(v)), Message: "no", After: after}
}

var atVendor = service{
	failures: append([]failure{badToken, badForm, badUser}, atMessages.failures...),
	refusals: map[failure]error{
		refusedNow: verdict(templatemessage.Later, time.Second), lost: errors.New("connection reset"),
		throttledNow: verdict(templatemessage.Later, 30*time.Second), refusedEver: verdict(templatemessage.Never, 0),
		badToken: verdict(templatemessage.BadToken, 0), badForm: verdict(templatemessage.BadForm, 0),
		badUser: verdict(templatemessage.BadUser, 0),
	},
}

// vendor is the templatemessage.Gateway and TokenGiver, and the platform of mini programs behind them.
type vendor struct {
	*outside
	instance *sim.Instance
}

// Send implements templatemessage.Gateway.
func (v vendor) Send(
	ctx context.Context, who templatemessage.Identity, token string, m templatemessage.Message,
) error {
	if !strings.HasPrefix(token, who.AppID+" token ") || who.Secret != "secret of "+who.AppID {
		v.g.problem("vendor: %s comes with the token %q and %q", who.AppID, token, who.Secret)
	}
	if !strings.HasPrefix(m.To, who.AppID+"/") || !strings.HasPrefix(m.FormID, m.To+"/") {
		v.g.problem("vendor: %s writes to %s with the form id %s", who.AppID, m.To, m.FormID)
	}

	v.show(m)
	words := slices.Sorted(maps.Values(m.Keywords))
	e := effect{kind: template, to: m.To, form: m.FormID, text: strings.Join(words, "\n")}
	return v.send(ctx, v.instance, e, atVendor)
}

// template is the kind of effects that are template messages.
const template = "template message"

// show notes when a form id of a payment came for the first time.
func (o *outside) show(m templatemessage.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if payment := strings.Contains(m.FormID, "/"+string(consent.Payment)+"/"); payment && !o.seen[m.FormID] {
		o.seen[m.FormID], o.shown[m.To] = true, append(o.shown[m.To], time.Now())
	}
}

// takeForm spends a form id, and refuses one that is spent. A form id that other runs have spent should not have been
// sent. A payment is good for three messages, a form for one.
func (o *outside) takeForm(e effect) error {
	if e.form == "" {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	good := 1
	if strings.Contains(e.form, "/"+string(consent.Payment)+"/") {
		good = 3
	}

	others := map[string]bool{}
	for _, run := range o.forms[e.form] {
		if run != e.run {
			others[run] = true
		}
	}
	if len(others) >= good {
		o.g.problem("vendor: %s is sent with by %s after %d other runs", e.form, e.run, len(others))
	}
	if len(o.forms[e.form]) >= good {
		return verdict(templatemessage.BadForm, 0)
	}
	o.forms[e.form] = append(o.forms[e.form], e.run)
	return nil
}

// Token implements templatemessage.TokenGiver.
func (v vendor) Token(
	ctx context.Context, who templatemessage.Identity, _ bool,
) (token string, lifetime time.Duration, err error) {
	run := sim.Label(ctx)
	how, random := v.drawFailure("token", run, []failure{diedBefore, refusedNow, lost, diedAfter, slowly})
	err = clock.Sleep(ctx, random.Jitter(time.Duration(random.IntN(200))*time.Millisecond))
	if err != nil || v.instance.Dead() {
		return "", 0, errors.Join(err, context.Canceled)
	}

	v.g.notePoint("token: "+string(how), run)
	switch how {
	case diedBefore, diedAfter:
		v.g.world.Kill(v.instance)
		return "", 0, context.Canceled
	case refusedNow:
		return "", 0, errs.Unavailable(1, "the vendor is away")
	case lost:
		return "", 0, errors.New("connection reset")
	case slowly:
		err = clock.Sleep(ctx, random.Jitter(10*time.Second))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.given++
	return fmt.Sprintf("%s token %d", who.AppID, v.given), 20 * time.Minute, err
}
