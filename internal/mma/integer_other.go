//go:build !amd64

package mma

func newIntegerUnit() *integerUnit { return nil }
