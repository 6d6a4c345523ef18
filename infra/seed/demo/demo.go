// Package demo gives a new platform something to try: an application with a
// test environment, and in its production environment two example functions
// and a few users.
package demo

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Credentials are what a client of the application needs; they are the
// contents of credentials.json, which holds more.
type Credentials struct {
	ClientID     string       `json:"client_id"`
	ClientSecret string       `json:"client_secret"`
	Miniapp      tenant.AppID `json:"miniapp"`
	// Environments are the test environments, id by name.
	Environments map[string]tenant.EnvID `json:"environments"`
}

// Seed is where to put an application, and under which names.
type Seed struct {
	Client            *dynamodb.Client
	ApplicationsTable string
	// FunctionsTable is for the example functions; "" leaves them out.
	FunctionsTable string
	// The tables of users; "" for UsersTable leaves users out.
	UsersTable      string
	TablesTable     string
	RowsTable       string
	RowIndexesTable string

	Clock clock.Clock
	Name  string // of the application; "" is "demo"
}

//go:embed functions/hello.js
var hello string

//go:embed functions/sum.js
var sum string

// examples are the functions, in the order they are created.
var examples = []cloudfunction.New{
	{Name: "hello", Code: hello, Remark: "example: an async function that greets"},
	{Name: "sum", Code: sum, Remark: "example: a callback function that adds numbers"},
}

// environment is the name of the test environment.
const environment = "test"

var administrator = app.Owner{
	UserID: 1, Nickname: "demo administrator", Email: "admin@example.com", AvatarLink: "https://example.com/avatar.png",
}

// ErrDoNotOpen is the error for credentials that open no application where there
// is one: a new one would hide its data.
var ErrDoNotOpen = errors.New("the credentials do not open it (was the secret reset?): " +
	"write the right client_secret into the file, restore it from a copy, or delete its folder to begin again without the data")

// Plant makes sure that the application is there and returns its credentials.
//
// earlier is what it returned before, the zero value at first: secrets are not
// kept by the platform, so whoever wants to start twice must keep them. Where
// they still open the application nothing is made again; where they do not
// (a reset secret), ErrDoNotOpen, unless the database has no application at all:
// then one is made, as without earlier ones. Example functions come with a new
// application only: what its developer deletes stays deleted.
func (s Seed) Plant(ctx context.Context, earlier Credentials) (Credentials, error) {
	apps := &app.Service{
		Store: &appdb.Applications{Client: s.Client, Table: s.ApplicationsTable},
		IDs:   &id.Source{}, Clock: s.Clock,
	}
	known, err := s.opens(ctx, apps, earlier)
	if err != nil {
		return Credentials{}, fmt.Errorf("seed: %w", err)
	}
	if known {
		return earlier, nil
	}

	if earlier.ClientID != "" {
		if err := s.empty(ctx); err != nil {
			return Credentials{}, fmt.Errorf("seed: %w", err)
		}
	}

	fresh, err := s.create(ctx, apps)
	if err != nil {
		return Credentials{}, fmt.Errorf("seed: %w", err)
	}

	return fresh, nil
}

// opens reports whether these credentials are good, and the environments there.
func (s Seed) opens(ctx context.Context, apps *app.Service, c Credentials) (bool, error) {
	a, err := apps.ByClient(ctx, app.ClientID(c.ClientID))
	if errs.Is(err, errs.KindNotFound) {
		return false, nil
	}
	if err != nil || a.ID != c.Miniapp || !a.Holds(app.ClientID(c.ClientID), c.ClientSecret) {
		return false, err
	}
	for _, env := range c.Environments {
		if _, ok := a.Environment(env); !ok {
			return false, nil
		}
	}
	// The application may be from before there was a list of applications.
	return true, apps.Store.List(ctx, a)
}

// empty returns ErrDoNotOpen when there are applications.
func (s Seed) empty(ctx context.Context) error {
	page, err := s.Client.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String(s.ApplicationsTable), Limit: aws.Int32(1)})
	if err == nil && len(page.Items) > 0 {
		return ErrDoNotOpen
	}
	return err
}

func (s Seed) create(ctx context.Context, apps *app.Service) (Credentials, error) {
	a, secret, err := apps.Create(ctx, cmp.Or(s.Name, "demo"), administrator)
	if err != nil {
		return Credentials{}, err
	}

	env, err := apps.AddEnvironment(ctx, a.ID, environment)
	if err != nil {
		return Credentials{}, err
	}

	production := tenant.Scope{App: a.ID, Env: tenant.Production}
	if err := s.createExamples(ctx, production); err != nil {
		return Credentials{}, err
	}
	if err := s.createUsers(ctx, production); err != nil {
		return Credentials{}, err
	}

	return Credentials{
		ClientID: string(a.ClientID), ClientSecret: secret, Miniapp: a.ID,
		Environments: map[string]tenant.EnvID{environment: env},
	}, nil
}

func (s Seed) createExamples(ctx context.Context, scope tenant.Scope) error {
	if s.FunctionsTable == "" {
		return nil
	}
	functions := &cloudfunction.Service{
		Store: &functiondb.Functions{Client: s.Client, Table: s.FunctionsTable},
		IDs:   &id.Source{}, Clock: s.Clock,
	}
	for _, example := range examples {
		if _, err := functions.Create(ctx, scope, administrator.Nickname, example); err != nil {
			return err
		}
	}
	return nil
}
