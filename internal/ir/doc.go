// Package ir is a kernel as the engines see it: functions of straight instruction arrays over
// register rows, with branch targets resolved, blocks laid out so that a block's immediate
// post-dominator comes after everything it post-dominates, and all constants and special registers
// that do not change during a launch placed in rows of their own.
//
// Lowering goes down one pass a file, in this order: collect (names to virtual registers), control
// flow graph, layout, liveness, rows. The package reads package ptx's tree and isa's forms; it knows
// nothing of engines, memory contents or GPUs.
package ir
