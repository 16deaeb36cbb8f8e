/* The functions of FMI 2.0 that keep a Model, apart from the one that goes back to it. */
int fmi2GetFMUstate(void *c, void **s) {
    if (!*s) *s = malloc(sizeof(Model));
    memcpy(*s, c, sizeof(Model));
    return OK;
}
int fmi2FreeFMUstate(void *c, void **s) { free(*s); *s = NULL; return OK; }
int fmi2SerializedFMUstateSize(void *c, void *s, size_t *n) { *n = sizeof(Model); return OK; }
int fmi2SerializeFMUstate(void *c, void *s, char *b, size_t n) { memcpy(b, s, n); return OK; }
int fmi2DeSerializeFMUstate(void *c, const char *b, size_t n, void **s) {
    if (!*s) *s = malloc(sizeof(Model));
    memcpy(*s, b, n);
    return OK;
}
