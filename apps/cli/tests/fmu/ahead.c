/* A small FMU for Co-Simulation of FMI 2.0 or 3.0 (VERSION) that can be set back: a ball on a floor, a
   sum of an input and a gate. It solves itself exactly. It fails if a function is called where the
   standard does not allow it, or if a step does not begin where the one before has ended.

   A step that would pass a bounce ends there: with FMI 3.0 early, for event mode; with FMI 2.0 it is
   discarded with the time of the bounce. FAULT chooses another behaviour: 1, bounces happen within
   steps without a word; 2, it discards all steps after a time; 3, it ends the run at a time;
   4, FMI 3.0 without event mode. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { MADE = 1, INITIALISING = 2, EVENT = 4, STEP = 8, FAILED = 16, TERMINATED = 32 };

#include "versions.h"

typedef struct {
    int mode, events;
    Log log;
    void *environment;
    double time, h, v, u, x, reached;
    int bounces, gate, gates, ended;
} Model;

#include "modes.h"

#if VERSION == 2
void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *place, const Callbacks *own, int visible, int logging) {
    if (kind != 1 || strcmp(guid, "{token}")) return NULL;
    Log log = own->logger;
    void *environment = own->environment;
    int events = 0;
#else
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *place, bool visible,
                                  bool logging, bool events, bool early, const uint32_t *r, size_t n,
                                  void *environment, Log log, void *update) {
    if (strcmp(token, "{token}") || events != (FAULT != 4) || !early) return NULL;
#endif
    Model *m = calloc(1, sizeof(Model));
    m->mode = MADE; m->log = log; m->environment = environment; m->events = events;
    m->h = 1;
    return m;
}
int F(ExitInitializationMode)(void *c) {
    ONLY(INITIALISING);
    ((Model *)c)->mode = ((Model *)c)->events ? EVENT : STEP;
    return OK;
}
int F(Terminate)(void *c) { ONLY(EVENT | STEP | FAILED); ((Model *)c)->mode = TERMINATED; return OK; }

/* 0 u, 1 gate, 2 h, 3 x, 4 bounces, 5 gates */
#if VERSION == 2
int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
#else
int fmi3SetFloat64(void *c, const uint32_t *r, size_t n, const double *v, size_t count) {
#endif
    if (n == 0) return OK;
    ONLY(MADE | INITIALISING | EVENT | STEP);
    if (n != 1 || r[0] != 0) return refuse(c, "no such input");
    ((Model *)c)->u = v[0];
    return OK;
}
#if VERSION == 2
int fmi2SetBoolean(void *c, const unsigned *r, size_t n, const int *v) {
#else
int fmi3SetBoolean(void *c, const uint32_t *r, size_t n, const bool *v, size_t count) {
#endif
    Model *m = c;
    ONLY(MADE | INITIALISING | EVENT | (m->events ? 0 : STEP));
    if (n != 1 || r[0] != 1) return refuse(c, "no such input");
    int on = v[0] != 0;
    if (on && !m->gate) m->gates++;
    m->gate = on;
    return OK;
}
#if VERSION == 2
int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
#else
int fmi3GetFloat64(void *c, const uint32_t *r, size_t n, double *v, size_t count) {
#endif
    ONLY(INITIALISING | EVENT | STEP | FAILED);
    for (size_t i = 0; i < n; i++)
        switch (r[i]) {
        case 2: v[i] = ((Model *)c)->h; break;
        case 3: v[i] = ((Model *)c)->x; break;
        default: return refuse(c, "no such output");
        }
    return OK;
}
#if VERSION == 2
int fmi2GetInteger(void *c, const unsigned *r, size_t n, int *v) {
#else
int fmi3GetInt32(void *c, const uint32_t *r, size_t n, int32_t *v, size_t count) {
#endif
    ONLY(INITIALISING | EVENT | STEP | FAILED);
    for (size_t i = 0; i < n; i++) v[i] = r[i] == 4 ? ((Model *)c)->bounces : ((Model *)c)->gates;
    return OK;
}

/* The time until the ball is on the floor. */
static double fall(const Model *m) { return (m->v + sqrt(m->v * m->v + 20 * m->h)) / 10; }
static void fly(Model *m, double length) {
    m->h += m->v * length - 5 * length * length;
    m->v -= 10 * length;
    m->x += m->u * length;
    m->time += length;
}
static void bounce(Model *m) {
    m->h = 0;
    m->v = fabs(m->v) * 0.7;
    m->bounces++;
}
/* Advances as far as nothing happens. Returns whether something has. */
static int advance(Model *m, double end) {
    for (;;) {
        double rest = end - m->time, length = fall(m);
        if (length > rest + 1e-13) {
            fly(m, rest);
            m->time = end;
            return 0;
        }
        if (FAULT != 1) {
            m->reached = m->time + length;
            return 1;
        }
        fly(m, length);
        bounce(m);
    }
}
#if VERSION == 2
int fmi2DoStep(void *c, double t, double h, int keep) {
    ONLY(STEP);
    Model *m = c;
    if (fabs(t - m->time) > 1e-12) return refuse(m, "a step begins elsewhere");
    m->reached = t;
    if (FAULT == 2 && t + h > 0.4) { m->mode = FAILED; return DISCARD; }
    if (FAULT == 3 && t + h > 0.25) { m->mode = FAILED; m->ended = 1; m->reached = 0.25; return DISCARD; }
    if (!advance(m, t + h)) return OK;
    double rest = m->reached - m->time;
    if (m->reached < t + h - 1e-12) { m->mode = FAILED; return DISCARD; }
    /* The step ends on the floor. */
    fly(m, rest);
    m->time = t + h;
    bounce(m);
    return OK;
}
int fmi2GetBooleanStatus(void *c, int kind, int *value) { *value = kind == 3 && ((Model *)c)->ended; return OK; }
int fmi2GetRealStatus(void *c, int kind, double *value) { *value = ((Model *)c)->reached; return OK; }
#else
int fmi3DoStep(void *c, double t, double h, bool keep, bool *event, bool *end, bool *early, double *last) {
    ONLY(STEP);
    Model *m = c;
    if (fabs(t - m->time) > 1e-12) return refuse(m, "a step begins elsewhere");
    *event = *end = *early = false;
    *last = t + h;
    if (FAULT == 2 && t + h > 0.4) { *last = t; return DISCARD; }
    if (FAULT == 3 && t + h > 0.25) { *end = *early = true; *last = 0.25; m->mode = FAILED; return OK; }
    if (!advance(m, t + h)) return OK;
    fly(m, m->reached - m->time);
    *early = m->time < t + h - 1e-12;
    if (!*early) m->time = t + h;
    *last = m->time;
    *event = m->events;
    if (!m->events) bounce(m);
    m->h = 0;
    return OK;
}
int fmi3EnterEventMode(void *c) { ONLY(STEP); ((Model *)c)->mode = EVENT; return OK; }
int fmi3EnterStepMode(void *c) { ONLY(EVENT); ((Model *)c)->mode = STEP; return OK; }
int fmi3UpdateDiscreteStates(void *c, bool *more, bool *end, bool *nominals, bool *moved, bool *has, double *next) {
    ONLY(EVENT);
    *more = *end = *nominals = *moved = *has = false;
    if (((Model *)c)->h <= 0 && ((Model *)c)->v < 0) bounce(c);
    return OK;
}
#endif

static int restore(Model *m, const Model *from) {
    Model own = *m;
    *m = *from;
    m->log = own.log;
    m->environment = own.environment;
    return OK;
}
#define RESTORE(own, from) restore(own, from)
#include "states.h"
