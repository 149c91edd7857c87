package driver

import (
	"errors"
	"fmt"
)

// Code is a CUDA error number. The driver API (CUresult) and the runtime API (cudaError_t) number their
// common errors alike.
type Code int

// The codes that Silica gives.
const (
	Success                      Code = 0
	InvalidValue                 Code = 1
	OutOfMemory                  Code = 2
	NotInitialized               Code = 3
	InvalidConfiguration         Code = 9
	InvalidPitchValue            Code = 12
	InvalidSymbol                Code = 13
	InvalidChannelDescriptor     Code = 20
	InvalidMemcpyDirection       Code = 21
	InvalidFilterSetting         Code = 26
	InvalidNormSetting           Code = 27
	LaunchPendingCountExceeded   Code = 69
	InvalidDeviceFunction        Code = 98
	NoDevice                     Code = 100
	InvalidDevice                Code = 101
	InvalidImage                 Code = 200
	InvalidContext               Code = 201
	NoBinaryForGPU               Code = 209
	UnsupportedLimit             Code = 215
	PeerAccessUnsupported        Code = 217
	InvalidPTX                   Code = 218
	UnsupportedPTXVersion        Code = 222
	FileNotFound                 Code = 301
	OperatingSystem              Code = 304
	InvalidHandle                Code = 400
	IllegalState                 Code = 401
	LossyQuery                   Code = 402
	NotFound                     Code = 500
	NotReady                     Code = 600
	IllegalAddress               Code = 700
	LaunchOutOfResources         Code = 701
	LaunchTimeout                Code = 702
	PeerAccessAlreadyEnabled     Code = 704
	PeerAccessNotEnabled         Code = 705
	ContextIsDestroyed           Code = 709
	Assert                       Code = 710
	HostMemoryAlreadyRegistered  Code = 712
	HostMemoryNotRegistered      Code = 713
	LaunchFailed                 Code = 719
	CooperativeLaunchTooLarge    Code = 720
	NotPermitted                 Code = 800
	NotSupported                 Code = 801
	StreamCaptureUnsupported     Code = 900
	StreamCaptureInvalidated     Code = 901
	StreamCaptureMerge           Code = 902
	StreamCaptureUnmatched       Code = 903
	StreamCaptureUnjoined        Code = 904
	StreamCaptureIsolation       Code = 905
	StreamCaptureImplicit        Code = 906
	CapturedEvent                Code = 907
	StreamCaptureWrongThread     Code = 908
	GraphExecUpdateFailure       Code = 910
	FunctionNotLoaded            Code = 913
	InvalidResourceType          Code = 914
	InvalidResourceConfiguration Code = 915
	InvalidClusterSize           Code = 912
	Unknown                      Code = 999
)

// Error is a call that CUDA answers with an error code.
type Error struct {
	Code Code
	// Msg says in one line what was wrong; it starts with a source position when there is one.
	Msg string
	err error
}

func (e *Error) Error() string {
	if e.Msg == "" {
		return e.Code.Text()
	}
	return e.Msg
}

// Unwrap returns the cause, such as the engine's fault.
func (e *Error) Unwrap() error { return e.err }

// Fail returns an error with a code and a message.
func Fail(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Msg: fmt.Sprintf(format, args...)}
}

// codeOf returns the code of an *Error, Unknown of another.
func codeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Unknown
}

// wrap returns an error with a code and the message of its cause.
func wrap(c Code, err error) *Error { return &Error{Code: c, Msg: err.Error(), err: err} }
