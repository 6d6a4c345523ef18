package ses

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/outbound/delivery"
	"minicloud/shared/tenant"
)

// Identities implements allowance.Identities.
type Identities struct {
	SES     *sesv2.Client
	Account Account
}

// NewIdentities returns a client that makes each call once, without retries.
func NewIdentities(cfg aws.Config, account Account) *Identities {
	return &Identities{SES: sesv2.NewFromConfig(delivery.Config(cfg)), Account: account}
}

// Identity makes one GetEmailIdentity call.
func (s *Identities) Identity(ctx context.Context, name string) (allowance.Identity, error) {
	out, err := s.SES.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: &name})
	if _, missing := errors.AsType[*types.NotFoundException](err); missing {
		return allowance.Identity{}, errs.NotFound("the identity %s does not exist", name)
	}
	if err != nil {
		return allowance.Identity{}, wrap("read the identity "+name, err)
	}
	return allowance.Identity{
		Name: name, Verified: out.VerifiedForSendingStatus, Failed: out.VerificationStatus == types.VerificationStatusFailed,
		Records: records(name, out.DkimAttributes),
	}, nil
}

// CreateIdentity makes one CreateEmailIdentity call. An identity that another request created is no error.
func (s *Identities) CreateIdentity(ctx context.Context, name string) (allowance.Identity, error) {
	out, err := s.SES.CreateEmailIdentity(ctx, &sesv2.CreateEmailIdentityInput{EmailIdentity: &name})
	if _, there := errors.AsType[*types.AlreadyExistsException](err); there {
		return s.Identity(ctx, name)
	}
	if err != nil {
		return allowance.Identity{}, wrap("create the identity "+name, err)
	}
	return allowance.Identity{
		Name: name, Verified: out.VerifiedForSendingStatus, Records: records(name, out.DkimAttributes),
	}, nil
}

// records returns the CNAME records of Easy DKIM; an address has none.
func records(name string, dkim *types.DkimAttributes) (all []allowance.Record) {
	if dkim == nil || strings.Contains(name, "@") {
		return nil
	}
	// Newer regions sign in a zone of their own.
	zone := "dkim.amazonses.com"
	if given := aws.ToString(dkim.SigningHostedZone); given != "" {
		zone = given
	}
	for _, token := range dkim.Tokens {
		all = append(all, allowance.Record{Name: token + "._domainkey." + name, Type: "CNAME", Value: token + "." + zone})
	}
	return all
}

// DeleteIdentity takes an identity from its tenants, because SES keeps it otherwise, and deletes it.
func (s *Identities) DeleteIdentity(ctx context.Context, name string) error {
	arn := s.identity(name)
	pages := sesv2.NewListResourceTenantsPaginator(s.SES, &sesv2.ListResourceTenantsInput{ResourceArn: &arn})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if _, missing := errors.AsType[*types.NotFoundException](err); missing {
			return nil
		}
		if err != nil {
			return wrap("list the tenants of "+arn, err)
		}
		for _, of := range page.ResourceTenants {
			_, err := s.SES.DeleteTenantResourceAssociation(ctx, &sesv2.DeleteTenantResourceAssociationInput{
				TenantName: of.TenantName, ResourceArn: &arn,
			})
			if err != nil {
				return wrap("take "+arn+" from a tenant", err)
			}
		}
	}
	_, err := s.SES.DeleteEmailIdentity(ctx, &sesv2.DeleteEmailIdentityInput{EmailIdentity: &name})
	if _, missing := errors.AsType[*types.NotFoundException](err); missing {
		return nil
	}
	return wrap("delete the identity "+name, err)
}

// identity returns the ARN of an identity.
func (s *Identities) identity(name string) string {
	prefix, _, _ := strings.Cut(s.Account.ConfigurationSet, ":configuration-set/")
	return prefix + ":identity/" + name
}

// Admit creates the tenant of an application, and associates the identity and the configuration set with it. It makes
// three calls, each of which may find its work done.
func (s *Identities) Admit(ctx context.Context, app tenant.AppID, name string) error {
	of := s.Account.tenant(app)
	_, err := s.SES.CreateTenant(ctx, &sesv2.CreateTenantInput{TenantName: &of})
	if err := unlessDone("create a tenant", err); err != nil {
		return err
	}
	for _, arn := range []string{s.Account.ConfigurationSet, s.identity(name)} {
		_, err := s.SES.CreateTenantResourceAssociation(ctx, &sesv2.CreateTenantResourceAssociationInput{
			TenantName: &of, ResourceArn: &arn,
		})
		if err := unlessDone("associate "+arn, err); err != nil {
			return err
		}
	}
	return nil
}

// unlessDone wraps an error, unless it says that the thing exists.
func unlessDone(doing string, err error) error {
	if _, there := errors.AsType[*types.AlreadyExistsException](err); there {
		return nil
	}
	return wrap(doing, err)
}

// SendCode makes one SendEmail call.
func (s *Identities) SendCode(ctx context.Context, address, subject, body string) error {
	err := delivery.Call(ctx, func(ctx context.Context) error {
		_, err := s.SES.SendEmail(ctx, &sesv2.SendEmailInput{
			FromEmailAddress: &address, Destination: &types.Destination{ToAddresses: []string{address}},
			ConfigurationSetName: aws.String(s.Account.set()), TenantName: aws.String(s.Account.tenant(0)),
			Content: &types.EmailContent{Simple: &types.Message{
				Subject: content(subject), Body: &types.Body{Text: content(body)},
			}},
		})
		return err
	})
	if errs.Is(err, errs.KindInternal) {
		return fmt.Errorf("%w: %w", errs.Unavailable(0, "it is unknown whether the code was sent: ask for another one"), err)
	}
	return err
}

// wrap translates an error of SES. The caller can repeat all of these calls.
func wrap(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case isBad(err):
		return fmt.Errorf("%s: %w: %w", doing, errs.Invalid("sender: Amazon SES refuses it"), err)
	}
	return fmt.Errorf("%s: %w: %w", doing, errs.Unavailable(1, "Amazon SES cannot be asked now, try again"), err)
}

// isBad reports whether SES refuses the request for good.
func isBad(err error) bool {
	_, bad := errors.AsType[*types.BadRequestException](err)
	return bad
}
