// Objects in shared memory whose class has a constructor: the compiler driver declares them so (dialect/shared.go).
#ifndef SILICA_SHARED_H
#define SILICA_SHARED_H

namespace silica {
// A union constructs and destroys none of its members.
template <class T> union shared_object {
    __device__ shared_object() {}
    __device__ ~shared_object() {}
    T object;
};
} // namespace silica

#endif
