// Command plain contains every program of package plain; the folder it is installed in selects the program.
package main

import "minicloud/infra/local/programs/plain"

func main() { plain.Programs.Run() }
