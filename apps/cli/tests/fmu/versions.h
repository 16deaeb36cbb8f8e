/* What FMI 2.0 and 3.0 (VERSION) call the same things by, for the small FMUs of the tests. */
#if VERSION == 2
#define F(name) fmi2##name
typedef int flag;
typedef void (*Log)(void *, const char *, int, const char *, const char *, ...);
typedef struct { Log logger; void *(*allocate)(size_t, size_t); void (*release)(void *); void *finished, *environment; } Callbacks;
#define SAY(m, text) (m)->log((m)->environment, "m", ERROR, "e", text)
#else
#define F(name) fmi3##name
typedef bool flag;
typedef void (*Log)(void *, int, const char *, const char *);
#define SAY(m, text) (m)->log((m)->environment, ERROR, "e", text)
#endif
