// Package seeder creates the demo application of the local cloud.
package seeder

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/cloud"
	"minicloud/infra/seed/administrator"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
)

// Demo is a cloud.Seeder: it creates an application with a test environment, two example functions, a few users, and a
// console account.
func Demo(ctx context.Context, client *dynamodb.Client, earlier cloud.Credentials) (cloud.Credentials, error) {
	planted, err := demo.Seed{Client: client, Functions: true, Users: true, Clock: clock.System}.Plant(ctx, earlier.Credentials)
	if err != nil {
		return cloud.Credentials{}, err
	}

	account, err := administrator.Seed{
		Client: client, ConsoleTable: "ConsoleTable", Clock: clock.System,
	}.Plant(ctx, administrator.Credentials{Email: earlier.ConsoleEmail, Password: earlier.ConsolePassword})
	if err != nil {
		return cloud.Credentials{}, err
	}

	return cloud.Credentials{
		Credentials: planted, ConsoleEmail: account.Email, ConsolePassword: account.Password,
	}, nil
}
