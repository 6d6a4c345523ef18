// Command engine says which DynamoDB engine serves the local cloud on this
// machine, or which one command brings one. Run it with `make engine`; -quiet
// says only what is missing.
package main

import (
	"flag"
	"fmt"
	"os"

	"minicloud/infra/local/engine"
)

func main() {
	quiet := flag.Bool("quiet", false, "print nothing when there is one")
	flag.Parse()
	if url := os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"); url != "" {
		fmt.Println("the database at", url)
		return
	}
	found, err := engine.Find(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !*quiet {
		fmt.Println("dynoxide", found.Version, found.Path)
	}
}
