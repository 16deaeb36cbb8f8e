//! Colours and strokes.

use crate::letters::FAMILY;
use crate::size::{NAME, SMALL, TEXT};

/// The style sheet inside the figure. Kinds of wires differ in stroke as well as in colour, so that
/// they can be distinguished in a black-and-white print.
pub(super) fn style() -> String {
    let (title, key) = (NAME + 3, SMALL + 1);
    format!(
        "<style>\n\
         text{{font-family:{FAMILY};fill:#1f2933}}\n\
         .sheet{{fill:#ffffff}}\n\
         .title{{font-size:{title}px;font-weight:bold}}\n\
         .frame{{fill:#52667a;fill-opacity:.055;stroke:#8495a8;stroke-width:1.2}}\n\
         .head{{font-size:{NAME}px;font-weight:bold;fill:#3e4c59}}\n\
         .body{{fill:#ffffff;stroke:#334e68;stroke-width:1.4}}\n\
         .formula{{fill:#fff8e6;stroke:#c9a24a;stroke-width:1.1}}\n\
         .closed{{fill:#e8eef5;stroke:#334e68;stroke-width:1.4}}\n\
         .name{{font-size:{NAME}px;font-weight:bold;text-anchor:middle}}\n\
         .text{{font-size:{TEXT}px;text-anchor:middle}}\n\
         .kind{{font-size:{SMALL}px;text-anchor:middle;fill:#627d98}}\n\
         .port{{font-size:{SMALL}px;fill:#52667a}}\n\
         .label{{font-size:{SMALL}px;fill:#7a5c12}}\n\
         .key{{font-size:{key}px}}\n\
         .right{{text-anchor:end}}\n\
         .icon{{fill:none;stroke:#627d98;stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}}\n\
         .pin{{fill:#ffffff;stroke:#52667a;stroke-width:1.1}}\n\
         .badge{{fill:#334e68}}\n\
         .number{{font-size:9px;font-weight:bold;fill:#ffffff;text-anchor:middle}}\n\
         .rule{{stroke:#d9e2ec;stroke-width:1;fill:none}}\n\
         .wire{{fill:none;stroke-width:1.5;stroke-linejoin:round}}\n\
         .continuous{{stroke:#0b5394}}\n\
         .held{{stroke:#00796b}}\n\
         .discrete{{stroke:#b45309;stroke-dasharray:6 3}}\n\
         .impulsive{{stroke:#7b1fa2;stroke-width:4.4}}\n\
         .core{{stroke:#ffffff;stroke-width:1.6}}\n\
         .constant{{stroke:#9aa5b1}}\n\
         .looped{{stroke:#d50000;stroke-width:2.6;stroke-dasharray:none}}\n\
         .tip{{stroke:none}}\n\
         .tip.continuous,.dot.continuous{{fill:#0b5394}}\n\
         .tip.held,.dot.held{{fill:#00796b}}\n\
         .tip.discrete,.dot.discrete{{fill:#b45309}}\n\
         .tip.impulsive,.dot.impulsive{{fill:#7b1fa2}}\n\
         .tip.constant,.dot.constant{{fill:#9aa5b1}}\n\
         .tip.looped,.dot.looped{{fill:#d50000}}\n\
         .dot{{stroke:none}}\n\
         .move{{fill:none;stroke:#334e68;stroke-width:1.5;stroke-linejoin:round}}\n\
         .history{{stroke-dasharray:6 3}}\n\
         .start{{fill:#334e68;stroke:none}}\n\
         rect.looped{{stroke:#d50000;stroke-width:2.2}}\n\
         </style>\n"
    )
}
