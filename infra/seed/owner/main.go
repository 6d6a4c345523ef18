// Command owner prints what a deployment needs for the console's first account: a password, drawn at random unless the
// environment has one in CONSOLE_PASSWORD, and its hash as the parameter ConsoleOwnerPassword.
//
//	go run ./infra/seed/owner
package main

import (
	"context"
	"fmt"
	"os"

	"minicloud/infra/seed/administrator"
	"minicloud/shared/program/env"
)

func main() {
	var r env.Reader
	text := r.Default("CONSOLE_PASSWORD", "")
	if text == "" {
		text = administrator.NewPassword()
		fmt.Println("password:            ", text)
	}
	parameter, err := administrator.Parameter(context.Background(), text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ConsoleOwnerPassword:", parameter)
}
