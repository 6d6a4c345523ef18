// Command phones is every program of package phones, by the name of its folder.
package main

import "minicloud/infra/local/programs/phones"

func main() { phones.Programs.Run() }
