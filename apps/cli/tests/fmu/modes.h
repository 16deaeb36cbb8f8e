/* The modes of a Model, in which the standard allows some functions and no others, up to the
   initialisation. The modes MADE and INITIALISING are those of the file that includes this. */
static int refuse(Model *m, const char *why) { SAY(m, why); return ERROR; }
static int allowed(Model *m, int modes, const char *name) {
    if (m->mode & modes) return 1;
    char text[80];
    snprintf(text, sizeof text, "%s is not allowed in mode %d", name, m->mode);
    refuse(m, text);
    return 0;
}
#define ONLY(modes) if (!allowed(c, modes, __func__)) return ERROR

void F(FreeInstance)(void *c) { free(c); }
#if VERSION == 2
int fmi2SetupExperiment(void *c, int has, double tolerance, double start, int stops, double stop) {
    ONLY(MADE);
    ((Model *)c)->time = start;
    return OK;
}
int fmi2EnterInitializationMode(void *c) {
#else
int fmi3EnterInitializationMode(void *c, bool has, double tolerance, double start, bool stops, double stop) {
    ((Model *)c)->time = start;
#endif
    ONLY(MADE);
    ((Model *)c)->mode = INITIALISING;
    return OK;
}
