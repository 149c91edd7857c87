// Prints the median nanoseconds of OpenBLAS's product of two N x N matrices of floats, over a few. Usage: sgemm N
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int n = argc == 2 ? atoi(argv[1]) : 0;
    float *a = malloc(sizeof(float) * n * n), *b = malloc(sizeof(float) * n * n), *c = malloc(sizeof(float) * n * n);
    if (n <= 0 || !a || !b || !c)
        return 1;
    for (int i = 0; i < n * n; ++i)
        a[i] = b[i] = i % 1009 / 1009.0f;
    enum { passes = 7 };
    double took[passes + 1];
    for (int i = 0; i <= passes; ++i) {
        struct timespec s, e;
        clock_gettime(CLOCK_MONOTONIC, &s);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
        clock_gettime(CLOCK_MONOTONIC, &e);
        took[i] = (e.tv_sec - s.tv_sec) * 1e9 + (e.tv_nsec - s.tv_nsec);
    }
    qsort(took + 1, passes, sizeof *took, by_size); // the first warms up
    printf("%.0f\n", took[1 + passes / 2]);
    return 0;
}
