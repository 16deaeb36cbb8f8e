/* A small FMU of FMI 3.0 for Co-Simulation: y[i] += (i + 1) u[i], whole numbers and truth values. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double u[3], y[3]; int64_t count; float half; bool on; } Model;
typedef void (*Log)(void *, int, const char *, const char *);

const char *fmi3GetVersion(void) { return "3.0"; }
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *place, bool visible,
                                  bool logging, bool events, bool early, const uint32_t *r, size_t n,
                                  void *environment, Log log, void *update) {
    if (strcmp(token, "{token}") || events || place[strlen(place) - 1] != '/') return NULL;
    return calloc(1, sizeof(Model));
}
void fmi3FreeInstance(void *own) { free(own); }
int fmi3EnterInitializationMode(void *c, bool has, double tolerance, double start, bool stops, double stop) { return 0; }
int fmi3ExitInitializationMode(void *c) { return 0; }
int fmi3Terminate(void *c) { return 0; }
int fmi3SetFloat64(void *c, const uint32_t *r, size_t n, const double *v, size_t count) {
    if (n != 1 || r[0] != 1 || count != 3) return 3;
    memcpy(((Model *)c)->u, v, sizeof(double[3]));
    return 0;
}
int fmi3GetFloat64(void *c, const uint32_t *r, size_t n, double *v, size_t count) {
    if (n != 1 || r[0] != 2 || count != 3) return 3;
    memcpy(v, ((Model *)c)->y, sizeof(double[3]));
    return 0;
}
int fmi3SetInt64(void *c, const uint32_t *r, size_t n, const int64_t *v, size_t count) {
    ((Model *)c)->count = v[0];
    return 0;
}
int fmi3GetInt64(void *c, const uint32_t *r, size_t n, int64_t *v, size_t count) {
    v[0] = ((Model *)c)->count;
    return 0;
}
int fmi3GetFloat32(void *c, const uint32_t *r, size_t n, float *v, size_t count) {
    v[0] = ((Model *)c)->half;
    return 0;
}
int fmi3SetBoolean(void *c, const uint32_t *r, size_t n, const bool *v, size_t count) {
    ((Model *)c)->on = v[0];
    return 0;
}
int fmi3GetBoolean(void *c, const uint32_t *r, size_t n, bool *v, size_t count) {
    v[0] = !((Model *)c)->on;
    return 0;
}
int fmi3DoStep(void *c, double t, double h, bool keep, bool *event, bool *end, bool *early, double *last) {
    Model *own = c;
    for (int i = 0; i < 3; i++) own->y[i] += (i + 1) * own->u[i];
    own->count++;
    own->half = 0.5f * (float)own->count;
    *event = false;
    *early = false;
    *end = own->count == 104;
    *last = t + h;
    return 0;
}
