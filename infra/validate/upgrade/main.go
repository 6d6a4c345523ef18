// Command upgrade says what a stack of an older template would refuse of a newer one, or lose by it. The exit status is 1
// when there is something.
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
