//! Curves as SVG, for a page without scripts.

use earlydrop_report::figure::escape;

use crate::draw::ticks;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 280.0;
/// Left, right, top and bottom of the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 708.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 236.0;

/// A picture of several curves over the same two axes.
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) x_label: &'a str,
    pub(super) y_label: &'a str,
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
    pub(super) curves: Vec<(&'a str, Vec<(f64, f64)>)>,
    pub(super) marks: Vec<(f64, String)>,
}

impl Chart<'_> {
    fn at_x(&self, x: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * (x - self.x.0) / (self.x.1 - self.x.0)
    }

    /// Curves run along the edge where they leave the range.
    fn at_y(&self, y: f64) -> f64 {
        let y = y.clamp(self.y.0, self.y.1);
        BOTTOM - (BOTTOM - TOP) * (y - self.y.0) / (self.y.1 - self.y.0)
    }

    /// The picture as an element with its title for those who do not see it.
    pub(super) fn render(&self) -> String {
        let mut svg = format!(
            "<figure><figcaption>{title}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">",
            title = escape(self.title)
        );
        for (y, label) in ticks(self.y, 5) {
            let at = self.at_y(y);
            svg += &format!(
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text class=\"y\" x=\"{x}\" y=\"{y:.1}\">{label}</text>",
                x = LEFT - 8.0,
                y = at + 4.0
            );
        }
        for (x, label) in ticks(self.x, 8) {
            let at = self.at_x(x);
            svg += &format!(
                "<text class=\"x\" x=\"{at:.1}\" y=\"{y}\">{label}</text>",
                y = BOTTOM + 18.0
            );
        }
        for (index, (x, label)) in self.marks.iter().enumerate() {
            let at = self.at_x(*x);
            let above = if index % 2 == 0 {
                TOP - 6.0
            } else {
                TOP - 20.0
            };
            svg += &format!(
                "<path class=\"mark\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/><text class=\"x\" x=\"{at:.1}\" y=\"{above}\">{}</text>",
                escape(label)
            );
        }
        for (index, (name, points)) in self.curves.iter().enumerate() {
            let place = |(x, y): &(f64, f64)| format!("{:.1},{:.1}", self.at_x(*x), self.at_y(*y));
            let points: Vec<String> = points.iter().map(place).collect();
            svg += &format!(
                "<polyline class=\"curve c{index}\" points=\"{}\"><title>{}</title></polyline>",
                points.join(" "),
                escape(name)
            );
        }
        svg += &format!(
            "<text class=\"x\" x=\"{x}\" y=\"{y}\">{}</text><text class=\"label\" x=\"{LEFT}\" y=\"12\">{}</text></svg>",
            escape(self.x_label),
            escape(self.y_label),
            x = 0.5 * (LEFT + RIGHT),
            y = BOTTOM + 38.0
        );
        if self.curves.len() > 1 {
            let names = self.curves.iter().enumerate();
            let legend: Vec<String> = names
                .map(|(index, (name, _))| {
                    format!("<span class=\"c{index}\">{}</span>", escape(name))
                })
                .collect();
            svg += &format!("<p class=\"legend\">{}</p>", legend.join(" "));
        }
        svg + "</figure>\n"
    }
}
