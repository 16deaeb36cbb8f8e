/* A small FMU for Model Exchange of FMI 2.0 or 3.0 (VERSION): a ball on a floor, a counter of time
   events and inputs. It fails if a function is called in a mode in which the standard does not allow
   it. FAULT chooses what is wrong with it. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { MADE = 1, INITIALISING = 2, EVENT = 4, CONTINUOUS = 8, TERMINATED = 16 };

#include "versions.h"

/* The period of time events: the third is due at 3 * 0.1, which is no decimal of one digit. */
#define PERIOD 0.1

typedef struct {
    int mode;
    Log log;
    void *environment;
    double time, h, v, e, u, level, last, next;
    int gate, count, events, twice, more, updated, steps, low, low_seen;
} Model;

#include "modes.h"

#if VERSION == 2
void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *place, const Callbacks *own, int visible, int logging) {
    if (kind != 0 || strcmp(guid, "{token}")) return NULL;
    Log log = own->logger;
    void *environment = own->environment;
#else
void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *place, bool visible, bool logging, void *environment, Log log) {
    if (strcmp(token, "{token}")) return NULL;
#endif
    Model *m = calloc(1, sizeof(Model));
    m->mode = MADE; m->log = log; m->environment = environment;
    m->h = 1; m->e = 0.7; m->next = INFINITY; m->level = 0.25;
    return m;
}
int F(ExitInitializationMode)(void *c) {
    ONLY(INITIALISING);
    Model *m = c;
    m->mode = EVENT; m->more = 1; m->last = m->time; m->next = PERIOD;
    return OK;
}
int F(Terminate)(void *c) { ONLY(EVENT | CONTINUOUS); ((Model *)c)->mode = TERMINATED; return OK; }

/* 0 h, 1 v, 2 der(h), 3 der(v), 4 e, 5 u, 6 gate, 7 count, 8 w = u + h, 9 z = h, 10 low, 11 level */
#if VERSION == 2
int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
#else
int fmi3SetFloat64(void *c, const uint32_t *r, size_t n, const double *v, size_t count) {
    if (count != n) return refuse(c, "counts differ");
#endif
    Model *m = c;
    for (size_t i = 0; i < n; i++)
        switch (r[i]) {
        case 0: ONLY(MADE | INITIALISING); m->h = v[i]; break;
        case 4: ONLY(MADE | INITIALISING); m->e = v[i]; break;
        case 5: ONLY(MADE | INITIALISING | EVENT | CONTINUOUS); m->u = v[i]; break;
        case 11: ONLY(MADE | INITIALISING | EVENT); m->level = v[i]; break;
        default: return refuse(m, "no such input");
        }
    return OK;
}
#if VERSION == 2
int fmi2SetBoolean(void *c, const unsigned *r, size_t n, const int *v) {
#else
int fmi3SetBoolean(void *c, const uint32_t *r, size_t n, const bool *v, size_t count) {
#endif
    ONLY(MADE | INITIALISING | EVENT);
    if (n != 1 || r[0] != 6) return refuse(c, "no such input");
    ((Model *)c)->gate = v[0] != 0;
    return OK;
}
static double gravity(Model *m) { return m->gate ? -20 : -10; }
#if VERSION == 2
int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
#else
int fmi3GetFloat64(void *c, const uint32_t *r, size_t n, double *v, size_t count) {
#endif
    ONLY(INITIALISING | EVENT | CONTINUOUS);
    Model *m = c;
    for (size_t i = 0; i < n; i++)
        switch (r[i]) {
        case 0: case 9: v[i] = m->h; break;
        case 1: v[i] = m->v; break;
        case 2: v[i] = m->v; break;
        case 3: v[i] = gravity(m); break;
        case 8: v[i] = m->u + m->h; break;
        case 10: v[i] = m->low; break;
        default: return refuse(m, "no such output");
        }
    return OK;
}
#if VERSION == 2
int fmi2GetInteger(void *c, const unsigned *r, size_t n, int *v) {
#else
int fmi3GetInt32(void *c, const uint32_t *r, size_t n, int32_t *v, size_t count) {
#endif
    ONLY(INITIALISING | EVENT | CONTINUOUS);
    for (size_t i = 0; i < n; i++) {
        if (r[i] != 7) return refuse(c, "no such output");
        v[i] = ((Model *)c)->count;
    }
    return OK;
}

int F(SetTime)(void *c, double time) {
    ONLY(CONTINUOUS);
    Model *m = c;
    if (time < m->last) return refuse(m, "time goes back to before an event");
    if (time > m->next) return refuse(m, "time goes past a time event");
    m->time = time;
    return OK;
}
int F(SetContinuousStates)(void *c, const double *x, size_t n) {
    ONLY(CONTINUOUS);
    if (n != 2) return refuse(c, "not two states");
    ((Model *)c)->h = x[0];
    ((Model *)c)->v = x[1];
    return OK;
}
int F(GetContinuousStates)(void *c, double *x, size_t n) {
    ONLY(INITIALISING | EVENT | CONTINUOUS);
    if (n != 2) return refuse(c, "not two states");
    x[0] = ((Model *)c)->h;
    x[1] = ((Model *)c)->v;
    return OK;
}
#if VERSION == 2
int fmi2GetDerivatives(void *c, double *x, size_t n) {
#else
int fmi3GetContinuousStateDerivatives(void *c, double *x, size_t n) {
#endif
    ONLY(INITIALISING | EVENT | CONTINUOUS);
    Model *m = c;
    if (n != 2) return refuse(c, "not two states");
    x[0] = m->v;
    x[1] = gravity(m);
    if (m->mode == CONTINUOUS && m->time > 0.35)
        switch (FAULT) {
        case 1: *(volatile int *)0 = 1; break;
        case 2: sleep(60); break;
        case 3: x[1] = NAN; break;
        case 4: return refuse(m, "too hot");
        }
    if (FAULT == 5) {
        /* h' = -sqrt(h), which no step may leave. */
        if (m->h < 0) return DISCARD;
        x[0] = -sqrt(m->h);
        x[1] = 0;
    }
    if (FAULT == 8) x[1] = -100 * m->h;
    return OK;
}
int F(GetEventIndicators)(void *c, double *z, size_t n) {
    ONLY(INITIALISING | EVENT | CONTINUOUS);
    if (n != 1) return refuse(c, "not one indicator");
    z[0] = FAULT == 5 || FAULT == 8 ? 1 : ((Model *)c)->h;
    return OK;
}
int F(EnterEventMode)(void *c) {
    ONLY(CONTINUOUS);
    Model *m = c;
    if (!m->steps && m->time > m->last) return refuse(m, "no step was completed before an event");
    m->mode = EVENT; m->more = 1; m->last = m->time;
    return OK;
}
int F(EnterContinuousTimeMode)(void *c) {
    ONLY(EVENT);
    if (((Model *)c)->more) return refuse(c, "the event is not over");
    ((Model *)c)->mode = CONTINUOUS;
    ((Model *)c)->steps = 0;
    return OK;
}
int F(CompletedIntegratorStep)(void *c, flag prior, flag *event, flag *end) {
    ONLY(CONTINUOUS);
    Model *m = c;
    if (!prior) return refuse(m, "nothing goes back");
    m->steps++;
    *event = !m->low && m->h < m->level;
    *end = 0;
    return OK;
}
static int update(Model *m, flag *more, flag *end, flag *moved, flag *has, double *next) {
    if (m->time >= m->next) {
        m->count++;
        m->events++;
        m->twice = 1;
        m->next = (m->events + 1) * PERIOD;
    } else if (m->twice) {
        m->twice = 0;
        m->count += 10;
    }
    if (!m->low && m->h < m->level) m->low = 1;
    *moved = 0;
    if (m->h <= 0 && m->v < 0 && FAULT != 8) {
        m->h = DBL_MIN;
        m->v *= -m->e;
        *moved = 1;
    }
    *more = m->more = m->twice;
    *end = FAULT == 6 && m->count > 40;
    *has = 1;
    *next = m->next;
    return FAULT == 7 && m->count > 20 ? refuse(m, "no update") : OK;
}
#if VERSION == 2
typedef struct { int more, end, nominals, moved, has; double next; } Info;
int fmi2NewDiscreteStates(void *c, Info *info) {
    ONLY(EVENT);
    info->nominals = 0;
    return update(c, &info->more, &info->end, &info->moved, &info->has, &info->next);
}
#else
int fmi3UpdateDiscreteStates(void *c, bool *more, bool *end, bool *nominals, bool *moved, bool *has, double *next) {
    ONLY(EVENT);
    *nominals = false;
    return update(c, more, end, moved, has, next);
}
#endif
#if VERSION == 2
static int restore(Model *m, const Model *from) {
    Model own = *m;
    *m = *from;
    m->log = own.log;
    m->environment = own.environment;
    return own.mode == m->mode ? OK : refuse(m, "another mode");
}
#define RESTORE(own, from) restore(own, from)
#include "states.h"
#endif
