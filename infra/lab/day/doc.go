// Command day plays a day of the platform on a virtual clock against the published limits of AWS, and prints what
// throttles first, how long work waited, what was refused and told to its caller, and what the day costs:
//
//	go run -C infra/lab ./day
//
// Requests are rates: each second has a random number of them for the large tenant and for all others together. A
// second's synchronous runs take what the limits leave, those that wait longer than their patience are refused;
// asynchronous runs wait in a queue, oldest first. Units and prices are the measured ones of infra/lab/bench/units.
package main
