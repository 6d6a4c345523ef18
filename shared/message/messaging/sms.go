package messaging

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
)

// Status is the approval state of a signature or template. Only approved ones can be used.
type Status string

// The approval states.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
)

// SMS is the SMS setting of an environment: its signatures and templates.
type SMS struct {
	Enabled    bool        `json:"enabled"`
	Signatures []Signature `json:"signatures"`
	Templates  []Template  `json:"templates"`
	// DailyBudget is the number of parts of SMS a day, nil for that of the deployment, which it cannot exceed.
	DailyBudget *int `json:"daily_budget,omitempty"`
}

// Signature is the prefix of a text message that names its sender.
type Signature struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
}

// Template is a text with placeholders for keywords: "your code is {{ code }}".
type Template struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Status Status `json:"status"`
}

// SMSPatch is the change of a request: a nil field is not changed, a list replaces the stored list.
type SMSPatch struct {
	Enabled    *bool
	Signatures *[]Signature
	Templates  *[]Template

	DailyBudget Budget
}

// Limits of the SMS setting.
const (
	maxNamed     = 100 // signatures, and templates
	maxName      = 64  // characters
	maxSMSText   = 500 // characters of a template
	maxSignature = 20  // characters
)

// Signature returns the signature with that name.
func (s SMS) Signature(name string) (Signature, bool) {
	i := slices.IndexFunc(s.Signatures, func(one Signature) bool { return one.Name == name })
	if i < 0 {
		return Signature{}, false
	}
	return s.Signatures[i], true
}

// Choose returns the signature that a call names: by its name or by its number in the list, 1 for the first. A call
// that names none gets the last approved signature. It returns errs.Invalid if there is no such signature.
func (s SMS) Choose(given string) (Signature, error) {
	if given == "" {
		for _, one := range slices.Backward(s.Signatures) {
			if one.Status == Approved {
				return one, nil
			}
		}
		return Signature{}, errs.Invalid("no SMS can be sent: the sms-setting has no approved signature")
	}

	// A name can be a number, so names have precedence over positions.
	if one, ok := s.Signature(given); ok {
		return one, nil
	}
	if n, err := strconv.Atoi(given); err == nil && n >= 1 && n <= len(s.Signatures) {
		return s.Signatures[n-1], nil
	}
	return Signature{}, errs.Invalid("signature_id: the sms-setting has no such signature")
}

// Template returns the template with that name.
func (s SMS) Template(name string) (Template, bool) {
	i := slices.IndexFunc(s.Templates, func(one Template) bool { return one.Name == name })
	if i < 0 {
		return Template{}, false
	}
	return s.Templates[i], true
}

func (p SMSPatch) apply(s SMS) (SMS, error) {
	if p.Enabled != nil {
		s.Enabled = *p.Enabled
	}

	if p.Signatures != nil {
		// The check below sets missing statuses, which must not change the caller's patch.
		s.Signatures = slices.Clone(*p.Signatures)
		names := names{list: "signatures", most: maxSignature}
		for i := range s.Signatures {
			one := &s.Signatures[i]
			if err := names.check(i, one.Name, &one.Status); err != nil {
				return s, err
			}
		}
	}

	if p.Templates != nil {
		s.Templates = slices.Clone(*p.Templates)
		names := names{list: "templates", most: maxName}
		for i := range s.Templates {
			one := &s.Templates[i]
			if err := names.check(i, one.Name, &one.Status); err != nil {
				return s, err
			}
			if err := checkText(one.Text); err != nil {
				return s, errs.Invalid("templates[%d].text %s", i, errs.Message(err))
			}
		}
	}

	return s, p.DailyBudget.apply(&s.DailyBudget)
}

// names checks the names of one list, in order.
type names struct {
	list string
	most int // characters of a name
	seen []string
}

// check checks one item of the list. It sets a missing status to pending.
func (n *names) check(i int, name string, status *Status) error {
	if *status == "" {
		*status = Pending
	}
	switch {
	case i >= maxNamed:
		return errs.Invalid("%s must be at most %d", n.list, maxNamed)
	case name == "" || utf8.RuneCountInString(name) > n.most || name != OneLine(name):
		return errs.Invalid("%s[%d].name must be 1 to %d characters on one line", n.list, i, n.most)
	case slices.Contains(n.seen, name):
		return errs.Invalid("%s[%d].name: there are two %q", n.list, i, name)
	case !slices.Contains([]Status{Pending, Approved, Rejected}, *status):
		return errs.Invalid("%s[%d].status must be one of pending, approved, rejected", n.list, i)
	}
	n.seen = append(n.seen, name)
	return nil
}

func checkText(text string) error {
	if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxSMSText {
		return errs.Invalid("must be 1 to %d characters", maxSMSText)
	}
	if _, err := placeholder.Parse(text); err != nil {
		return errs.Invalid("is no template: %s", errs.Message(err))
	}
	return nil
}
