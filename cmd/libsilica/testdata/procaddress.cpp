// What cuGetProcAddress answers for the names of standard input, "name since a version: status and symbol" for each version from
// which the answer is another, for flags 0 and for those with other answers. Compiled on an NVIDIA H200 with driver 580, CUDA 13.0, this program wrote
// procaddress.h200.txt from the names that its libcuda.so.1 exports, without their versions and suffixes.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>

typedef int (*get_t)(const char *, void **, int, unsigned long long, int *);

static const int versions[] = {
    0, 1000, 2000, 2010, 2020, 2030, 3000, 3010, 3020, 4000, 4010, 4020, 5000, 5050, 6000, 6050, 7000, 7050, 8000, 9000, 9010, 9020, 10000,
    10010, 10020, 11000, 11010, 11020, 11030, 11040, 11050, 11060, 11070, 11080, 12000, 12010, 12020, 12030, 12040, 12050, 12060, 12080, 12090, 13000, 13010, 13050, 14000};

static std::string symbol(void *address)
{
    Dl_info info;
    if (!address)
        return "none";
    if (!dladdr(address, &info) || !info.dli_sname || info.dli_saddr != address)
        return "unnamed";
    return info.dli_sname;
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    get_t get = library ? (get_t)dlsym(library, "cuGetProcAddress_v2") : nullptr;
    int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : nullptr;
    if (!get || !init)
        return printf("no driver: %s\n", dlerror()), 1;
    printf("cuInit %d\n", init(0));
    char name[200];
    while (scanf("%199s", name) == 1) {
        std::string usual;
        for (unsigned long long flags = 0; flags < 3; ++flags) {
            std::string line, before;
            for (int version : versions) {
                void *address = nullptr;
                int status = -1, code = get(name, &address, version, flags, &status);
                std::string answer = symbol(address);
                if (code || status)
                    answer += "/" + std::to_string(code) + "/" + std::to_string(status);
                if (answer != before)
                    line += " " + std::to_string(version) + "=" + answer;
                before = answer;
            }
            if (flags == 0)
                usual = line;
            if (flags == 0 || line != usual)
                printf("%s %llu:%s\n", name, flags, line.c_str());
        }
    }
    // The forms of the call.
    get_t v1 = (get_t)dlsym(library, "cuGetProcAddress");
    auto ask = [&](const char *what, get_t f, const char *n, int version, unsigned long long flags, bool want) {
        void *address = (void *)16;
        int status = -1, code = f(n, &address, version, flags, want ? &status : nullptr);
        printf("%s: %d, status %d, %s\n", what, code, status, address == (void *)16 ? "untouched" : symbol(address).c_str());
    };
    ask("v2 flags 3", get, "cuMemcpy", 12000, 3, true);
    ask("v2 flags 4", get, "cuMemcpy", 12000, 4, true);
    ask("v2 unknown without status", get, "cuFoo", 12000, 0, false);
    ask("v2 too old without status", get, "cuCtxCreate", 1000, 0, false);
    ask("v2 unknown", get, "cuFoo", 12000, 0, true);
    ask("v2 empty", get, "", 12000, 0, true);
    ask("v2 negative version", get, "cuInit", -1, 0, true);
    ask("v2 version in the name", get, "cuCtxCreate_v2", 12000, 0, true);
    ask("v2 suffix in the name", get, "cuMemcpy_ptds", 12000, 0, true);
    ask("v2 runtime function", get, "cudaMalloc", 12000, 0, true);
    ask("v1", v1, "cuMemAlloc", 12000, 0, false);
    ask("v1 unknown", v1, "cuFoo", 12000, 0, false);
    ask("v1 too old", v1, "cuMemAlloc", 1000, 0, false);
    ask("v1 flags 4", v1, "cuMemAlloc", 12000, 4, false);
    return 0;
}
