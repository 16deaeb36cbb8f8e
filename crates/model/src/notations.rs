//! What other tools have as blocks and a model here writes as an expression or a section.

use crate::forms::Form;

const fn notation(
    name: &'static str,
    category: &'static str,
    summary: &'static str,
    aliases: &'static [&'static str],
) -> Form {
    Form { name, category, summary, aliases }
}

/// How models write what users of other tools look for among the blocks. Every function of the
/// expression language is among them.
pub const NOTATIONS: [Form; 25] = [
    notation(
        "[a, b]",
        "Expressions",
        "A vector of signals, in any expression; `[[a, b], [c, d]]` is a matrix.",
        &[
            "Mux",
            "Multiplex",
            "Bus Creator",
            "Concatenate",
            "Vector Concatenate",
            "Matrix Concatenate",
            "Reshape",
            "VectorAssembler",
            "Multiplex2",
            "Squeeze",
            "ElementsToArray",
            "Assignment",
        ],
    ),
    notation(
        "v[i]",
        "Expressions",
        "An element of a vector, counted from 0; `m[i, j]` of a matrix, whose row is `m[i]`.",
        &[
            "Demux",
            "DeMultiplex",
            "Selector",
            "Bus Selector",
            "VectorDisassembler",
            "DeMultiplex2",
            "ArrayToElements",
            "ArrayExtract",
            "Submatrix",
            "Permute Matrix",
        ],
    ),
    notation(
        "block.output",
        "Expressions",
        "The signal of another block, wherever that is in the diagram; there are no lines to draw.",
        &[
            "Goto",
            "From",
            "Wireless",
            "Connection",
            "Wire",
            "Data Store Memory",
            "Data Store Read",
            "RealPassThrough",
            "BooleanPassThrough",
            "Signal Specification",
            "Probe",
        ],
    ),
    notation(
        "a + b * c",
        "Expressions",
        "Sums, products, quotients and powers, of matrices too, in any expression.",
        &[
            "Add",
            "Subtract",
            "Bias",
            "Matrix Multiply",
            "AddSubtract",
            "MultiplyDivide",
            "Feedback",
        ],
    ),
    notation(
        "a < b and c",
        "Expressions",
        "Comparisons and logic, in any expression; the times of their changes are located.",
        &[
            "Relational Operator",
            "Logical Operator",
            "Compare To Constant",
            "Compare To Zero",
            "Interval Test",
            "LogicGate",
            "LogicFunction",
            "Comparator",
            "And",
            "Or",
            "Not",
            "Xor",
            "GreaterThreshold",
            "LessThreshold",
            "Interval Test Dynamic",
            "Combinatorial Logic",
            "Equals",
            "Nand",
            "Nor",
        ],
    ),
    notation(
        "if c then a else b",
        "Expressions",
        "The choice between two signals, in any expression; the times of its changes are located.",
        &[
            "If",
            "Conditional",
            "LogicalSwitch",
            "BooleanToReal",
            "BooleanToInteger",
            "Wrap to Zero",
        ],
    ),
    notation(
        "sin(x)",
        "Functions",
        "Trigonometry: sin, cos, tan, asin, acos, atan and atan2(y, x), in radians.",
        &[
            "Trigonometric Function",
            "TrigFunction",
            "Sin",
            "Cos",
            "Atan2",
            "SineVariableFrequencyAndAmplitude",
        ],
    ),
    notation(
        "sinh(x)",
        "Functions",
        "Hyperbolic functions: sinh, cosh, tanh, asinh, acosh and atanh.",
        &["Hyperbolic Function"],
    ),
    notation(
        "exp(x)",
        "Functions",
        "Exponential function, logarithms and roots: exp, log (natural), log10, log2, sqrt, hypot.",
        &[
            "Math Function",
            "MathFunction",
            "Exponential",
            "Logarithm",
            "Square Root",
            "Sqrt",
            "Reciprocal Sqrt",
            "Exp",
            "ExpSine",
            "Exponentials",
        ],
    ),
    notation(
        "abs(x)",
        "Functions",
        "Magnitude and sign: abs and sign; kinks and jumps are located.",
        &["Absolute Value", "AbsoluteValue", "Sign", "Signum", "AbsoluteDifference"],
    ),
    notation(
        "floor(x)",
        "Functions",
        "Rounding: floor, ceil, round, and mod(x, y); jumps are located.",
        &[
            "Rounding Function",
            "Round",
            "Remainder",
            "Modulo",
            "RealToInteger",
            "Data Type Conversion",
        ],
    ),
    notation(
        "max(a, b)",
        "Functions",
        "The greatest and least of several signals, or of the elements of one: max and min.",
        &["MinMax", "Maximum", "Minimum", "VariableLimiter", "Dead Zone Dynamic"],
    ),
    notation(
        "sum(v)",
        "Functions",
        "The sum and the product of all elements: sum and prod.",
        &["Sum of Elements", "Product of Elements"],
    ),
    notation(
        "dot(a, b)",
        "Functions",
        "Products and length of vectors: dot, cross and norm.",
        &["Dot Product", "Cross Product", "Norm"],
    ),
    notation(
        "solve(A, b)",
        "Functions",
        "Linear algebra: solve(A, b) is the x of A*x = b; inverse, det (determinant), transpose.",
        &[
            "Linear Solve",
            "Linear Solver",
            "Matrix Inverse",
            "Determinant",
            "Matrix Transpose",
            "Permute Dimensions",
        ],
    ),
    notation(
        "zeros(n)",
        "Functions",
        "Vectors and matrices of constant size, and sizes: zeros, ones, identity, length, rows, \
         columns.",
        &["IdentityMatrix", "Width", "ArrayLength"],
    ),
    notation(
        "when(c, s)",
        "Functions",
        "Events that pass if a condition holds, and whether there are any: when and present.",
        &["IsPresent", "Valid"],
    ),
    notation(
        "previous(s)",
        "Functions",
        "Earlier values: previous (microstep), left (limit), last (event).",
        &["Past Value", "Detect Increase", "Detect Decrease", "TimeGap"],
    ),
    notation(
        "delta(time - t0)",
        "Functions",
        "A Dirac impulse, or a derivative of one, at a constant time.",
        &["Dirac", "Unit Impulse"],
    ),
    notation(
        "inputs:",
        "Sections",
        "Signals from outside: from a table in a file, the command line or the program around it.",
        &[
            "From File",
            "FromFile",
            "From Workspace",
            "From Spreadsheet",
            "Signal Editor",
            "Inport",
            "CombiTimeTable",
            "CSVReader",
            "In1",
        ],
    ),
    notation(
        "record:",
        "Sections",
        "The signals of the result; `plots:` draws them. What is not recorded needs no end.",
        &[
            "Scope",
            "Display",
            "To File",
            "To Workspace",
            "Terminator",
            "Outport",
            "TimedPlotter",
            "XYPlotter",
            "Out1",
            "XY Graph",
            "Entity Terminator",
        ],
    ),
    notation(
        "diagrams:",
        "Sections",
        "Diagrams with inputs, outputs and parameters; instances can be enabled and triggered.",
        &[
            "Subsystem",
            "Enabled Subsystem",
            "Triggered Subsystem",
            "Composite",
            "CompositeActor",
            "Model Reference",
            "SubModel",
            "Resettable Subsystem",
        ],
    ),
    notation(
        "solve:",
        "Sections",
        "Algebraic loops that are solved: `solve: true`, or `solve: {x: 1}` with a first guess.",
        &["Algebraic Constraint", "InverseBlockConstraints", "Implicit Equation", "Algebraic Loop"],
    ),
    notation(
        "functions:",
        "Sections",
        "Functions of your own for expressions, such as `f(x, y): x + y`.",
        &[
            "MATLAB Function",
            "User-Defined Function",
            "Fcn",
            "ExpressionToToken",
            "Interpreted MATLAB Function",
            "S-Function",
        ],
    ),
    notation(
        "for:",
        "Blocks",
        "An array of blocks: `for: {i: 10}` makes ten, each with its own i.",
        &[
            "For Each",
            "For Each Subsystem",
            "MultiInstanceComposite",
            "Replicator",
            "For Iterator Subsystem",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::NOTATIONS;

    #[test]
    fn every_function_is_in_a_notation() {
        for (_, function, _, _) in expr::Function::table() {
            let words = |text: &'static str| text.split(|c: char| !c.is_alphanumeric());
            let has = |text| words(text).any(|word| word == *function);
            assert!(NOTATIONS.iter().any(|own| has(own.name) || has(own.summary)), "{function}");
        }
    }

    #[test]
    fn a_name_of_another_tool_means_one_notation() {
        let all = || NOTATIONS.iter().flat_map(|own| own.aliases.iter().map(move |a| (own, a)));
        for (own, alias) in all() {
            let known = NOTATIONS.iter().filter(|other| other.is_known_as(alias));
            assert_eq!(known.map(|other| other.name).collect::<Vec<_>>(), [own.name], "{alias}");
        }
    }
}
