package messaging

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
)

// Status says whether a signature or a template may be used.
type Status string

// The states.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
)

// SMS is the setting of text messages: their signatures and templates.
type SMS struct {
	Enabled    bool        `json:"enabled"`
	Signatures []Signature `json:"signatures"`
	Templates  []Template  `json:"templates"`
}

// Signature stands before a text and says whose it is.
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

// SMSPatch is the change of a request: a nil field stays as it is, a list replaces the whole list.
type SMSPatch struct {
	Enabled    *bool
	Signatures *[]Signature
	Templates  *[]Template
}

// The limits of these settings.
const (
	maxNamed     = 100 // signatures, templates
	maxName      = 64  // characters
	maxSMSText   = 500 // characters of a template
	maxSignature = 20  // characters
)

// Signature returns the one of that name.
func (s SMS) Signature(name string) (Signature, bool) {
	i := slices.IndexFunc(s.Signatures, func(one Signature) bool { return one.Name == name })
	if i < 0 {
		return Signature{}, false
	}
	return s.Signatures[i], true
}

// Choose returns the signature that a call means: by its name, by its number in the list, 1 for the first, or the last
// one that is approved for a call that names none. errs.Invalid says what there is not.
func (s SMS) Choose(given string) (Signature, error) {
	if given == "" {
		for _, one := range slices.Backward(s.Signatures) {
			if one.Status == Approved {
				return one, nil
			}
		}
		return Signature{}, errs.Invalid("no SMS can be sent: the sms-setting has no approved signature")
	}

	// A name may be a number, so names come before places in the list.
	if one, ok := s.Signature(given); ok {
		return one, nil
	}
	if n, err := strconv.Atoi(given); err == nil && n >= 1 && n <= len(s.Signatures) {
		return s.Signatures[n-1], nil
	}
	return Signature{}, errs.Invalid("signature_id: the sms-setting has no such signature")
}

// Template returns the one of that name.
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
		// The check below fills in statuses, which must not change the patch of the caller.
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

	return s, nil
}

// names checks those of one list, one after the other.
type names struct {
	list string
	most int // characters of a name
	seen []string
}

// check reads one without a status as pending.
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
