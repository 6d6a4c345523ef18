package draft

import (
	"maps"
	"net/mail"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/delivery"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

// Limits of settings.
const (
	maxAddress   = 320      // characters of an email address or its template
	maxSubject   = 998      // characters, the limit of a line in an email
	maxBody      = 32 << 10 // characters
	maxKeyword   = 2000     // characters
	maxPage      = 1024     // characters
	maxURL       = 2048     // characters
	maxOverlap   = 7        // days
	maxRate      = 100      // per second
	maxPace      = 1000000  // messages
	maxPaceTime  = 24 * 60  // minutes
	maxReference = 128      // characters of a template's, signature's or function's name
)

// vendors are the vendors of template messages.
var vendors = []string{"chat", "alt", "tpay"}

// readers read the settings by action type.
var readers = map[trigger.ActionType]func(*check, *fields) trigger.Settings{
	trigger.Email: (*check).readEmail, trigger.TemplateMessage: (*check).readTemplateMessage,
	trigger.Webhook: (*check).readWebhook, trigger.TableOperation: (*check).readTableOperation,
	trigger.CloudFunction: (*check).readCloudFunction, trigger.SMS: (*check).readSMS,
}

func (k *check) readEmail(f *fields) trigger.Settings {
	s := &trigger.EmailSettings{
		Subject: f.text("subject", maxSubject, needed), Body: f.text("body", maxBody, needed),
		Format: choice(f, "format", trigger.FormatText, trigger.FormatHTML, trigger.FormatText),
	}
	if strings.ContainsAny(s.Subject, "\r\n") {
		f.wrong("subject", "must be one line")
	}

	for i, item := range f.list("to", 1, maxRecipients) {
		to, _ := item.(string)
		s.To = append(s.To, to)
		address, err := mail.ParseAddress(to)
		if !k.hasPlaceholder(to) && (err != nil || address.Address != to) || len(to) > maxAddress {
			f.wrong("to["+strconv.Itoa(i)+"]", "must be a mail address or a template of one")
		}
	}

	return s
}

func (k *check) readTemplateMessage(f *fields) trigger.Settings {
	s := &trigger.TemplateMessageSettings{
		Vendor: choice(f, "vendor", needed, vendors...), TemplateID: f.text("template_id", maxReference, needed),
		Page: f.text("page", maxPage, ""), FormIDSource: choice(f, "form_id_source", "all", "all", "form", "payment"),
		Recipient: k.readRecipient(f, trigger.TriggeringUser, trigger.SomeUsers, trigger.UserGroup),
		Keywords:  readKeywords(f),
	}
	if strings.HasPrefix(s.Page, "/") {
		f.wrong("page", `must not begin with a slash: it is like "pages/index"`)
	}

	if s.Vendor == "tpay" && s.FormIDSource == "payment" {
		f.wrong("form_id_source", "tpay takes no form ids of payments")
	}

	if pace := f.object("pace", false); pace != nil {
		s.Pace = &trigger.Pace{
			Count: pace.number("count", 1, maxPace, true), Minutes: pace.number("minutes", 1, maxPaceTime, true),
		}
		pace.unknown()
	}

	return s
}

// mustHave reports a mistake, whose message has the name, if what a member names does not exist (G21).
func (k *check) mustHave(f *fields, member, name, message string, has func() (bool, error)) {
	if name == "" || k.err != nil {
		return
	}
	found, err := has()
	if k.err = err; !found && err == nil {
		f.wrong(member, message, clip.Text(name, clip.Name))
	}
}

func readKeywords(f *fields) map[string]string {
	keywords := map[string]string{}
	given := f.object("keywords", false)
	if given == nil {
		return keywords
	}
	if len(given.given) > maxKeywords {
		f.wrong("keywords", "must have at most %d members", maxKeywords)
	}
	for _, name := range slices.Sorted(maps.Keys(given.given)) {
		keywords[name] = given.text(name, maxKeyword, "")
	}
	return keywords
}

// readRecipient reads the recipients of a message.
func (k *check) readRecipient(f *fields, kinds ...trigger.RecipientKind) (r trigger.Recipient) {
	g := f.object("recipient", true)
	if g == nil {
		return r
	}
	defer g.unknown()
	r.Kind = choice(g, "kind", needed, kinds...)
	switch r.Kind {
	case trigger.TriggeringUser:
		if t := k.trigger.Type; t.Definition().Actions == trigger.VisibleNone {
			k.warn(g.at("kind"), "triggers of type %s have no triggering user: nobody will get it", t)
		}
	case trigger.SomeUsers:
		if users := k.table(table.UserProfilesName); users != nil {
			r.Where = k.readWhere(g, *users, false)
		} else {
			g.take("where")
		}
	case trigger.UserGroup:
		v, _ := g.take("group")
		n, ok := wholeNumber(v)
		if !ok {
			g.wrong("group", "must be the id of a group")
			return r
		}

		r.Group = n
		k.mustHave(g, "group", strconv.FormatInt(n, 10), "there is no group %q", func() (bool, error) {
			return k.Names.HasGroup(k.ctx, k.scope, n)
		})
	case trigger.PhoneNumber:
		r.Phone = g.text("phone", maxAddress, needed)
		if r.Phone != "" && !k.hasPlaceholder(r.Phone) && strings.Trim(r.Phone, "+0123456789 -()") != "" {
			g.wrong("phone", "must be a phone number or a template of one")
		}
	}

	return r
}

func (k *check) readWebhook(f *fields) trigger.Settings {
	s := &trigger.WebhookSettings{
		URL: f.text("url", maxURL, needed), KeyOverlapDays: f.number("key_overlap_days", 0, maxOverlap, false),
		RatePerSecond: f.number("rate_per_second", 1, maxRate, false),
	}
	if wrong := delivery.CheckURL(s.URL, k.AnyPort); s.URL != "" && wrong != "" {
		f.wrong("url", "%s", wrong)
	}
	return s
}

func (k *check) readCloudFunction(f *fields) trigger.Settings {
	s := &trigger.CloudFunctionSettings{Function: f.text("function", maxReference, needed)}
	k.mustHave(f, "function", s.Function, "there is no function %q", func() (bool, error) {
		return k.Names.HasFunction(k.ctx, k.scope, s.Function)
	})
	return s
}

func (k *check) readSMS(f *fields) trigger.Settings {
	s := &trigger.SMSSettings{
		Recipient: k.readRecipient(f, trigger.TriggeringUser, trigger.SomeUsers, trigger.UserGroup, trigger.PhoneNumber),
		Signature: f.text("signature", maxReference, needed), Template: f.text("template", maxReference, needed),
		Keywords: readKeywords(f),
	}
	const absent = ": the SMS settings are missing or do not have it" // then there is no signature and no template (G26)
	k.mustHave(f, "signature", s.Signature, "there is no SMS signature %q"+absent, func() (bool, error) {
		own, err := k.Names.SMS(k.ctx, k.scope)
		_, found := own.Signature(s.Signature)
		return found, err
	})
	k.mustHave(f, "template", s.Template, "there is no SMS template %q"+absent, func() (bool, error) {
		own, err := k.Names.SMS(k.ctx, k.scope)
		_, found := own.Template(s.Template)
		return found, err
	})
	return s
}
