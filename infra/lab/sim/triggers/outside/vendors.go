package outside

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/user/consent"
)

// Person is a user of a tenant who gets template messages.
type Person struct {
	Name string // the nickname
	// singles and triples are how many form ids there are that are good for one message, and for three.
	Singles, Triples int
	Unknown          bool // at the vendor
}

// People are the users of each tenant: of form ids the first ones have more than they need, the last one too few.
var People = []Person{
	{Name: "ada", Triples: 40}, {Name: "bob", Singles: 1, Triples: 40}, {Name: "nobody", Triples: 1, Unknown: true},
	{Name: "eve", Triples: 40}, {Name: "poor", Singles: 2, Triples: 1},
}

// MayMiss reports whether a message to a person may be skipped by a run that ended at a time.
func (p Person) MayMiss(o *Services, openID string, ended time.Time) bool {
	shown := o.shown[openID]
	if p.Unknown || p.Triples < 2 {
		return true
	}
	// Timers make up for an hour of missed minutes: with many of them a game has more messages than form ids.
	return len(shown) >= p.Triples && ended.After(shown[p.Triples-1].Add(-Skew))
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
	*Services
	instance *sim.Instance
}

// Send implements templatemessage.Gateway.
func (v vendor) Send(
	ctx context.Context, who templatemessage.Identity, token string, m templatemessage.Message,
) error {
	if !strings.HasPrefix(token, who.AppID+" token ") || who.Secret != "secret of "+who.AppID {
		v.Problem("vendor: %s comes with the token %q and %q", who.AppID, token, who.Secret)
	}
	if !strings.HasPrefix(m.To, who.AppID+"/") || !strings.HasPrefix(m.FormID, m.To+"/") {
		v.Problem("vendor: %s writes to %s with the form id %s", who.AppID, m.To, m.FormID)
	}

	v.show(m)
	words := slices.Sorted(maps.Values(m.Keywords))
	e := Effect{Kind: Template, To: m.To, form: m.FormID, Text: strings.Join(words, "\n")}
	return v.send(ctx, v.instance, e, atVendor)
}

// Template is the kind of effects that are template messages.
const Template = "template message"

// show notes when a form id of a payment came for the first time.
func (o *Services) show(m templatemessage.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if payment := strings.Contains(m.FormID, "/"+string(consent.Payment)+"/"); payment && !o.seen[m.FormID] {
		o.seen[m.FormID], o.shown[m.To] = true, append(o.shown[m.To], time.Now())
	}
}

// takeForm spends a form id, and refuses one that is spent. A form id that other runs have spent should not have been
// sent. A payment is good for three messages, a form for one.
func (o *Services) takeForm(e Effect) error {
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
		if run != e.Run {
			others[run] = true
		}
	}
	if len(others) >= good {
		o.Problem("vendor: %s is sent with by %s after %d other runs", e.form, e.Run, len(others))
	}
	if len(o.forms[e.form]) >= good {
		return verdict(templatemessage.BadForm, 0)
	}
	o.forms[e.form] = append(o.forms[e.form], e.Run)
	return nil
}

// Token implements templatemessage.TokenGiver.
func (v vendor) Token(
	ctx context.Context, who templatemessage.Identity, _ bool,
) (token string, lifetime time.Duration, err error) {
	run := sim.Label(ctx)
	how, random := v.drawFailure("token", run, []failure{diedBefore, refusedNow, lost, diedAfter, slowly})
	if err = v.instance.Reach(ctx, random); err != nil {
		return "", 0, err
	}

	v.NotePoint("token: "+string(how), run)
	switch how {
	case diedBefore, diedAfter:
		v.World.Kill(v.instance)
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
