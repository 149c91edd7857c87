// Package report writes profiles for people and programs: text like Nsight Compute's details page, JSON, and CSV as
// ncu --csv prints it. What the numbers are and what they mean is package profile's.
package report
