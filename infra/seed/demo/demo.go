// Package demo seeds a new platform: an application with a test environment, and in its production environment two
// example functions and some users.
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
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
)

// Credentials let a client of the application sign in; credentials.json contains them and other members.
type Credentials struct {
	ClientID     string       `json:"client_id"`
	ClientSecret string       `json:"client_secret"`
	Miniapp      tenant.AppID `json:"miniapp"`
	// Environments maps the names of test environments to their ids.
	Environments map[string]tenant.EnvID `json:"environments"`
}

// Seed describes the application. The tables have their logical IDs for names.
type Seed struct {
	Client    *dynamodb.Client
	Functions bool // creates the example functions
	Users     bool // creates users
	Clock     clock.Clock
	Name      string           // of the application; "" means "demo"
	Passwords *password.Hasher // nil means that of the product
}

//go:embed functions/hello.js
var hello string

//go:embed functions/sum.js
var sum string

// examples are the example functions in the order of their creation.
var examples = []cloudfunction.New{
	{Name: "hello", Code: hello, Remark: "example: an async function that greets"},
	{Name: "sum", Code: sum, Remark: "example: a callback function that adds numbers"},
}

// environment is the name of the test environment.
const environment = "test"

var administrator = app.Owner{
	UserID: 1, Nickname: "demo administrator", Email: "admin@example.com", AvatarLink: "https://example.com/avatar.png",
}

// ErrDoNotOpen is returned for credentials that are not valid although an application exists: a new application would
// hide its data.
var ErrDoNotOpen = errors.New("the credentials do not open it (was the secret reset?): " +
	"write the right client_secret into the file, restore it from a copy, or delete its folder to begin again without the data")

// Plant creates the application unless it exists, and returns its credentials.
//
// earlier is the result of the previous call, the zero value at first: the platform does not store secrets, so the
// caller must keep them. If they are still valid, nothing is created. If they are not (the secret was reset), Plant
// returns ErrDoNotOpen, unless the database has no application at all: then it creates one. Only a new application
// gets example functions, so deleted ones are not created again.
func (s Seed) Plant(ctx context.Context, earlier Credentials) (Credentials, error) {
	apps := &app.Service{
		Store: &appdb.Applications{Client: s.Client, Table: "ApplicationsTable"},
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

// opens reports whether the credentials and their environments are valid.
func (s Seed) opens(ctx context.Context, apps *app.Service, c Credentials) (bool, error) {
	a, err := app.ByClient(ctx, apps.Store, app.ClientID(c.ClientID))
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
	return true, nil
}

// empty returns ErrDoNotOpen if any application exists.
func (s Seed) empty(ctx context.Context) error {
	page, err := s.Client.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("ApplicationsTable"), Limit: aws.Int32(1)})
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
	if !s.Functions {
		return nil
	}
	functions := &cloudfunction.Service{
		Store: &functiondb.Functions{Client: s.Client, Table: "FunctionsTable"},
		IDs:   &id.Source{}, Clock: s.Clock,
	}
	for _, example := range examples {
		if _, err := functions.Create(ctx, scope, administrator.Nickname, example); err != nil {
			return err
		}
	}
	return nil
}
