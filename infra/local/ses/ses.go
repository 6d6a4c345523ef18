// Package ses is the Amazon SES (v2) of the local cloud. It sends nothing: mails go to the outbox.
//
// It refuses what SES refuses: a sender that is not verified, one that is not associated with the tenant of the mail, an
// unknown configuration set, and, as in a new account, unverified recipients (Sandbox). An address is verified by a link
// in the outbox; a domain too, because the local cloud asks no DNS. Mails to the mailbox simulator bounce or are
// complained about, and their events come on the default event bus.
//
//	Service    the state: identities, tenants      ses.go
//	ServeHTTP  the operations                      api.go
//	simulate   events of mails                     simulator.go
package ses

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"minicloud/infra/local/disk"
	"minicloud/infra/local/outbox"
	"minicloud/infra/local/template"
	"minicloud/infra/local/watch"
	"minicloud/shared/clock"
)

// Config holds the dependencies of a service.
type Config struct {
	Path    string // file of the state
	Box     *outbox.Box
	Sets    []*template.ConfigurationSet
	Region  string
	URL     string // base URL of the links that verify an identity
	Sandbox bool   // refuses recipients that are not verified, as a new account does
	// Event puts an event on the default bus.
	Event func(detailType string, resources []string, detail []byte)
	// Metrics gets the reputation; nil for nobody.
	Metrics *watch.Metrics
	Clock   clock.Clock
	Count   func(operation string) // called for every request; not nil
}

// identity is a verified address or domain, or one that waits.
type identity struct {
	Verified bool     `json:"verified"`
	Token    string   `json:"token"` // in the link that verifies it
	DKIM     []string `json:"dkim"`  // tokens of a domain
}

// state is what the file keeps.
type state struct {
	Identities map[string]*identity `json:"identities"`
	Tenants    map[string][]string  `json:"tenants"` // ARNs of the resources of each tenant
}

// Service is the mail service.
type Service struct {
	cfg Config
	mu  sync.Mutex
	state
	reputation reputation
}

// Open reads the state from its file.
func Open(cfg Config) (*Service, error) {
	s := &Service{cfg: cfg, state: state{Identities: map[string]*identity{}, Tenants: map[string][]string{}}}
	content, err := os.ReadFile(cfg.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &s.state)
	}
	if err != nil {
		return nil, fmt.Errorf("identities of the mail service: %w", err)
	}
	return s, nil
}

// keep writes the state to its file.
func (s *Service) keep() error { return disk.ReplaceJSON(s.cfg.Path, s.state) }

// arn returns the ARN of a resource of SES.
func (s *Service) arn(resource string) string {
	return "arn:aws:ses:" + s.cfg.Region + ":" + template.Account + ":" + resource
}

// of returns the name of the identity that SES uses for an address: the address itself if it was ever created, else its
// domain or a parent of it. It is "" if there is none.
func (s *Service) of(address string) string {
	// As in SES, an address is compared with its case and a domain without.
	if s.Identities[address] != nil {
		return address
	}
	domain := strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
	for domain != "" {
		if s.Identities[domain] != nil {
			return domain
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return ""
}

// verified reports whether SES may use an address. An address inherits the verification of its domain.
func (s *Service) verified(address string) bool {
	name := s.of(address)
	if name == "" {
		return false
	}
	if s.Identities[name].Verified {
		return true
	}
	domain := s.Identities[strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])]
	return domain != nil && domain.Verified
}

// create creates an identity, and puts the link that verifies it into the outbox.
func (s *Service) create(name string) (*identity, error) {
	of := &identity{Token: rand.Text()}
	text := "Amazon SES was asked to send mail as " + name + ". If you agree, open this link:\n\n"
	if !strings.Contains(name, "@") {
		for range 3 {
			of.DKIM = append(of.DKIM, strings.ToLower(rand.Text()))
		}
		text = "The local cloud asks no DNS. Open this link instead of adding the records of " + name + ":\n\n"
	}
	s.Identities[name] = of
	if err := s.keep(); err != nil {
		return nil, err
	}

	to := name
	if !strings.Contains(name, "@") {
		to = "postmaster@" + name
	}
	sent, err := json.Marshal(map[string]any{
		"FromEmailAddress": "no-reply-aws@amazon.com", "Destination": map[string]any{"ToAddresses": []string{to}},
		"Content": map[string]any{"Simple": map[string]any{
			"Subject": map[string]any{"Data": "Amazon Web Services - Email Address Verification Request: " + name},
			"Body":    map[string]any{"Text": map[string]any{"Data": text + s.cfg.URL + "/_local/ses/verify?token=" + of.Token + "\n"}},
		}},
	})
	if err != nil {
		return nil, err
	}
	return of, s.cfg.Box.Add(outbox.Message{At: s.cfg.Clock().UTC(), Kind: "email", Sent: sent})
}

// ServeVerify serves GET /_local/ses/verify?token=…: the link that an owner follows.
func (s *Service) ServeVerify(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := r.URL.Query().Get("token")
	for name, of := range s.Identities {
		if token == "" || of.Token != token {
			continue
		}
		of.Verified = true
		if err := s.keep(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "%s is verified.\n", name)
		return
	}
	http.Error(w, "the link is wrong, or its identity was deleted", http.StatusNotFound)
}

// set returns the configuration set of a name, nil if there is none.
func (s *Service) set(name string) *template.ConfigurationSet {
	i := slices.IndexFunc(s.cfg.Sets, func(set *template.ConfigurationSet) bool { return set.Name == name })
	if i < 0 {
		return nil
	}
	return s.cfg.Sets[i]
}
