// Package report writes profiles for people and programs: text, JSON, and CSV as Nsight Compute prints it. What the
// numbers are and what they mean is package profile's.
package report
