// Package day plays a day of the platform against the published limits of AWS.
package day
