package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/secret/password"
	scopes "minicloud/shared/tenant"
)

// everywhere is the role name of the administrator with all applications. The account is not used against the other
// tenant, which it may change.
const everywhere = "everywhere"

// secretOfAll is the password of every account here.
const secretOfAll = "correct horse battery"

// administrators are accounts of the console: one of each role with the sender's applications, one with all, and some
// that others may change and remove. They hand out what to send as one of them, as often as it is asked for: sessions
// end and tokens run out while random requests are sent.
type administrators struct {
	*httptest.Server
	service     *console.Service
	apps        *app.Service
	audit       *consoledb.Audit
	application scopes.AppID // of the sender
	ids         map[string]console.AccountID
}

// unlimited lets everybody try as many passwords as they like: random requests would lock the sender out.
type unlimited struct{}

func (unlimited) Attempt(context.Context, string, int, time.Duration, time.Time) (time.Duration, error) {
	return 0, nil
}
func (unlimited) Forget(context.Context, string) error   { return nil }
func (unlimited) TakeBack(context.Context, string) error { return nil }

// newAdministrators creates the accounts, and a spare application for destructive requests: resetting the client's
// secret or removing an environment of the sender's own application would end its session.
func newAdministrators(
	ctx context.Context, client *dynamodb.Client, sender, other *tenant,
) (*administrators, error) {
	store := &consoledb.Store{Client: client, Table: "ConsoleTable"}
	ids := new(id.Source)
	a := &administrators{
		service: &console.Service{
			Accounts: store, Sessions: store, Attempts: unlimited{}, Passwords: password.New(1), Clock: clock.System, IDs: ids,
		},
		apps: &app.Service{
			Store: &appdb.Applications{Client: client, Table: "ApplicationsTable"}, IDs: ids, Clock: clock.System,
		},
		audit:       &consoledb.Audit{Client: client, Table: "AuditTable", Accounts: store.Table},
		application: sender.application, ids: map[string]console.AccountID{},
	}

	spare, err := a.spare(ctx, sender, other)
	if err != nil {
		return nil, err
	}
	// Roles other than everywhere are limited to the sender's applications: reaching the other tenant is a finding.
	own := []scopes.AppID{sender.application, spare}
	for role, in := range map[string][]scopes.AppID{"owner": own, "developer": own, "viewer": own, everywhere: nil} {
		made, err := a.account(ctx, role, in)
		if err != nil {
			return nil, err
		}
		a.ids[role] = made.ID
	}
	for i := range things {
		made, err := a.account(ctx, fmt.Sprintf("developer %d", i), own)
		if err != nil {
			return nil, err
		}
		sender.Values["account/account"] = append(sender.Values["account/account"], strconv.FormatInt(int64(made.ID), 10))
		sender.Emails = append(sender.Emails, made.Email)
	}

	a.Server = httptest.NewServer(http.HandlerFunc(a.handOut))
	sender.Administrators, sender.Accounts, sender.Password = a.URL, a.ids, secretOfAll
	return a, nil
}

// spare creates the spare application, with environments that requests may delete.
func (a *administrators) spare(ctx context.Context, sender, other *tenant) (scopes.AppID, error) {
	spare, _, err := a.apps.Create(ctx, sender.Mark+"-spare", app.Owner{UserID: 1})
	if err != nil {
		return 0, err
	}
	for i := range 3 {
		env, err := a.apps.AddEnvironment(ctx, spare.ID, fmt.Sprint("spare ", i))
		if err != nil {
			return 0, err
		}
		sender.Values["environment/env"] = append(sender.Values["environment/env"], string(env))
	}
	// The other tenant's environment is among the values that the sender tries, and must be refused.
	other.Values["environment/env"] = []string{other.Env}
	for t, application := range map[*tenant]scopes.AppID{sender: sender.application, other: other.application} {
		t.Values["application/application"] = []string{strconv.FormatInt(int64(application), 10)}
	}
	sender.Spare = strconv.FormatInt(int64(spare.ID), 10)
	return spare.ID, nil
}

// account makes an account whose role is the first word of its name.
func (a *administrators) account(ctx context.Context, name string, in []scopes.AppID) (console.Account, error) {
	role, _, _ := strings.Cut(name, " ")
	if name == everywhere {
		role = string(console.Owner)
	}
	return a.service.Create(ctx, console.Draft{
		Email: id.Hex(8) + "@example.com", Name: name, Password: secretOfAll, Role: console.Role(role),
		AllApplications: len(in) == 0, Applications: in,
	})
}

// handOut serves GET /<role>: a new session, and a console token for the sender's application.
func (a *administrators) handOut(w http.ResponseWriter, r *http.Request) {
	given, err := a.credentials(r.Context(), r.URL.Path[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", r.URL.Path, err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	json.NewEncoder(w).Encode(given)
}

func (a *administrators) credentials(ctx context.Context, role string) (map[string]string, error) {
	account, err := a.service.Accounts.Account(ctx, a.ids[role])
	if err != nil {
		return nil, fmt.Errorf("an administrator who sends is gone: %s: %w", role, err)
	}
	// A new session each time: the sender may have ended the last one by a sign-out.
	cookie, session, _, err := a.service.SignIn(ctx, console.SignIn{
		Email: account.Email, Password: secretOfAll, Address: "127.0.0.1", UserAgent: "fuzz",
	})
	if err != nil {
		return nil, err
	}
	application, err := a.apps.Get(ctx, a.application)
	if err != nil {
		return nil, err
	}
	token, _, err := console.Token(application, account.Administrator(), time.Now())
	return map[string]string{"cookie": string(cookie), "csrf": session.CSRF, "token": token}, err
}

// everything reads the other tenant's entities and its application itself.
func (a *administrators) everything(ctx context.Context, other *tenant) (map[string]string, error) {
	seen, err := other.everything(ctx)
	if err != nil {
		return nil, err
	}
	application, err := a.apps.Get(ctx, other.application)
	seen["the application"] = fmt.Sprint(
		application.Name, application.SecretDigest, application.Generation, application.Environments)
	return seen, err
}

// audited returns an error when the audit log of the sender's application has changes by a viewer, and prints the
// number of changes by each role.
func (a *administrators) audited(ctx context.Context) error {
	for role, account := range a.ids {
		n := 0
		for request := (page.Request{Limit: 1000}); ; {
			got, err := a.audit.Entries(ctx, a.application, console.AuditFilter{Account: account}, request)
			if err != nil {
				return err
			}
			if n += len(got.Objects); got.Next == "" {
				break
			}
			request.After = got.Next
		}

		fmt.Printf("%d changes by %s are in the audit log\n", n, role)
		// The log of changes, not the status of the answers: a change could also be made behind an error.
		if role == string(console.Viewer) && n > 0 {
			return fmt.Errorf("a viewer was let change %d things", n)
		}
	}
	return nil
}
