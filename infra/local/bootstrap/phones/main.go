// Command phones contains every program of package phones; the folder it is installed in selects the program.
package main

import "minicloud/infra/local/programs/phones"

func main() { phones.Programs.Run() }
