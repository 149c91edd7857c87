package main

// withoutContext are the functions of the driver API that work in a thread that has no current context: those that free memory,
// which is found by its address, and those of pools, which belong to a device.
var withoutContext = map[string]func(l *library) (*context, error){
	"cuMemFree_v2":                       (*library).anyContext,
	"cuMemFreeHost":                      (*library).anyContext,
	"cuMemHostUnregister":                (*library).anyContext,
	"cuMemPoolExportPointer":             (*library).anyContext,
	"cuMemPoolCreate":                    (*library).firstContext,
	"cuMemPoolImportFromShareableHandle": (*library).firstContext,
}

// anyContext returns a context that there is.
func (l *library) anyContext() (any *context, err error) {
	l.eachContext(func(c *context) { any = c })
	if any == nil {
		return nil, errNoContext
	}
	return any, nil
}

// firstContext returns the primary context of the first device, which there is from then on.
func (l *library) firstContext() (*context, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.primaryContext(0)
}
