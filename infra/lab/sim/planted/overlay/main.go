// Command overlay writes the overlay of the planted mistakes to a directory, and prints its path.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"minicloud/infra/lab/sim/planted"
	"minicloud/infra/local/ddb"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: overlay DIRECTORY")
	}
	dir, err := filepath.Abs(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	root, err := ddb.Root()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		log.Fatal(err)
	}
	path, err := planted.Overlay(root, dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path)
}
