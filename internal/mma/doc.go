// Package mma computes what the tensor cores compute: where the elements of a matrix lie in the registers of
// a warp (Fragment), and products of matrices with the accumulation of an H200, bit for bit (Product). Of later
// tensor cores, none of which is recorded, it holds products with scales of blocks and of whole matrices (Matrices).
//
// A Chain computes products in machine code, where this CPU has it, on registers whose places are known beforehand.
//
// Which instruction is which product is said by the instruction rows, not here; memory is not touched.
package mma
