//! The coefficients of Rodas5P.
//!
//! G. Steinebach, "Construction of Rosenbrock-Wanner method Rodas5P and numerical benchmarks within
//! the Julia Differential Equations package", BIT Numer. Math. 63 (2023). Eight stages, order 5
//! with an embedded solution of order 4, stiffly accurate and L-stable, with dense output of order
//! 4.
//!
//! They are those of the form without products of the matrix with vectors (E. Hairer, G. Wanner,
//! "Solving Ordinary Differential Equations II", IV.7): with W = I / (h γ) - df/dx the stages are
//!
//! ```text
//! W u_i = f(t + c_i h, x0 + Σ a_ij u_j) + h d_i df/dt + Σ (C_ij / h) u_j
//! ```
//!
//! The sixth stage is at the end of the step; the arguments of the seventh and the eighth and
//! the end itself are that of the stage before and its u. The last u is the error estimate.

/// γ, which is also the first d.
pub(crate) const GAMMA: f64 = 0.21193756319429014;

/// The number of stages.
pub(crate) const STAGES: usize = 8;

/// The nodes of the stages after the first; from the sixth stage on they are 1.
pub(crate) const NODES: [f64; 4] =
    [0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664];

/// The shares of df/dt in the first five stages.
pub(crate) const TIME: [f64; 5] =
    [GAMMA, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069];

/// The rows of a, from the second stage to the sixth.
pub(crate) const A2: [f64; 1] = [3.0];
pub(crate) const A3: [f64; 2] = [2.849394379747939, 0.45842242204463923];
pub(crate) const A4: [f64; 3] = [-6.954028509809101, 2.489845061869568, -10.358996098473584];
pub(crate) const A5: [f64; 4] =
    [2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641];
pub(crate) const A6: [f64; 5] = [
    -7.502846399306121,
    2.561846144803919,
    -11.627539656261098,
    -0.18268767659942256,
    0.030198172008377946,
];

/// The rows of C, from the second stage to the eighth.
pub(crate) const C2: [f64; 1] = [-14.155112264123755];
pub(crate) const C3: [f64; 2] = [-17.97296035885952, -2.859693295451294];
pub(crate) const C4: [f64; 3] = [147.12150275711716, -1.41221402718213, 71.68940251302358];
pub(crate) const C5: [f64; 4] =
    [165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306];
pub(crate) const C6: [f64; 5] = [
    24.854864614690072,
    -3.0009227002832186,
    47.4931110020768,
    5.5814197821558125,
    -0.6610691825249471,
];
pub(crate) const C7: [f64; 6] = [
    30.91273214028599,
    -3.1208243349937974,
    77.79954646070892,
    34.28646028294783,
    -19.097331116725623,
    -28.087943162872662,
];
pub(crate) const C8: [f64; 7] = [
    37.80277123390563,
    -3.2571969029072276,
    112.26918849496327,
    66.9347231244047,
    -40.06618937091002,
    -54.66780262877968,
    -9.48861652309627,
];

/// The dense output is x0 + θ (x1 - x0) + θ (1 - θ) Σ (p_j + θ (q_j + θ r_j)) u_j; these are the
/// p, the q and the r.
pub(crate) const DENSE: [[f64; STAGES]; 3] = [
    [
        25.948786856663858,
        -2.5579724845846235,
        10.433815404888879,
        -2.3679251022685204,
        0.524948541321073,
        1.1241088310450404,
        0.4272876194431874,
        -0.17202221070155493,
    ],
    [
        -9.91568850695171,
        -0.9689944594115154,
        3.0438037242978453,
        -24.495224566215796,
        20.176138334709044,
        15.98066361424651,
        -6.789040303419874,
        -6.710236069923372,
    ],
    [
        11.419903575922262,
        2.8879645146136994,
        72.92137995996029,
        80.12511834622643,
        -52.072871366152654,
        -59.78993625266729,
        -0.15582684282751913,
        4.883087185713722,
    ],
];
