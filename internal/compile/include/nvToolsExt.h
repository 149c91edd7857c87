// NVTX: what a program says of itself to a tool that watches it: here a timeline. The functions answer as NVIDIA's do to a program that
// nobody watches.
#ifndef SILICA_NV_TOOLS_EXT_H
#define SILICA_NV_TOOLS_EXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration, *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st nvtxStringRegistration, *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t { const char *ascii; const wchar_t *unicode; nvtxStringHandle_t registered; } nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t { uint64_t ullValue; int64_t llValue; double dValue; uint32_t uiValue; int32_t iValue; float fValue; } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef struct nvtxInitializationAttributes_v2 {
    uint16_t version, size;
    int32_t mode, reserved;
    void *optionalFunction;
} nvtxInitializationAttributes_t;

#ifdef __cplusplus
extern "C" {
#endif

// Each function, then the same of one domain.
#define SILICA_NVTX_TEXT(R, name)                                                                                     \
    R name##A(const char *message);                                                                                   \
    R name##W(const wchar_t *message);                                                                                \
    R name##Ex(const nvtxEventAttributes_t *attributes);
SILICA_NVTX_TEXT(int, nvtxRangePush)
SILICA_NVTX_TEXT(nvtxRangeId_t, nvtxRangeStart)
SILICA_NVTX_TEXT(void, nvtxMark)
#undef SILICA_NVTX_TEXT
int nvtxRangePop(void);
void nvtxRangeEnd(nvtxRangeId_t id);
void nvtxInitialize(const void *reserved);

nvtxDomainHandle_t nvtxDomainCreateA(const char *name);
nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name);
void nvtxDomainDestroy(nvtxDomainHandle_t domain);
int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
int nvtxDomainRangePop(nvtxDomainHandle_t domain);
nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id);
void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *string);
nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *string);

#ifdef __cplusplus
}
#endif

#define SILICA_NVTX static inline __attribute__((unused))
// Names of threads, categories and CUDA's objects, which the timeline does not have.
#define SILICA_NVTX_NAMES(name, T)                                                                                    \
    SILICA_NVTX void name##A(T object, const char *text) { (void)object, (void)text; }                                \
    SILICA_NVTX void name##W(T object, const wchar_t *text) { (void)object, (void)text; }
SILICA_NVTX_NAMES(nvtxNameCategory, uint32_t)
SILICA_NVTX_NAMES(nvtxNameOsThread, uint32_t)
SILICA_NVTX void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *name) { (void)domain, (void)category, (void)name; }
SILICA_NVTX void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name) { (void)domain, (void)category, (void)name; }

#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#endif

#endif
