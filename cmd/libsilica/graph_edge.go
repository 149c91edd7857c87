package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

// Dependencies of graphs have data since CUDA 12.3: the functions that know it have a version more, or are of CUDA 13.
var graphEdges = works{
	"cudaGraphAddDependencies":               edges((*driver.Graph).Order, 3, 0),
	"cudaGraphAddDependencies_v2":            edges((*driver.Graph).Order, 4, 3),
	"cudaGraphRemoveDependencies":            edges(unorder, 3, 0),
	"cudaGraphRemoveDependencies_v2":         edges((*driver.Graph).Unorder, 4, 3),
	"cudaGraphGetEdges":                      ofGraph(listEdges(edgesOfGraph, edgeResults{from: 1, to: 2, count: 3})),
	"cudaGraphGetEdges_v2":                   ofGraph(listEdges(edgesOfGraph, edgeResults{from: 1, to: 2, data: 3, count: 4})),
	"cudaGraphNodeGetDependencies":           ofNode(listEdges(edgesBefore, edgeResults{from: 1, count: 2})),
	"cudaGraphNodeGetDependencies_v2":        ofNode(listEdges(edgesBefore, edgeResults{from: 1, data: 2, count: 3})),
	"cudaGraphNodeGetDependentNodes":         ofNode(listEdges(edgesAfter, edgeResults{to: 1, count: 2})),
	"cudaGraphNodeGetDependentNodes_v2":      ofNode(listEdges(edgesAfter, edgeResults{to: 1, data: 2, count: 3})),
	"cudaStreamGetCaptureInfo_v2":            captureInfo(4, 0, 5),
	"cudaStreamGetCaptureInfo_v3":            captureInfo(4, 5, 6),
	"cudaStreamUpdateCaptureDependencies":    updateCaptureDependencies(2),
	"cudaStreamUpdateCaptureDependencies_v2": updateCaptureDependencies(3),
}

// edgeData reads the data of n dependencies at the address of argument i, where 0 and a null pointer stand for none.
func edgeData(a args, i int, n uint64) []driver.EdgeData {
	list := make([]driver.EdgeData, n)
	if i == 0 || a.size(i) < lowestAddress {
		return list
	}
	for k, e := range unsafe.Slice((*C.cudaGraphEdgeData)(a.pointer(i)), n) {
		list[k] = driver.EdgeData{FromPort: byte(e.from_port), ToPort: byte(e.to_port), Type: byte(e._type)}
	}
	return list
}

// edges makes a function that changes which nodes wait for which: arguments 1 and 2 are lists of nodes, others how many they have
// and, where it is not 0, the data.
func edges(change func(g *driver.Graph, earlier, later *driver.Node, data driver.EdgeData) error, count, data int) work {
	return ofGraph(func(c *context, g *driver.Graph, a args) error {
		n := a.size(count)
		from, err := c.nodeList(a, 1, n)
		if err != nil {
			return err
		}
		to, err := c.nodeList(a, 2, n)
		if err != nil {
			return err
		}
		list := edgeData(a, data, n)
		for i := range from {
			if err := change(g, from[i], to[i], list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// unorder removes a dependency whatever its data.
func unorder(g *driver.Graph, earlier, later *driver.Node, _ driver.EdgeData) error {
	return g.Unorder(earlier, later, later.Edge(earlier))
}

// edge is a dependency of a graph.
type edge struct{ from, to *driver.Node }

func edgesOfGraph(g *driver.Graph) (all []edge) {
	for _, n := range g.Nodes() {
		all = append(all, edgesBefore(n)...)
	}
	return all
}

func edgesBefore(n *driver.Node) (all []edge) {
	for _, b := range n.Before() {
		all = append(all, edge{b, n})
	}
	return all
}

func edgesAfter(n *driver.Node) (all []edge) {
	for _, o := range n.After() {
		all = append(all, edge{n, o})
	}
	return all
}

// edgeResults are the arguments for what is asked of dependencies: the nodes, the data and how many there are; 0 stands for what the
// function does not tell.
type edgeResults struct{ from, to, data, count int }

// listEdges makes a function that lists dependencies: as many as the count says, or only how many there are where there is no
// room for nodes. What is left of the room is null. Data that the caller does not ask for can not be left out.
func listEdges[T any](list func(T) []edge, r edgeResults) func(c *context, of T, a args) error {
	return func(c *context, of T, a args) error {
		count, err := in[uint64](a, r.count)
		if err != nil {
			return err
		}
		all := list(of)
		room := func(i int) bool { return i == 0 || a.size(i) != 0 }
		if !room(r.from) || !room(r.to) {
			*count = uint64(len(all))
			return nil
		}
		n := min(*count, uint64(len(all)))
		clearRoom(a, r.from, *count)
		clearRoom(a, r.to, *count)
		for i, e := range all[:n] {
			data := e.to.Edge(e.from)
			if data != (driver.EdgeData{}) && (r.data == 0 || a.size(r.data) == 0) {
				return errLossy
			}
			c.putNode(a, r.from, i, e.from)
			c.putNode(a, r.to, i, e.to)
			if r.data != 0 && a.size(r.data) != 0 {
				unsafe.Slice((*C.cudaGraphEdgeData)(a.pointer(r.data)), n)[i] = C.cudaGraphEdgeData{
					from_port: C.uchar(data.FromPort), to_port: C.uchar(data.ToPort), _type: C.uchar(data.Type),
				}
			}
		}
		*count = n
		return nil
	}
}

var errLossy = driver.Fail(driver.LossyQuery, "a dependency has data that the function does not tell")

// clearRoom clears n handles at the address of argument i, of which 0 is none.
func clearRoom(a args, i int, n uint64) {
	if i != 0 {
		clear(unsafe.Slice((*uint64)(a.pointer(i)), n))
	}
}

// putNode writes the handle of a node to the list of argument i, of which 0 is none.
func (c *context) putNode(a args, i, at int, n *driver.Node) {
	if i != 0 {
		*(*uint64)(unsafe.Add(a.pointer(i), 8*at)) = c.nodeHandle(n)
	}
}

// captureInfo makes a function that tells of a capture and leaves out what is not asked for. The nodes and the data, which is plain, are in
// memory that stays until the next call.
func captureInfo(nodes, data, count int) work {
	return ofStreamIn(func(c *context, s *driver.Stream, a args) error {
		if err := s.Implicit(); err != nil {
			return err
		}
		status := captureStatus(s)
		if err := out(a, 1, C.int(status)); err != nil || status != C.cudaStreamCaptureStatusActive {
			return err
		}
		capture := s.Capture()
		var handles []uint64
		for _, n := range capture.Front(s) {
			handles = append(handles, c.nodeHandle(n))
		}
		list := c.keep(handles)
		results := map[int]uint64{2: capture.ID, 3: c.graphHandle(capture.Graph), nodes: list, count: uint64(len(handles))}
		if data != 0 {
			results[data] = list + 8*uint64(len(handles)) // zeros
		}
		for i, value := range results {
			if a.size(i) != 0 {
				*(*uint64)(a.pointer(i)) = value
			}
		}
		return nil
	})
}

// updateCaptureDependencies makes a function whose argument 1 is a list of nodes and argument count says how many; flags follow.
func updateCaptureDependencies(count int) work {
	return ofStreamIn(func(c *context, s *driver.Stream, a args) error {
		capture := s.Capture()
		if capture == nil {
			return driver.Fail(driver.IllegalState, "the stream is not captured")
		}
		nodes, err := c.nodeList(a, 1, a.size(count))
		if err != nil {
			return err
		}
		flags := a.uint(count + 1)
		if flags != C.cudaStreamAddCaptureDependencies && flags != C.cudaStreamSetCaptureDependencies {
			return driver.Fail(driver.InvalidValue, "there are no flags 0x%x", flags)
		}
		capture.SetFront(s, nodes, flags == C.cudaStreamAddCaptureDependencies)
		return nil
	})
}
