// Command plain is every program of package plain, by the name of its folder.
package main

import "minicloud/infra/local/programs/plain"

func main() { plain.Programs.Run() }
