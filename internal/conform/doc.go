// Package conform runs a conformance suite: single instruction forms with inputs and the outputs that a
// GPU gave. It loads each case as a module of its own, runs it on an engine with fresh memory, and
// compares by the rule of the case. The format of a suite is described in its FORMAT.md.
//
// Forms are judged here; which of them an engine should run is not decided here.
package conform
