package ses

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"minicloud/infra/local/outbox"
	"minicloud/infra/local/server"
)

// Paths of the operations.
const (
	emails      = "/v2/email/outbound-emails"
	identities  = "/v2/email/identities"
	tenants     = "/v2/email/tenants"
	ofTenant    = "/v2/email/tenants/resources"
	ofResource  = "/v2/email/resources/tenants"
	maxRequest  = 40 << 20
	maxTo       = 50 // recipients of a mail
	maxIdentity = 320
)

// Serves reports whether a request is for SES.
func Serves(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/v2/email/") }

// operationOf returns the operation of a request, "" for one that is not served.
func operationOf(r *http.Request) string {
	switch path := r.URL.Path; {
	case path == emails && r.Method == http.MethodPost:
		return "SendEmail"
	case path == identities && r.Method == http.MethodPost:
		return "CreateEmailIdentity"
	case strings.HasPrefix(path, identities+"/") && r.Method == http.MethodGet:
		return "GetEmailIdentity"
	case strings.HasPrefix(path, identities+"/") && r.Method == http.MethodDelete:
		return "DeleteEmailIdentity"
	case path == tenants && r.Method == http.MethodPost:
		return "CreateTenant"
	case path == ofTenant && r.Method == http.MethodPost:
		return "CreateTenantResourceAssociation"
	case path == ofTenant+"/delete" && r.Method == http.MethodPost:
		return "DeleteTenantResourceAssociation"
	case path == ofResource+"/list" && r.Method == http.MethodPost:
		return "ListResourceTenants"
	}
	return ""
}

// request has the members of all operations.
type request struct {
	EmailIdentity        string
	TenantName           string
	ResourceArn          string
	FromEmailAddress     string
	ConfigurationSetName string
	Destination          struct{ ToAddresses, CcAddresses, BccAddresses []string }
	Content              map[string]json.RawMessage
	EmailTags            []struct{ Name, Value string }
}

// Asked is what a request needs permission for.
type Asked struct {
	Action    string
	Resources []string
	Tenant    string // ses:TenantName
}

// Asks returns what a request needs permission for.
func (s *Service) Asks(r *http.Request, body []byte) Asked {
	var in request
	_ = json.Unmarshal(body, &in) // ServeHTTP reports the error
	asked := Asked{Action: "ses:" + operationOf(r), Tenant: in.TenantName}
	switch operationOf(r) {
	case "SendEmail":
		s.mu.Lock()
		name := s.of(addressOf(in.FromEmailAddress))
		s.mu.Unlock()
		asked.Resources = []string{s.arn("identity/" + name)}
		if in.ConfigurationSetName != "" {
			asked.Resources = append(asked.Resources, s.arn("configuration-set/"+in.ConfigurationSetName))
		}
	case "CreateTenant":
		asked.Resources = []string{s.arn("tenant/" + in.TenantName + "/tn-local")}
	case "ListResourceTenants":
		asked.Resources = []string{in.ResourceArn}
	case "CreateTenantResourceAssociation", "DeleteTenantResourceAssociation":
		asked.Resources = []string{s.arn("tenant/" + in.TenantName + "/tn-local"), in.ResourceArn}
	default:
		asked.Resources = []string{s.arn("identity/" + named(r, in))}
	}
	return asked
}

// named returns the identity that a request names in its path or its body.
func named(r *http.Request, in request) string {
	if in.EmailIdentity != "" {
		return in.EmailIdentity
	}
	name, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), identities+"/"))
	if err != nil {
		return ""
	}
	return name
}

// addressOf returns the address of a sender or a recipient with its name, "" if it is none.
func addressOf(text string) string {
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return ""
	}
	return parsed.Address
}

// failure is an error of SES.
type failure struct {
	status        int
	kind, message string
}

func bad(message string) *failure {
	return &failure{http.StatusBadRequest, "BadRequestException", message}
}

func missing(message string) *failure {
	return &failure{http.StatusNotFound, "NotFoundException", message}
}

// ServeHTTP serves one operation.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	operation := operationOf(r)
	s.cfg.Count(operation)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	var in request
	if err != nil || len(body) > 0 && json.Unmarshal(body, &in) != nil {
		server.Refuse(w, http.StatusBadRequest, "BadRequestException", "the request is not understood")
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	var out any
	var failed *failure
	switch operation {
	case "SendEmail":
		out, failed = s.sendEmail(in, body)
	case "CreateEmailIdentity":
		out, failed = s.createIdentity(in.EmailIdentity)
	case "GetEmailIdentity":
		out, failed = s.getIdentity(named(r, in))
	case "DeleteEmailIdentity":
		out, failed = s.deleteIdentity(named(r, in))
	case "CreateTenant":
		out, failed = s.createTenant(in.TenantName)
	case "CreateTenantResourceAssociation":
		out, failed = s.associate(in)
	case "DeleteTenantResourceAssociation":
		out, failed = s.disassociate(in)
	case "ListResourceTenants":
		out, failed = s.tenantsOf(in.ResourceArn)
	default:
		failed = missing("the local cloud does not serve " + r.Method + " " + r.URL.Path)
	}
	if failed != nil {
		server.Refuse(w, failed.status, failed.kind, failed.message)
		return
	}
	server.JSON(w, out)
}

func broken(err error) *failure {
	return &failure{http.StatusInternalServerError, "InternalServiceErrorException", err.Error()}
}

// exists is the error of SES for something that was created before.
func exists(message string) *failure {
	return &failure{http.StatusBadRequest, "AlreadyExistsException", message}
}

var domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$`)

func (s *Service) createIdentity(name string) (any, *failure) {
	address := strings.Contains(name, "@")
	if !address {
		name = strings.ToLower(name)
	}
	if len(name) > maxIdentity || address && addressOf(name) != name || !address && !domainForm.MatchString(name) {
		return nil, bad("Invalid email identity: " + name)
	}
	if s.Identities[name] != nil {
		return nil, exists("Email identity " + name + " already exist.")
	}
	of, err := s.create(name)
	if err != nil {
		return nil, broken(err)
	}
	return s.shown(name, of), nil
}

// shown is the answer of CreateEmailIdentity and GetEmailIdentity.
func (s *Service) shown(name string, of *identity) map[string]any {
	status := "PENDING"
	if s.verified(name) || of.Verified {
		status = "SUCCESS"
	}
	kind, dkim := "EMAIL_ADDRESS", map[string]any{"SigningEnabled": false, "Status": "NOT_STARTED"}
	if !strings.Contains(name, "@") {
		kind, dkim = "DOMAIN", map[string]any{
			"SigningEnabled": true, "Status": status, "Tokens": of.DKIM, "SigningAttributesOrigin": "AWS_SES",
		}
	}
	return map[string]any{
		"IdentityType": kind, "VerifiedForSendingStatus": status == "SUCCESS", "VerificationStatus": status,
		"DkimAttributes": dkim,
	}
}

func (s *Service) getIdentity(name string) (any, *failure) {
	of := s.Identities[name]
	if of == nil {
		return nil, missing("Email identity " + name + " does not exist.")
	}
	return s.shown(name, of), nil
}

func (s *Service) deleteIdentity(name string) (any, *failure) {
	if s.Identities[name] == nil {
		return nil, missing("Email identity " + name + " does not exist.")
	}
	for _, resources := range s.Tenants {
		if arn := s.arn("identity/" + name); slices.Contains(resources, arn) {
			return nil, bad(
				"Cannot delete <" + arn + "> because it has tenant associations. Remove all tenant associations and try again.",
			)
		}
	}
	delete(s.Identities, name)
	return s.kept(struct{}{})
}

// kept stores the state and returns an answer.
func (s *Service) kept(answer any) (any, *failure) {
	if err := s.keep(); err != nil {
		return nil, broken(err)
	}
	return answer, nil
}

var tenantForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (s *Service) createTenant(name string) (any, *failure) {
	if !tenantForm.MatchString(name) {
		return nil, bad("TenantName has up to 64 letters, digits, - and _")
	}
	if s.Tenants[name] != nil {
		return nil, exists("Tenant " + name + " already exists.")
	}
	s.Tenants[name] = []string{}
	return s.kept(map[string]any{"TenantName": name, "TenantId": "tn-local", "SendingStatus": "ENABLED"})
}

// associate lets a tenant use an identity or a configuration set.
func (s *Service) associate(in request) (any, *failure) {
	resources, ok := s.Tenants[in.TenantName]
	if !ok {
		return nil, missing("Tenant " + in.TenantName + " does not exist.")
	}
	_, name, _ := strings.Cut(in.ResourceArn, "/")
	known := in.ResourceArn == s.arn("identity/"+name) && s.Identities[name] != nil ||
		in.ResourceArn == s.arn("configuration-set/"+name) && s.set(name) != nil
	if !known {
		return nil, missing("Resource " + in.ResourceArn + " does not exist.")
	}
	if slices.Contains(resources, in.ResourceArn) {
		return nil, exists("Resource " + in.ResourceArn + " is already associated.")
	}
	s.Tenants[in.TenantName] = append(resources, in.ResourceArn)
	return s.kept(struct{}{})
}

// disassociate takes a resource from a tenant; SES does not mind if the tenant lacks it.
func (s *Service) disassociate(in request) (any, *failure) {
	resources, ok := s.Tenants[in.TenantName]
	if !ok {
		return nil, missing("Tenant " + in.TenantName + " does not exist.")
	}
	s.Tenants[in.TenantName] = slices.DeleteFunc(resources, func(arn string) bool { return arn == in.ResourceArn })
	return s.kept(struct{}{})
}

// tenantsOf lists the tenants of a resource, all on one page.
func (s *Service) tenantsOf(arn string) (any, *failure) {
	all := []map[string]string{}
	for name, resources := range s.Tenants {
		if slices.Contains(resources, arn) {
			all = append(all, map[string]string{"TenantName": name, "ResourceArn": arn})
		}
	}
	return map[string]any{"ResourceTenants": all}, nil
}

// sendEmail stores a mail in the outbox if SES would accept it.
func (s *Service) sendEmail(in request, body []byte) (any, *failure) {
	to := slices.Concat(in.Destination.ToAddresses, in.Destination.CcAddresses, in.Destination.BccAddresses)
	if in.FromEmailAddress == "" || len(in.Content) != 1 || len(to) == 0 {
		return nil, bad("FromEmailAddress, Destination and one kind of Content are needed")
	}
	if failed := s.refusal(in, to); failed != nil {
		return nil, failed
	}
	if err := s.cfg.Box.Add(outbox.Message{At: s.cfg.Clock().UTC(), Kind: "email", Sent: body}); err != nil {
		return nil, broken(err)
	}
	id := rand.Text()
	s.reputation.add(to)
	s.simulate(id, in, to)
	return map[string]string{"MessageId": id}, nil
}

var tagForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// refusal returns why SES refuses a mail, nil if it does not.
func (s *Service) refusal(in request, to []string) *failure {
	for _, address := range append([]string{in.FromEmailAddress}, to...) {
		if addressOf(address) == "" || strings.ContainsAny(address, "\r\n") {
			return bad("Invalid email address: " + address)
		}
	}
	if len(to) > maxTo {
		return bad("Recipient count exceeds 50.")
	}
	for _, tag := range in.EmailTags {
		if !tagForm.MatchString(tag.Name) || !tagForm.MatchString(tag.Value) {
			return bad("Invalid tag: " + tag.Name)
		}
	}
	if in.ConfigurationSetName != "" && s.set(in.ConfigurationSetName) == nil {
		return missing("Configuration set <" + in.ConfigurationSetName + "> does not exist.")
	}

	from := addressOf(in.FromEmailAddress)
	unverified := []string{}
	if !s.verified(from) {
		unverified = append(unverified, from)
	}
	for _, recipient := range to {
		if address := addressOf(recipient); s.cfg.Sandbox && !s.verified(address) && simulatorBox(address) == "" {
			unverified = append(unverified, address)
		}
	}
	if len(unverified) > 0 {
		return &failure{http.StatusBadRequest, "MessageRejected", "Email address is not verified. The following identities " +
			"failed the check in region " + strings.ToUpper(s.cfg.Region) + ": " + strings.Join(unverified, ", ")}
	}
	return s.tenantRefusal(in, from)
}

// tenantRefusal returns why SES refuses a mail of a tenant: one of its resources is not associated with the tenant.
func (s *Service) tenantRefusal(in request, from string) *failure {
	if in.TenantName == "" {
		return nil
	}
	resources, ok := s.Tenants[in.TenantName]
	if !ok {
		return missing("Tenant " + in.TenantName + " does not exist.")
	}
	for _, arn := range []string{s.arn("identity/" + s.of(from)), s.arn("configuration-set/" + in.ConfigurationSetName)} {
		if !slices.Contains(resources, arn) {
			return &failure{http.StatusForbidden, "AccessDeniedException", "Tenant not associated with resources [" + arn + "]."}
		}
	}
	return nil
}
