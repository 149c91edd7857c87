//go:build !amd64

package mma

func newTileUnit() *tileUnit { return nil }
