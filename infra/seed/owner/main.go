// Command owner creates the first account of a deployment's console, and prints its password once:
//
//	CONSOLE_TABLE=… go run ./infra/seed/owner EMAIL
//
// CONSOLE_TABLE is the output ConsoleTableName of the stack; the AWS_* environment names its account. The password is
// random, and only its hash is stored.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/seed/administrator"
	"minicloud/shared/clock"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Getenv("CONSOLE_TABLE")); err != nil {
		fmt.Fprintln(os.Stderr, "owner:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, table string) error {
	if len(args) != 1 || table == "" {
		return errors.New("usage: CONSOLE_TABLE=… go run ./infra/seed/owner EMAIL")
	}
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}

	fresh, err := create(ctx, dynamodb.NewFromConfig(settings), table, args[0])
	if err == nil {
		fmt.Printf("email     %s\npassword  %s\n", fresh.Email, fresh.Password)
	}
	return err
}

// create stores the account and returns its credentials.
func create(
	ctx context.Context, client *dynamodb.Client, table, email string,
) (fresh administrator.Credentials, err error) {
	seed := administrator.Seed{Email: email, Client: client, ConsoleTable: table, Clock: clock.System}
	fresh, err = seed.Plant(ctx, administrator.Credentials{})
	// Plant returns the given credentials if an account exists; here they are empty.
	if err == nil && fresh.Password == "" {
		err = errors.New("the console has accounts already: its owners create others there")
	}
	return fresh, err
}
