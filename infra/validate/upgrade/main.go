// Command upgrade prints the changes in a newer template that a stack of an older one would refuse, or that would
// lose data. The exit status is 1 if there are any.
//
//	go run ./infra/validate/upgrade old.yaml template.yaml
package main

import (
	"fmt"
	"os"

	"minicloud/infra/local/template/refusal"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: upgrade <template before> <template>")
		os.Exit(2)
	}
	refused, err := compare(os.Args[1], os.Args[2])
	if err != nil {
		refused = append(refused, err.Error())
	}
	for _, line := range refused {
		fmt.Fprintln(os.Stderr, "upgrade: "+line)
	}
	if len(refused) > 0 {
		os.Exit(1)
	}
}

func compare(before, now string) ([]string, error) {
	old, err := os.ReadFile(before)
	if err != nil {
		return nil, err
	}
	next, err := os.ReadFile(now)
	if err != nil {
		return nil, err
	}
	return refusal.Upgrade(old, next)
}
