//! Options for the appearance, each with a default that suits a paper.

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Color {
    /// Red, 0 to 255.
    pub red: u8,
    /// Green, 0 to 255.
    pub green: u8,
    /// Blue, 0 to 255.
    pub blue: u8,
}

impl Color {
    /// A colour from its components.
    pub const fn new(red: u8, green: u8, blue: u8) -> Color {
        Color { red, green, blue }
    }

    /// Parses a text such as `#0072b2`; `None` if it is not a colour.
    pub fn parse(text: &str) -> Option<Color> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let part = |from: usize| u8::from_str_radix(&digits[from..from + 2], 16).ok();
        Some(Color::new(part(0)?, part(2)?, part(4)?))
    }

    /// Mixes this fraction of the colour with white.
    pub(crate) fn paler(self, part: f64) -> Color {
        let mix = |own: u8| (255.0 - part * (255.0 - f64::from(own))).round() as u8;
        Color::new(mix(self.red), mix(self.green), mix(self.blue))
    }

    /// The colour at an index of the palette, which repeats.
    pub(crate) fn nth(place: usize) -> Color {
        PALETTE[place % PALETTE.len()]
    }

    pub(crate) fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

/// The colours of Okabe and Ito (2008), which people with any common form of colour blindness can
/// distinguish, without the yellow, which is too pale on white.
const PALETTE: [Color; 7] = [
    Color::new(0x00, 0x72, 0xb2),
    Color::new(0xd5, 0x5e, 0x00),
    Color::new(0x00, 0x9e, 0x73),
    Color::new(0xcc, 0x79, 0xa7),
    Color::new(0xe6, 0x9f, 0x00),
    Color::new(0x56, 0xb4, 0xe9),
    Color::new(0x00, 0x00, 0x00),
];

/// The colour and the dash pattern of the curve at this index in a panel. Past the palette the dash
/// pattern changes, so that no two of 21 curves look alike.
pub(crate) fn nth(place: usize) -> (Color, Dash) {
    let dash = [Dash::Solid, Dash::Dashed, Dash::Dotted][place / PALETTE.len() % 3];
    (PALETTE[place % PALETTE.len()], dash)
}

/// The dash pattern of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dash {
    /// A solid line.
    #[default]
    Solid,
    /// Strokes.
    Dashed,
    /// Dots.
    Dotted,
}

impl Dash {
    pub(crate) fn css(self) -> Option<&'static str> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some("6 3"),
            Dash::Dotted => Some("1.2 2.6"),
        }
    }
}

/// How the values of a signal are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Lines from row to row, with jumps drawn as jumps.
    Line,
    /// A stem from zero for each row in which the signal is present.
    Stems,
    /// A dot for each row in which the signal is present.
    Dots,
}

/// Which part of a signal is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Part {
    /// Its values and its impulses.
    #[default]
    Whole,
    /// Its values alone.
    Value,
    /// Its impulses alone.
    Impulses,
}

/// A unit in which times are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeUnit {
    /// 1 ns.
    Nanosecond,
    /// 1 µs.
    Microsecond,
    /// 1 ms.
    Millisecond,
    /// 1 s.
    Second,
    /// 1 min, which is 60 s.
    Minute,
    /// 1 h, which is 3600 s.
    Hour,
    /// 1 d, which is 86400 s.
    Day,
}

impl TimeUnit {
    /// How many of it make one second.
    pub(crate) fn per_second(self) -> f64 {
        match self {
            TimeUnit::Nanosecond => 1e9,
            TimeUnit::Microsecond => 1e6,
            TimeUnit::Millisecond => 1e3,
            TimeUnit::Second => 1.0,
            TimeUnit::Minute => 1.0 / 60.0,
            TimeUnit::Hour => 1.0 / 3600.0,
            TimeUnit::Day => 1.0 / 86400.0,
        }
    }

    /// Its symbol on an axis.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            TimeUnit::Nanosecond => "ns",
            TimeUnit::Microsecond => "µs",
            TimeUnit::Millisecond => "ms",
            TimeUnit::Second => "s",
            TimeUnit::Minute => "min",
            TimeUnit::Hour => "h",
            TimeUnit::Day => "d",
        }
    }

    /// Distances between ticks that read better than multiples of 1, 2 and 5, in ascending order:
    /// parts and multiples of an hour or a day.
    pub(crate) fn steps(self) -> &'static [u16] {
        match self {
            TimeUnit::Minute => &[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440],
            TimeUnit::Hour => &[1, 2, 3, 6, 12, 24, 48, 72, 120, 240],
            _ => &[],
        }
    }
}

/// Where the names of the signals of a panel are placed. They never cover data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Legend {
    /// To the right, or above if the names are long.
    #[default]
    Auto,
    /// To the right of the panel.
    Right,
    /// Above the panel.
    Top,
    /// Nowhere.
    Hidden,
}

/// How text is written into an SVG file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lettering {
    /// As text, which can be searched and edited; the viewer supplies the font.
    #[default]
    Text,
    /// As outlines, which look the same everywhere.
    Outlines,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_written() {
        assert_eq!(Color::parse("#0072B2"), Some(Color::new(0, 0x72, 0xb2)));
        assert_eq!(Color::new(0, 0x72, 0xb2).css(), "#0072b2");
        for bad in ["0072b2", "#0072b", "#0072bg", "#+072b2", "red\"", "#ééé"] {
            assert_eq!(Color::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn no_two_of_21_curves_look_alike() {
        let all: Vec<_> = (0..21).map(nth).collect();
        for (place, style) in all.iter().enumerate() {
            assert!(!all[..place].contains(style), "{place}");
        }
    }
}
