/* A small FMU of FMI 2.0 for Co-Simulation: x' = k u - x by Euler steps, y = x. FAULT chooses what is
   wrong with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished;
    void *environment;
} Callbacks;

typedef struct {
    double u, slope, k, x;
    int n, on;
    const Callbacks *callbacks;
} Model;

enum { OK, WARNING, DISCARD, ERROR, FATAL };

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }

void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *place,
                      const Callbacks *callbacks, int visible, int logging) {
    if (kind != 1 || strcmp(guid, "{token}") || strncmp(place, "file:///", 8)) return NULL;
#if FAULT == 7
    callbacks->logger(callbacks->environment, name, ERROR, "error", "no licence");
    return NULL;
#endif
    Model *own = callbacks->allocate(1, sizeof(Model));
    own->callbacks = callbacks;
    own->u = 1; own->k = 2; own->x = 0.5;
#if FAULT == 6 || FAULT == 10
    printf("rubbish\n");
    fflush(stdout);
#endif
    return own;
}
void fmi2FreeInstance(void *own) { if (own) ((Model *)own)->callbacks->release(own); }
int fmi2SetupExperiment(void *own, int has, double tolerance, double start, int stops, double stop) { return OK; }
int fmi2EnterInitializationMode(void *own) { return OK; }
int fmi2ExitInitializationMode(void *own) { return OK; }
int fmi2Terminate(void *own) { return OK; }
int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
    Model *own = c;
    for (size_t i = 0; i < n; i++)
        switch (r[i]) {
        case 0: own->u = v[i]; break;
        case 1: own->k = v[i]; break;
        case 2: own->x = v[i]; break;
        default: return ERROR;
        }
    return OK;
}
int fmi2SetRealInputDerivatives(void *c, const unsigned *r, size_t n, const int *order, const double *v) {
    if (n != 1 || r[0] != 0 || order[0] != 1) return ERROR;
    ((Model *)c)->slope = v[0];
    return OK;
}
int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
    Model *own = c;
    for (size_t i = 0; i < n; i++) {
        if (r[i] != 2) return ERROR;
        v[i] = own->x;
    }
    return OK;
}
int fmi2GetInteger(void *c, const unsigned *r, size_t n, int *v) {
    for (size_t i = 0; i < n; i++) v[i] = ((Model *)c)->n;
    return OK;
}
int fmi2GetBoolean(void *c, const unsigned *r, size_t n, int *v) {
    for (size_t i = 0; i < n; i++) v[i] = ((Model *)c)->on;
    return OK;
}
int fmi2SetBoolean(void *c, const unsigned *r, size_t n, const int *v) { return OK; }
int fmi2SetInteger(void *c, const unsigned *r, size_t n, const int *v) { return OK; }
int fmi2GetBooleanStatus(void *c, int kind, int *value) { *value = FAULT == 6; return OK; }
#if FAULT != 8
int fmi2DoStep(void *c, double t, double h, int keep) {
    Model *own = c;
    if (t > 0.25) {
        switch (FAULT) {
        case 1: *(volatile int *)0 = 1; break;
        case 2: sleep(60); break;
        case 3: own->x = NAN; return OK;
        case 4:
            own->callbacks->logger(own->callbacks->environment, "m", ERROR, "e", "too hot");
            return ERROR;
        case 5: case 6: return DISCARD;
        case 9: exit(3);
        case 10: printf("more rubbish\n"); fflush(stdout); write(0, "rubbish", 7); break;
        }
    }
    own->x += h * (own->k * (own->u + own->slope * h / 2) - own->x);
    own->n++;
    own->on = own->x > 1.5;
    return OK;
}
#endif
#if FAULT == 0
#define VERSION 2
static int restore(Model *own, const Model *from) {
    const Callbacks *callbacks = own->callbacks;
    *own = *from;
    own->callbacks = callbacks;
    return OK;
}
#define RESTORE(own, from) restore(own, from)
#include "states.h"
#endif
