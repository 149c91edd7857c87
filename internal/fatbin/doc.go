// Package fatbin reads and writes fat binaries: the containers in which NVIDIA's compiler puts device programs, each as machine code
// and as PTX for several architectures, plain or compressed.
//
// It knows the container alone. Which program suits a GPU is decided in package driver, where host programs keep their
// containers in cmd/libsilica.
package fatbin
