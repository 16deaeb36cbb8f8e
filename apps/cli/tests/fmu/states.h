/* The functions that keep states of a Model and make bytes of them, for FMI 2.0 or 3.0 (VERSION).
   RESTORE(instance, state) gives an instance a state and is the status of that. */
#if VERSION == 2
#define STATE(before, after) fmi2##before##FMUstate##after
#define DESERIALISE fmi2DeSerializeFMUstate
#else
#define STATE(before, after) fmi3##before##FMUState##after
#define DESERIALISE fmi3DeserializeFMUState
#endif

int STATE(Get, )(void *c, void **s) {
    if (!*s) *s = malloc(sizeof(Model));
    memcpy(*s, c, sizeof(Model));
    return 0;
}
int STATE(Set, )(void *c, void *s) { return RESTORE((Model *)c, (Model *)s); }
int STATE(Free, )(void *c, void **s) { free(*s); *s = NULL; return 0; }
int STATE(Serialized, Size)(void *c, void *s, size_t *n) { *n = sizeof(Model); return 0; }
int STATE(Serialize, )(void *c, void *s, char *b, size_t n) { memcpy(b, s, n); return 0; }
int DESERIALISE(void *c, const char *b, size_t n, void **s) {
    if (!*s) *s = malloc(sizeof(Model));
    memcpy(*s, b, n);
    return 0;
}
