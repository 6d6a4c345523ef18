package app

import (
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// Settings apply to all environments of an application; an administrator sets them (C36). The zero value is the
// default. A request sees a change within 10 seconds, because programs keep applications in memory for that long.
type Settings struct {
	// LegacyWrites makes writes skip invalid fields instead of failing (C19).
	LegacyWrites bool
	// LoginMethods are the methods by which end users may log in (C8); nil means all.
	LoginMethods []LoginMethod
	// AnonymousInvoke lets callers without a session and temporary users run functions (C2).
	AnonymousInvoke bool
	// ClientProfileUpdate lets mini-programs write the profile of the vendor into the user.
	ClientProfileUpdate bool
	// ImageCheck checks each uploaded image (C32).
	ImageCheck bool
	// PrivateFiles restricts files to their owners and signs their addresses (C51).
	PrivateFiles bool
	// CallbackHosts are the hosts to which web logins may redirect (C14), such as "shop.example.com" or
	// "localhost:3000", in lower case.
	CallbackHosts []string
	// Pages are the pages to which mails link.
	Pages Pages
	// ClientRate limits the calls of end users; nil means DefaultClientRate (C43).
	ClientRate *ClientRate
}

// SettingName is the name of a member of Settings, in requests and in the store.
type SettingName string

// The members of Settings.
const (
	SettingLegacyWrites        SettingName = "legacy_writes"
	SettingLoginMethods        SettingName = "login_methods"
	SettingAnonymousInvoke     SettingName = "anonymous_invoke"
	SettingClientProfileUpdate SettingName = "client_profile_update"
	SettingImageCheck          SettingName = "image_check"
	SettingPrivateFiles        SettingName = "private_files"
	SettingCallbackHosts       SettingName = "callback_hosts"
	SettingPages               SettingName = "pages"
	SettingClientRate          SettingName = "client_rate"
)

// LoginMethod is a way in which end users log in.
type LoginMethod string

// The login methods. LoginOAuth is the method of all web pages and native apps.
const (
	LoginUsername  LoginMethod = "username"
	LoginEmail     LoginMethod = "email"
	LoginPhone     LoginMethod = "phone"
	LoginSMS       LoginMethod = "sms"
	LoginAnonymous LoginMethod = "anonymous"
	LoginChat      LoginMethod = "chat"
	LoginAlt       LoginMethod = "alt"
	LoginTpay      LoginMethod = "tpay"
	LoginOAuth     LoginMethod = "oauth"
)

// LoginMethods are all login methods.
var LoginMethods = []LoginMethod{
	LoginUsername, LoginEmail, LoginPhone, LoginSMS, LoginAnonymous, LoginChat, LoginAlt, LoginTpay, LoginOAuth,
}

// AllowedLogins returns the login methods that are switched on.
func (s Settings) AllowedLogins() []LoginMethod {
	if s.LoginMethods == nil {
		return LoginMethods
	}
	return s.LoginMethods
}

// Allows reports whether a login method is switched on.
func (s Settings) Allows(m LoginMethod) bool { return slices.Contains(s.AllowedLogins(), m) }

// Pages are the addresses of the pages that mails link to; "" means a plain page of the platform.
type Pages struct {
	Reset  string // where a user sets a new password
	Verify string // where a user verifies an e-mail address
}

// ClientRate is the number of calls under /hserve that pass in each minute of the clock; 0 = no limit.
type ClientRate struct {
	User        int // of each end user
	Address     int // of each IP address
	Application int // of the whole application, all environments together
}

// DefaultClientRate is the rate of an application without a setting. Addresses have no limit because many users share
// one.
var DefaultClientRate = ClientRate{User: 600}

// Rate returns the limits that apply.
func (s Settings) Rate() ClientRate {
	if s.ClientRate == nil {
		return DefaultClientRate
	}
	return *s.ClientRate
}

// Limits of Settings.
const (
	MaxClientRate    = 1_000_000 // calls per minute
	MaxCallbackHosts = 50
	maxHost          = 253  // bytes of a host, with its port
	maxPage          = 1024 // bytes of an address of Pages
)

// Validate returns errs.Invalid, which names the member, for a value that no setting can have.
func (s Settings) Validate() error {
	for i, m := range s.LoginMethods {
		if !slices.Contains(LoginMethods, m) {
			return errs.Invalid("login_methods: %q is not one of %s", clip.Text(string(m), clip.Name), words(LoginMethods))
		}
		if slices.Contains(s.LoginMethods[:i], m) {
			return errs.Invalid("login_methods: %q is given twice", m)
		}
	}
	if err := checkHosts(s.CallbackHosts); err != nil {
		return err
	}
	if err := checkPage("pages.reset", s.Pages.Reset); err != nil {
		return err
	}
	if err := checkPage("pages.verify", s.Pages.Verify); err != nil {
		return err
	}
	return s.Rate().validate()
}

func words(methods []LoginMethod) string {
	var all []string
	for _, m := range methods {
		all = append(all, string(m))
	}
	return strings.Join(all, ", ")
}

func checkHosts(hosts []string) error {
	if len(hosts) > MaxCallbackHosts {
		return errs.Invalid("callback_hosts may have %d hosts, not %d", MaxCallbackHosts, len(hosts))
	}
	for _, host := range hosts {
		at, err := url.Parse("https://" + host)
		// The host of a parsed address is compared with the list, so an entry must be exactly a host.
		if err != nil || host == "" || at.Hostname() == "" || at.Host != host || host != strings.ToLower(host) ||
			len(host) > maxHost || strings.ContainsAny(host, " *,") {
			return errs.Invalid("callback_hosts: %q is not a host in lower case, such as shop.example.com", clip.Text(host, clip.Name))
		}
	}
	return nil
}

func checkPage(member, page string) error {
	if page == "" {
		return nil
	}
	at, err := url.Parse(page)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Hostname() == "" || at.User != nil || len(page) > maxPage {
		return errs.Invalid("%s must be an address that starts with https:// or http://, of at most %d bytes", member, maxPage)
	}
	return nil
}

func (r ClientRate) validate() error {
	for _, limit := range []struct {
		member string
		calls  int
	}{{"user", r.User}, {"address", r.Address}, {"application", r.Application}} {
		if limit.calls < 0 || limit.calls > MaxClientRate {
			return errs.Invalid("client_rate.%s must be null or an integer from 1 to %d", limit.member, MaxClientRate)
		}
	}
	return nil
}
