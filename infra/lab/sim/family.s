// The functions without a body in family.go are those of package runtime.
