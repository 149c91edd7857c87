// Package forms writes single PTX instructions from the rows of the instruction set: every form, and near misses of
// it that may have to be refused. What ptxas of CUDA 13.0 said of them is kept in testdata, and a test asks our
// checker the same.
//
// Programs of many instructions do not live here.
package forms
