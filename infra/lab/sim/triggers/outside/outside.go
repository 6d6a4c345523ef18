// Package outside is the world outside of the platform, as actions of triggers meet it:
//
//	Services   mail and SMS, receivers of webhooks                outside.go
//	           the platform of mini programs, and recipients      vendors.go
//	           their place in the program that works on actions   watch.go
//	points     places in the work on a run where a fault struck   points.go
package outside

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/clock"
	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/sms"
)

// Services are the world outside of the platform: mail and SMS services, and receivers of webhooks. They fail in every
// way there is, and keep what they got.
type Services struct {
	*game.Game
	*points
	FailureRate int // of a thousand deliveries, how many fail
	MaxFailures int // how many deliveries of a run may fail

	mu       sync.Mutex
	Effects  []Effect
	Attempts []Attempt
	Messages int                    // that workers got
	tries    map[string]int         // deliveries to the outside, by kind and run
	Refused  map[string]bool        // runs whose message was refused for good, and with a recipient: whom it was refused for
	forms    map[string][]string    // runs that have sent with a form id
	seen     map[string]bool        // form ids of payments that came
	shown    map[string][]time.Time // when each of them came first, by recipient
	given    int                    // access tokens
}

func New(engine *game.Game) *Services {
	return &Services{
		Game: engine, points: &points{All: map[string]*point{}, SendTries: map[string]int{}}, tries: map[string]int{},
		Refused: map[string]bool{}, forms: map[string][]string{}, seen: map[string]bool{}, shown: map[string][]time.Time{},
	}
}

// Effect is a message that has left the platform.
type Effect struct {
	Kind     string // mail, text, template message, webhook
	Run      string // that was worked on
	Named    string // the id of the run that the message itself names, "" where it names none
	At       time.Time
	To, Text string
	form     string // the form id of a template message
	Depth    string
	Status   int       // of what a receiver has answered
	Accepted bool      // the sender was told so
	NotUntil time.Time // what a receiver of webhooks has asked for
}

// Attempt is one call of a doer.
type Attempt struct {
	Run    string
	Number int // of all attempts
	Tries  int
	Events []string
	At     time.Time
}

func (o *Services) attempted(w action.Work) {
	a := Attempt{Run: w.Run.ID, Tries: w.Attempt, At: time.Now()}
	all := w.Events
	if all == nil {
		all = []trigger.Event{w.Run.Event}
	}
	for _, e := range all {
		a.Events = append(a.Events, e.ID)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	a.Number = len(o.Attempts)
	o.Attempts = append(o.Attempts, a)
}

// failure is the outcome of a delivery.
type failure string

// The outcomes; the ones after lost leave an effect.
const (
	fine         failure = "fine"
	slowly       failure = "slow"
	diedBefore   failure = "died before"
	refusedNow   failure = "refused for now"
	throttledNow failure = "throttled"
	refusedEver  failure = "refused for good"
	lost         failure = "connection lost before"
	diedAfter    failure = "died after"
	errorAfter   failure = "error after it was sent"
	lostAfter    failure = "connection lost after"
	timeoutAfter failure = "time-out after it was sent"

	status500 failure = "500"
	status302 failure = "302"
	status429 failure = "429 with Retry-After"
	status503 failure = "503 with Retry-After"
	status410 failure = "410"
)

var (
	atMessages = service{
		[]failure{
			diedBefore, refusedNow, throttledNow, refusedEver, lost, diedAfter, errorAfter, lostAfter, timeoutAfter, slowly,
		}, map[failure]error{
			refusedNow: errs.Unavailable(1, "the service is away"), throttledNow: errs.TooMany(1, "too many messages"),
			refusedEver: errs.Invalid("the service takes no such message"), lost: errors.New("connection reset"),
		},
	}
	receiverMishaps = []failure{
		diedBefore, lost, diedAfter, lostAfter, timeoutAfter, slowly, status500, status302, status429, status503, status410,
	}
)

// service takes messages.
type service struct {
	failures []failure
	refusals map[failure]error // its answers
}

// drawFailure draws the outcome of a delivery from its run and attempt, so that deliveries at the same instant do not
// influence each other.
func (o *Services) drawFailure(kind, run string, all []failure) (failure, sim.Random) {
	o.mu.Lock()
	o.tries[kind+run]++
	n := o.tries[kind+run]
	o.mu.Unlock()
	random := o.World.Random(fmt.Sprint("outside ", kind, run, n))
	if n > o.MaxFailures || !random.Permille(o.FailureRate) {
		return fine, random
	}
	return all[random.IntN(len(all))], random
}

func (o *Services) keep(e Effect) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Effects = append(o.Effects, e)
}

// send is a service that takes a message: a mail, a text or a template message.
func (o *Services) send(ctx context.Context, i *sim.Instance, e Effect, s service) error {
	e.Run = sim.Label(ctx)
	what := e.Run
	if e.form != "" { // a run has several
		what += " " + e.To
	}
	how, random := o.drawFailure(e.Kind, what, s.failures)
	if err := i.Reach(ctx, random); err != nil {
		return err
	}
	o.NotePoint(e.Kind+": "+string(how), e.Run)
	switch how {
	case diedBefore:
		o.World.Kill(i)
		return context.Canceled
	case refusedEver, badUser:
		o.mu.Lock()
		o.Refused[e.Run], o.Refused[what] = true, true
		o.mu.Unlock()
	}
	if err := s.refusals[how]; err != nil {
		return err
	}
	if err := o.takeForm(e); err != nil {
		return err
	}

	e.At, e.Accepted = time.Now(), how == fine || how == slowly
	o.keep(e)
	switch how {
	case diedAfter:
		o.World.Kill(i)
		return context.Canceled
	case errorAfter:
		return errors.New("the service answered 500")
	case lostAfter:
		return errors.New("unexpected EOF")
	case timeoutAfter:
		<-ctx.Done()
		return ctx.Err()
	case slowly:
		return clock.Sleep(ctx, random.Jitter(20*time.Second))
	}
	return nil
}

// mailer is the email.Sender.
type mailer struct {
	*Services
	instance *sim.Instance
}

// Send implements email.Sender.
func (m mailer) Send(ctx context.Context, mail email.Mail) (email.Receipt, error) {
	err := m.send(
		ctx, m.instance, Effect{Kind: "mail", To: strings.Join(mail.To, " "), Text: mail.Subject + "\n" + mail.Body},
		atMessages,
	)
	return email.Receipt{ID: "mail"}, err
}

// texter is the sms.Sender.
type texter struct {
	*Services
	instance *sim.Instance
}

// Send implements sms.Sender.
func (t texter) Send(ctx context.Context, m sms.Message) error {
	return t.send(ctx, t.instance, Effect{Kind: "text", To: m.Number, Text: m.Text}, atMessages)
}

// receivers is the delivery.Sender, and the receivers behind it.
type receivers struct {
	*Services
	instance *sim.Instance
}

// Send implements delivery.Sender.
func (s receivers) Send(ctx context.Context, r delivery.Request) (answer delivery.Answer, err error) {
	e := Effect{
		Kind: "webhook", Run: sim.Label(ctx), Named: r.Headers["X-Service-Webhook-Action-Id"], To: r.URL,
		Depth: r.Headers["X-Service-Trigger-Depth"],
	}
	app, path, _ := strings.Cut(strings.TrimPrefix(r.URL, "https://"), ".example.com/")
	env, _, _ := strings.Cut(path, "/")
	claims, err := client.Claims(r.Body, fmt.Sprintf("key of mark-%s.%s", app, env))
	if err != nil {
		s.Problem("receiver: %s got %s: %v", r.URL, r.Body, err)
	}
	e.Text = string(claims)
	how, random := s.drawFailure(e.Kind, e.Run, receiverMishaps)
	if err := s.instance.Reach(ctx, random); err != nil {
		return answer, err
	}
	if quits := strings.HasSuffix(r.URL, "/quits"); how == status410 && !quits {
		how = status500
	} else if quits && how != fine && random.IntN(3) == 0 {
		how = status410
	}
	s.NotePoint(e.Kind+": "+string(how), e.Run)
	switch how {
	case diedBefore:
		s.World.Kill(s.instance)
		return answer, context.Canceled
	case lost:
		return answer, errs.Unavailable(0, "the receiver cannot be reached")
	}

	answer = answers[how]
	e.At, e.Status, e.Accepted = time.Now(), answer.Status, answer.Status == 200
	if answer.RetryAfter > 0 {
		e.NotUntil = e.At.Add(answer.RetryAfter)
	}
	s.keep(e)
	switch how {
	case diedAfter:
		s.World.Kill(s.instance)
		return delivery.Answer{}, context.Canceled
	case lostAfter:
		return delivery.Answer{}, errs.Unavailable(0, "the receiver reset the connection")
	case timeoutAfter:
		_ = clock.Sleep(ctx, random.Jitter(5*time.Second))
		return delivery.Answer{}, errs.Timeout("no answer came within 5 s")
	case slowly:
		err = clock.Sleep(ctx, random.Jitter(4*time.Second))
	}
	return answer, err
}

// answers are those of receivers.
var answers = map[failure]delivery.Answer{
	fine: {Status: 200, Body: "ok"}, slowly: {Status: 200, Body: "ok"}, status500: {Status: 500, Body: "no"},
	status302: {Status: 302}, status410: {Status: 410}, status429: {Status: 429, RetryAfter: 30 * time.Second},
	status503: {Status: 503, RetryAfter: 20 * time.Second},
}
