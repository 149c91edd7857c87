// Package texture holds what texture units do: arrays of texels, samplers, and the arithmetic of addressing and
// filtering bit for bit as an H200 does it. Where its behaviour is not in the CUDA C++ Programming Guide ("Texture
// Fetching") or the PTX manual ("Texture Instructions", "Surface Instructions"), it was fitted to recorded samples;
// the tests have some of them.
//
// What an instruction's operands mean, and the memory that arrays live in, is not decided here.
package texture
