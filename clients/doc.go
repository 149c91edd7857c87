// Clients runs what others wrote for CUDA - Python frameworks, compilers, programs - unmodified on Silica, on test suites of
// theirs where they ship one, and writes docs/clients.md. A client is a folder here:
//
//	client.json       what it is, how it is set up, its suites, what was last measured
//	requirements.txt  every Python package it needs, pinned
//	failures.txt      the tests that are expected to fail, each with its reason
//	*.py, *.cu, ...   suites of our own, for clients that ship none
//
// What is fetched and built goes to .build/clients/NAME, never into the tree. Run it with "make clients", or for one client
// with "go run ./clients NAME"; "go run ./clients --write NAME" also keeps what it measured.
package main
