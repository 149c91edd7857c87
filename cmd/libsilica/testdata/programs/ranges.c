/* NVTX in C: what its functions answer when no tool watches. */
#include <cuda_runtime_api.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include "check.h"

int main(void)
{
    nvtxEventAttributes_t attributes = {0};
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = 0xff00ff00;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "range";
    attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    attributes.payload.dValue = 1.5;
    EXPECT(attributes.size == 48);
    EXPECT(nvtxRangePush("outer") == NVTX_NO_PUSH_POP_TRACKING);
    EXPECT(nvtxRangePushEx(&attributes) == NVTX_NO_PUSH_POP_TRACKING);
    EXPECT(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
    EXPECT(nvtxDomainRangePushEx(domain, &attributes) == NVTX_NO_PUSH_POP_TRACKING);
    nvtxMark("mark");
    nvtxRangeEnd(nvtxRangeStartA("started"));
    nvtxNameCudaStreamA(0, "stream");
    nvtxNameCuDeviceA(0, "device");
    nvtxNameOsThread(1, "thread");
    CHECK(cudaDeviceSynchronize());
    return failures;
}
