// Runs launches of an OpenCL program on the first CPU device, and times them. It reads lines:
//
//	buffer FILE BYTES          an array that holds what the file holds, or zeros where FILE is -
//	launch KERNEL GX GY GZ BX BY BZ ARG...    groups, work-items a group; an ARG is bN for a buffer, wN for a word
//	passes N RESULT            runs all launches once to warm up and N times more, prints the median
//	                           nanoseconds, and writes the last buffer as it is after the first pass
//
// Usage: host PROGRAM.cl
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, code);
        exit(1);
    }
}

static void *read_file(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    if (!f) {
        perror(name);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    void *data = calloc(1, *size + 1);
    if (!data || fread(data, 1, *size, f) != *size) {
        fprintf(stderr, "%s: cannot be read\n", name);
        exit(1);
    }
    fclose(f);
    return data;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { max_buffers = 16, max_launches = 1024, max_passes = 64 };

struct launch {
    cl_kernel kernel;
    size_t global[3], local[3];
};

static void pass(cl_command_queue queue, const struct launch *launches, int count)
{
    for (int i = 0; i < count; ++i)
        check(clEnqueueNDRangeKernel(queue, launches[i].kernel, 3, NULL, launches[i].global, launches[i].local, 0, NULL, NULL), "launch");
    check(clFinish(queue), "finish");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 1;
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "queue");
    size_t size;
    const char *source = read_file(argv[1], &size);
    cl_program program = clCreateProgramWithSource(context, 1, &source, &size, &code);
    check(code, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");

    static cl_mem buffers[max_buffers];
    static size_t bytes[max_buffers];
    static struct launch launches[max_launches];
    int buffer_count = 0, launch_count = 0;
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *word = strtok(line, " \n");
        if (!strcmp(word, "buffer")) {
            const char *file = strtok(NULL, " \n");
            size_t n = strtoull(strtok(NULL, " \n"), NULL, 10), have;
            void *data = strcmp(file, "-") ? read_file(file, &have) : calloc(1, n);
            bytes[buffer_count] = n;
            buffers[buffer_count++] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n, data, &code);
            check(code, "buffer");
            free(data);
        } else if (!strcmp(word, "launch")) {
            struct launch *l = &launches[launch_count++];
            l->kernel = clCreateKernel(program, strtok(NULL, " \n"), &code);
            check(code, "kernel");
            for (int i = 0; i < 3; ++i)
                l->global[i] = strtoull(strtok(NULL, " \n"), NULL, 10);
            for (int i = 0; i < 3; ++i)
                l->global[i] *= l->local[i] = strtoull(strtok(NULL, " \n"), NULL, 10);
            char *a;
            for (int i = 0; (a = strtok(NULL, " \n")); ++i) {
                cl_uint value = strtoul(a + 1, NULL, 10);
                if (*a == 'b')
                    check(clSetKernelArg(l->kernel, i, sizeof(cl_mem), &buffers[value]), "argument");
                else
                    check(clSetKernelArg(l->kernel, i, sizeof value, &value), "argument");
            }
        } else if (!strcmp(word, "passes")) {
            int n = atoi(strtok(NULL, " \n"));
            double took[max_passes];
            pass(queue, launches, launch_count);
            size_t last = bytes[buffer_count - 1];
            void *result = malloc(last);
            check(clEnqueueReadBuffer(queue, buffers[buffer_count - 1], CL_TRUE, 0, last, result, 0, NULL, NULL), "read");
            FILE *f = fopen(strtok(NULL, " \n"), "wb");
            if (!f || fwrite(result, 1, last, f) != last || fclose(f))
                return 1;
            for (int i = 0; i < n; ++i) {
                double start = now();
                pass(queue, launches, launch_count);
                took[i] = now() - start;
            }
            qsort(took, n, sizeof *took, by_size);
            printf("%.0f\n", took[n / 2]);
        }
    }
    return 0;
}
