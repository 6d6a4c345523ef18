package people

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/table"
)

// actor is a client of people. It has a user of its own, whose names nobody else changes, and logs in by identities that
// others have, too.
type actor struct {
	*people
	game   *game.Requests
	number int
	random sim.Random
	own    *person
	guest  *token // of a temporary user, nil = none
}

// The names that all actors want, in several notations.
var wantedNames = map[string][]string{
	"username": {"ada", "Ada", "bob"}, "email": {"ada@example.com", "bob@example.com"},
	"phone": {"+8613800138000", "13800138000", "+8613800138001"},
}

// identities are codes of the vendor that several actors have.
var identities = []string{"x", "y"}

// claimed is the value under which a name is known to holders.
func claimed(kind, name string) string {
	if kind == "phone" && !strings.HasPrefix(name, "+") {
		name = "+86" + name
	}
	return kind + " " + strings.ToLower(name)
}

// drawName draws a kind and a name.
func (a *actor) drawName() (kind, name string) {
	kind = []string{"username", "email", "phone"}[a.random.IntN(3)]
	return kind, wantedNames[kind][a.random.IntN(len(wantedNames[kind]))]
}

// step does one thing.
func (a *actor) step() {
	_, t := a.some(a.random)
	if t != nil {
		a.probe(a.game, a.random, t)
		if a.random.IntN(8) == 0 {
			a.misuse(a.game, a.random, t)
		}
	}
	switch n := a.random.IntN(20); {
	case a.own == nil:
		a.register()
	case n < 3:
		a.anonymous()
	case n < 7:
		a.login()
	case n < 10:
		a.silent()
	case n < 13:
		a.rename()
	case n < 15:
		a.link()
	case n < 17 && t != nil:
		a.destroy(t)
	case n == 17:
		a.newPassword()
	case n > 17:
		a.close()
	}
}

// entry is a login, perhaps with the session of a temporary user, who is registered by it.
type entry struct {
	clients.Entered
	answer     client.Reply
	asked      clients.Span
	guest      *token  // nil = it was sent without a session
	conversion *ending // of the sessions of the temporary user
}

// enter sends a login.
func (a *actor) enter(path string, body map[string]any, convert bool) (e entry) {
	session := ""
	if convert && a.guest != nil && a.random.IntN(3) > 0 {
		e.guest, e.conversion, session = a.guest, a.begin(a.guest.who, nil, nil), a.guest.text
	}
	e.answer, e.asked = clients.Send(clients.As(a.app, session), client.Request{Method: "POST", Path: path, Body: body})
	if e.answer.Decode(&e.Entered) == nil && (e.ID == 0 || e.Token == "") {
		a.game.Problem("people: %s is answered %s", path, e.answer.Body)
	}
	return e
}

func (a *actor) anonymous() {
	a.game.Note("anonymous login")
	e := a.enter(clients.AnonymousPath, map[string]any{}, false)
	a.count(e.answer)
	a.expect(a.game, "an anonymous login", e.answer)
	if e.ID != 0 {
		a.guest = a.opened(a.person(e.ID, ""), e.Token, e.asked)
	}
}

// count counts a request that may have made a user of whom nobody knows.
func (p *people) count(answer client.Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer.Known() == client.Unknown {
		p.lost++
	}
}

// register registers a user by a name that others want, and makes that the actor's own.
func (a *actor) register() {
	a.game.Note("registration")
	kind, name := a.drawName()
	word := fmt.Sprint("secret of ", a.number)
	body := map[string]any{kind: name, "password": word}
	wanted := a.names.Claim(claimed(kind, name), "")
	e := a.enter("/hserve/v2.1/register/"+kind+"/", body, true)
	got, answer, opened := e.Entered, e.answer, e.asked
	if answer.Known() == client.Unknown {
		got, answer, opened = a.found(kind, name, word)
	}
	switch answer.Known() {
	case client.Refused:
		valid, ended := true, false
		if e.guest != nil {
			valid, ended = a.fate(e.guest, e.asked)
			a.over(e.guest.who, e.conversion, answer)
		}
		if reason := a.names.Refused(wanted); !reason && answer.Status == 400 && valid {
			a.game.Problem("people: nobody has %s, and it was refused: %v", wanted.Value, answer.Failure())
		}
		if answer.Status == 401 && !ended || answer.Status == 403 && e.guest == nil {
			a.game.Problem("people: a registration: %v", answer.Failure())
		}
	case client.Acknowledged:
		a.names.Granted(wanted, holderOf(got.ID))
		a.own = a.person(got.ID, word)
		a.own.password = word
		a.converted(e, got.ID)
		a.opened(a.own, got.Token, opened)
	}
}

// converted notes whether a login registered the temporary user whose session it had.
func (a *actor) converted(e entry, id int64) {
	if e.guest == nil {
		return
	}
	a.guest = nil
	valid, ended := a.fate(e.guest, e.asked, e.conversion)
	same := id == e.guest.who.id
	if same && !valid || !same && !ended {
		a.game.Problem("people: user %d registered with the session of user %d", id, e.guest.who.id)
	}
	switch {
	case !same:
		a.over(e.guest.who, e.conversion, client.Reply{Status: 400})
	case !ended: // else an earlier request without an answer may have registered the user
		a.over(e.guest.who, e.conversion, client.Reply{Status: 201})
	}
}

// found logs in to find out whether a registration happened. A refusal says nothing else, so its status is that of a
// conflict.
func (a *actor) found(kind, name, word string) (got clients.Entered, answer client.Reply, asked clients.Span) {
	for range 10 {
		answer, asked = clients.Send(clients.As(a.app, ""), client.Request{
			Method: "POST", Path: "/hserve/v2.1/login/" + kind + "/", Body: map[string]any{kind: name, "password": word},
		})
		if answer.Known() != client.Unknown && answer.Status != 429 {
			break
		}
		time.Sleep(20 * time.Minute) // until failed passwords are forgotten
	}
	if answer.Decode(&got) != nil && answer.Known() == client.Refused {
		answer.Status = 409
	}
	return got, answer, asked
}

// login logs the own user in by a name.
func (a *actor) login() {
	held := slices.DeleteFunc(a.names.Of(holderOf(a.own.id)), func(t *clients.Tenure) bool { return strings.HasPrefix(t.Value, "chat") })
	if len(held) == 0 || a.own.password == "" {
		return
	}
	a.game.Note("login")
	t := held[a.random.IntN(len(held))]
	kind, name, _ := strings.Cut(t.Value, " ")
	e := a.enter("/hserve/v2.1/login/"+kind+"/", map[string]any{kind: name, "password": a.own.password}, false)
	if e.answer.Known() == client.Refused && e.answer.Status == 400 && t.Sure(e.asked) {
		a.game.Problem("people: %s of user %d cannot log in: %v", t.Value, a.own.id, e.answer.Failure())
	}
	a.loggedIn(a.own, e, t.Value)
}

// loggedIn compares the answer of a login with what is known of its user.
func (a *actor) loggedIn(who *person, e entry, what string) {
	a.mu.Lock()
	blocked := who.blocked.During(e.asked)
	a.mu.Unlock()
	switch {
	case e.ID != 0 && e.ID != who.id:
		a.game.Problem("people: %s is of user %d, and user %d was logged in", what, who.id, e.ID)
	case e.ID != 0 && !slices.Contains(blocked, false):
		a.game.Problem("people: user %d is blocked, and was logged in by %s", who.id, what)
	case e.answer.Status == 403 && !slices.Contains(blocked, true):
		a.game.Problem("people: user %d is not blocked: %v", who.id, e.answer.Failure())
	}
	a.expect(a.game, "a login by "+what, e.answer, 400, 403)
	if e.ID == who.id {
		a.opened(who, e.Token, e.asked)
	}
}

// silent logs in by an identity, whose user is made by the first login.
func (a *actor) silent() {
	a.game.Note("silent login")
	code := identities[a.random.IntN(len(identities))]
	value := "chat.openid stub-" + code
	wanted := a.names.Claim(value, "")
	e := a.enter(clients.SilentPath, map[string]any{"code": code}, true)
	a.count(e.answer)
	if e.answer.Known() == client.Unknown {
		return
	}
	a.names.Refused(wanted)
	holder, possible := a.names.Who(value, e.asked)
	if e.answer.Known() == client.Refused {
		if e.guest != nil {
			a.over(e.guest.who, e.conversion, e.answer)
		}
		if e.answer.Status == 403 {
			return // of a user who may be blocked, whom nobody knows here
		}
		a.expect(a.game, "a silent login", e.answer, 401)
		return
	}
	if holder != "" && holder != holderOf(e.ID) {
		a.game.Problem("people: %s is of %s, and user %d was logged in", value, holder, e.ID)
	}
	who := a.person(e.ID, "")
	a.names.Met(value, holderOf(e.ID), e.asked)
	switch {
	case e.guest == nil:
	case e.ID == e.guest.who.id:
		a.converted(e, e.ID)
	default:
		a.guest = nil
		a.over(e.guest.who, e.conversion, client.Reply{Status: 400})
		if valid, ended := a.fate(e.guest, e.asked, e.conversion); !possible && valid && !ended {
			a.game.Problem("people: %s made user %d, and not of the temporary user %d", value, e.ID, e.guest.who.id)
		}
	}
	a.loggedIn(who, e, value)
}

// session is one of the own user that should be valid; nil if there is none.
func (a *actor) session() (valid *token) {
	a.mu.Lock()
	all := slices.Clone(a.tokens)
	a.mu.Unlock()
	for _, t := range all {
		if ok, ended := a.fate(t, clients.Since()); t.who == a.own && ok && !ended {
			valid = t
		}
	}
	return valid
}

// rename changes a name of the own user.
func (a *actor) rename() {
	t := a.session()
	if t == nil {
		return
	}
	a.game.Note("name changed")
	kind, name := a.drawName()
	value, holder := claimed(kind, name), holderOf(a.own.id)
	held := slices.DeleteFunc(a.names.Of(holder), func(t *clients.Tenure) bool { return !strings.HasPrefix(t.Value, kind+" ") })
	body := map[string]any{kind: name}
	var wanted *clients.Tenure
	switch same := slices.ContainsFunc(held, func(t *clients.Tenure) bool { return t.Value == value }); {
	case same:
		return
	case a.random.IntN(4) == 0:
		body[kind] = nil
	default:
		wanted = a.names.Claim(value, holder)
	}
	a.names.Leave(held)
	answer, asked, wrong := clients.Keyed(a.random, clients.As(a.app, t.text), client.Request{
		Method: "PUT", Path: "/hserve/v2.2/user/account/", Body: body, Key: fmt.Sprint("rename ", a.number, a.random.Uint64()),
	})
	if wrong != "" {
		a.game.Problem("keys: renaming user %d: %s", a.own.id, wrong)
	}
	a.judgeSession(a.game, t, asked, tolerate(answer, 400), "a change of the account")
	known := answer.Known()
	if known != client.Acknowledged { // nobody else changes the names of this user, and an earlier try may have
		known = client.Refused
		if has := a.stored(a.game, a.own.id)[kind]; wanted != nil && has == value || wanted == nil && has == "" {
			known = client.Acknowledged
		}
	}
	if known == client.Acknowledged {
		a.names.LeftAll(held)
		if wanted != nil {
			a.names.Granted(wanted, holder)
		}
		return
	}
	a.names.Stayed(held)
	if wanted != nil && !a.names.Refused(wanted) && answer.Status == 400 {
		a.game.Problem("people: nobody has %s, and user %d was refused: %v", value, a.own.id, answer.Failure())
	}
}

// tolerate is an answer without a refusal that others judge.
func tolerate(answer client.Reply, statuses ...int) client.Reply {
	if slices.Contains(statuses, answer.Status) {
		answer.Status = 429
	}
	return answer
}

// link gives the own user an identity.
func (a *actor) link() {
	t, holder := a.session(), holderOf(a.own.id)
	has := slices.ContainsFunc(a.names.Of(holder), func(t *clients.Tenure) bool { return strings.HasPrefix(t.Value, "chat") })
	if t == nil || has || a.stored(a.game, a.own.id)["chat.openid"] != "" {
		return
	}
	a.game.Note("identity linked")
	code := identities[a.random.IntN(len(identities))]
	wanted := a.names.Claim("chat.openid stub-"+code, holder)
	answer, asked := clients.Send(clients.As(a.app, t.text), client.Request{
		Method: "POST", Path: "/hserve/v2.4/idp/chat/user-associate/", Body: map[string]any{"code": code},
	})
	a.judgeSession(a.game, t, asked, tolerate(answer, 400), "a link")
	known := answer.Known()
	if known == client.Unknown {
		known = client.Refused
		if a.stored(a.game, a.own.id)["chat.openid"] != "" {
			known = client.Acknowledged
		}
	}
	if known == client.Acknowledged {
		a.names.Granted(wanted, holder)
		return
	}
	if !a.names.Refused(wanted) && answer.Status == 400 {
		a.game.Problem("people: nobody has %s, and it was not linked: %v", wanted.Value, answer.Failure())
	}
}

// destroy ends a session, or all of its user.
func (a *actor) destroy(t *token) {
	a.game.Note("session ended")
	r, only := client.Request{Method: "POST", Path: "/hserve/v2.0/session/destroy/", Body: map[string]any{}}, t
	if a.random.IntN(4) == 0 {
		r, only = client.Request{Method: "DELETE", Path: "/hserve/v3/session/"}, nil
	}
	e := a.begin(t.who, only, nil)
	answer, asked := clients.Send(clients.As(a.app, t.text), r)
	if answer.Known() == client.Acknowledged {
		valid, _ := a.fate(t, clients.Span{From: asked.From, To: asked.From})
		if !valid {
			a.game.Problem("people: a session of user %d that had ended was ended again", t.who.id)
		}
	} else {
		a.judgeSession(a.game, t, asked, answer, r.Path)
	}
	a.over(t.who, e, answer)
}

// newPassword changes the password of the own user: all other sessions end.
func (a *actor) newPassword() {
	t := a.session()
	if t == nil || a.own.password == "" {
		return
	}
	a.game.Note("password changed")
	before, word := a.stored(a.game, a.own.id)["password"], fmt.Sprint("secret ", a.random.Uint64())
	e := a.begin(a.own, nil, t)
	answer, asked := clients.Send(clients.As(a.app, t.text), client.Request{
		Method: "PUT", Path: "/hserve/v2.2/user/account/",
		Body: map[string]any{"password": a.own.password, "new_password": word},
	})
	a.judgeSession(a.game, t, asked, answer, "a change of the password")
	a.over(a.own, e, answer)
	if answer.Known() == client.Acknowledged ||
		answer.Known() == client.Unknown && a.stored(a.game, a.own.id)["password"] != before {
		a.own.password = word
	}
}

// close closes the account of the own user: all its names are free.
func (a *actor) close() {
	t := a.session()
	if t == nil {
		return
	}
	a.game.Note("account closed")
	body := map[string]any{}
	if a.own.password != "" {
		body["password"] = a.own.password
	}
	e, held := a.begin(a.own, nil, nil), a.names.Of(holderOf(a.own.id))
	a.names.Leave(held)
	answer, asked := clients.Send(clients.As(a.app, t.text), client.Request{Method: "POST", Path: "/hserve/v3/user/close/", Body: body})
	known := answer.Known()
	if known == client.Unknown && a.stored(a.game, a.own.id)["closed"] != "" {
		known = client.Acknowledged
	}
	if known != client.Acknowledged {
		a.judgeSession(a.game, t, asked, answer, "a closing")
		a.over(a.own, e, answer)
		a.names.Stayed(held)
		return
	}
	a.over(a.own, e, client.Reply{Status: 201})
	a.names.LeftAll(held)
	a.own = nil
}

// stored are the names of a user as the database has them, with "password" and "closed". Only the client whose user it
// is looks, after a request of which nobody knows whether it happened.
func (p *people) stored(g *game.Requests, id int64) map[string]string {
	return clients.Accounts(g, p.app.Scope)[fmt.Sprint(id)]
}

// judgeAccounts looks for users without an account, accounts without a user, names that two users have, claims without
// a name and names without a claim.
func (p *people) judgeAccounts(g *game.Requests) {
	accounts, rows := clients.Accounts(g, p.app.Scope), map[string]bool{}
	for _, it := range g.World.DB.Items("RowsTable") {
		if game.Text(it, "pk") == string(table.Collection(p.app.Scope, table.UserProfiles)) {
			rows[fmt.Sprint(int64(table.RowID(game.Text(it, "sk")).Number()))] = true
		}
	}
	clients.JudgeNames(g, p.app.Scope, accounts)

	extra := 0
	for _, id := range slices.Sorted(maps.Keys(accounts)) {
		if !rows[id] {
			g.Problem("people: account %s has no user", id)
		}
		p.judgeAccount(g, id, accounts[id])
		var number int64
		if _, err := fmt.Sscan(id, &number); err == nil && p.persons[number] == nil {
			extra++
		}
	}
	for id := range rows {
		if accounts[id] == nil {
			g.Problem("people: user %s has no account", id)
		}
	}
	if extra > p.lost {
		g.Problem("people: there are %d users of whom nobody knows, and %d lost answers", extra, p.lost)
	}
}

// judgeAccount compares the names of an account with what the clients know.
func (p *people) judgeAccount(g *game.Requests, id string, has map[string]string) {
	now := clients.Span{From: time.Now(), To: time.Now()}
	for kind, name := range has {
		if kind == "password" || kind == "closed" {
			continue
		}
		if sure, possible := p.names.Who(name, now); sure != "" && sure != "user "+id || !possible {
			g.Problem("people: user %s has %s, which is of %q", id, name, sure)
		}
	}
	if has["closed"] != "" && len(has) > 1 {
		g.Problem("people: the account of user %s is closed and has %v", id, has)
	}
	for _, t := range p.names.Of("user " + id) {
		if kind, _, _ := strings.Cut(t.Value, " "); t.Sure(now) && has[kind] != t.Value {
			g.Problem("people: user %s has lost %s, and has %q", id, t.Value, has[kind])
		}
	}
}
