/* SUNDIALS: ARKODE with Dormand and Prince's pair for A, B, C and E; CVODE's BDF for D. */

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

enum { MASSES = 1000 };

static SUNContext context;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static int lorenz(double t, N_Vector state, N_Vector slopes, void *data) {
    double *x = N_VGetArrayPointer(state), *dx = N_VGetArrayPointer(slopes), rho = *(double *)data;
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = x[0] * (rho - x[2]) - x[1];
    dx[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
    return 0;
}

static int ball(double t, N_Vector state, N_Vector slopes, void *data) {
    double *x = N_VGetArrayPointer(state), *dx = N_VGetArrayPointer(slopes);
    dx[0] = x[1];
    dx[1] = -9.81;
    return 0;
}

static int height(double t, N_Vector state, double *root, void *data) {
    root[0] = N_VGetArrayPointer(state)[0];
    return 0;
}

static int chain(double t, N_Vector state, N_Vector slopes, void *data) {
    double *x = N_VGetArrayPointer(state), *dx = N_VGetArrayPointer(slopes);
    double *v = x + MASSES, *dv = dx + MASSES;
    for (int i = 0; i < MASSES; i++) {
        double left = i > 0 ? x[i - 1] : 0, right = i + 1 < MASSES ? x[i + 1] : 0;
        dx[i] = v[i];
        dv[i] = left - 2 * x[i] + right - 0.01 * v[i];
    }
    return 0;
}

static int robertson(double t, N_Vector state, N_Vector slopes, void *data) {
    double *x = N_VGetArrayPointer(state), *dx = N_VGetArrayPointer(slopes);
    dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    dx[2] = 3e7 * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
    return 0;
}

static int jacobian(double t, N_Vector state, N_Vector slopes, SUNMatrix matrix, void *data,
                    N_Vector a, N_Vector b, N_Vector c) {
    double *x = N_VGetArrayPointer(state);
    double rows[3][3] = {{-0.04, 1e4 * x[2], 1e4 * x[1]}, {0}, {0, 6e7 * x[1], 0}};
    for (int j = 0; j < 3; j++) {
        rows[1][j] = -rows[0][j] - rows[2][j];
        for (int i = 0; i < 3; i++) SM_ELEMENT_D(matrix, i, j) = rows[i][j];
    }
    return 0;
}

/* An ARKODE solver that must not pass the end. */
static void *explicit_solver(ARKRhsFn slopes, N_Vector state, double *data, double stop) {
    void *solver = ERKStepCreate(slopes, 0, state, context);
    ERKStepSStolerances(solver, 1e-6, 1e-6);
    ERKStepSetTableNum(solver, ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSetMaxNumSteps(solver, 10000000);
    ERKStepSetUserData(solver, data);
    ERKStepSetStopTime(solver, stop);
    return solver;
}

static int solve_lorenz(double rho, double *end) {
    N_Vector state = N_VNew_Serial(3, context);
    N_VConst(1, state);
    double t;
    void *solver = explicit_solver(lorenz, state, &rho, 20);
    int flag = ERKStepEvolve(solver, 20, state, &t, ARK_NORMAL);
    for (int i = 0; i < 3; i++) end[i] = N_VGetArrayPointer(state)[i];
    ERKStepFree(&solver);
    N_VDestroy(state);
    return flag;
}

static int run_lorenz(double *end) { return solve_lorenz(28, end); }

static int run_ball(double *end) {
    N_Vector state = N_VNew_Serial(2, context);
    double *x = N_VGetArrayPointer(state), t = 0;
    int falling = -1, flag;
    x[0] = 10;
    x[1] = 0;
    void *solver = explicit_solver(ball, state, NULL, 20);
    ERKStepRootInit(solver, 1, height);
    ERKStepSetRootDirection(solver, &falling);
    while ((flag = ERKStepEvolve(solver, 20, state, &t, ARK_NORMAL)) == ARK_ROOT_RETURN) {
        end[0] = t;
        x[0] = 0;
        x[1] *= -0.9;
        ERKStepReset(solver, t, state);
        ERKStepSetStopTime(solver, 20);
    }
    ERKStepFree(&solver);
    N_VDestroy(state);
    return flag;
}

static int run_chain(double *end) {
    N_Vector state = N_VNew_Serial(2 * MASSES, context);
    double *x = N_VGetArrayPointer(state), t;
    for (int i = 0; i < MASSES; i++) {
        x[i] = sin(0.7 * i);
        x[MASSES + i] = 0;
    }
    void *solver = explicit_solver(chain, state, NULL, 10);
    int flag = ERKStepEvolve(solver, 10, state, &t, ARK_NORMAL);
    for (int i = 0; i < MASSES; i++) end[i] = x[i];
    ERKStepFree(&solver);
    N_VDestroy(state);
    return flag;
}

static int run_robertson(double *end) {
    N_Vector state = N_VNew_Serial(3, context);
    double *x = N_VGetArrayPointer(state), t;
    x[0] = 1;
    x[1] = x[2] = 0;
    void *solver = CVodeCreate(CV_BDF, context);
    CVodeInit(solver, robertson, 0, state);
    CVodeSStolerances(solver, 1e-6, 1e-10);
    CVodeSetMaxNumSteps(solver, 1000000);
    CVodeSetStopTime(solver, 1e5);
    SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
    SUNLinearSolver linear = SUNLinSol_Dense(state, matrix, context);
    CVodeSetLinearSolver(solver, linear, matrix);
    CVodeSetJacFn(solver, jacobian);
    int flag = CVode(solver, 1e5, state, &t, CV_NORMAL);
    for (int i = 0; i < 3; i++) end[i] = x[i];
    CVodeFree(&solver);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(state);
    return flag;
}

/* Tells the letter, the time of a run and the values at its end. */
static void tell(const char *name, int (*run)(double *), int values) {
    double end[MASSES] = {0}, best = INFINITY, begin = now();
    for (int i = 0; i < 50 && (i < 2 || now() - begin < 5); i++) {
        double start = now();
        int flag = run(end);
        if (flag < 0) {
            printf("%s failed: flag %d\n", name, flag);
            return;
        }
        if (now() - start < best) best = now() - start;
    }
    printf("%s %.9e", name, best);
    for (int i = 0; i < values; i++) printf(" %.17e", end[i]);
    printf("\n");
}

int main(void) {
    double end[3], start;
    SUNContext_Create(NULL, &context);
    tell("A", run_lorenz, 3);
    tell("B", run_ball, 1);
    tell("C", run_chain, MASSES);
    tell("D", run_robertson, 3);
    start = now();
    for (int i = 0; i < 1000; i++) solve_lorenz(24 + 8 * i / 1e3, end);
    /* A tenth of them is long enough. */
    printf("E %.9e\n", 10 * (now() - start));
    SUNContext_Free(&context);
    return 0;
}
