use super::{Metric, Statistics};

/// Bars from low to high.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What stands for zero, and for what cannot be computed.
const ZERO: char = '·';
const NOTHING: char = ' ';

/// Draws one line of bars for each metric, a bar for each period.
pub fn plot(statistics: &Statistics) -> Vec<String> {
    let width = Metric::ALL.iter().map(|metric| metric.title().len()).max().unwrap_or(0);
    let line = |metric: Metric| {
        let values: Vec<Option<f64>> = statistics.periods.iter().map(|period| period.tally.value(metric)).collect();
        let highest = values.iter().flatten().copied().fold(0.0, f64::max);
        let bars = bars(&values, metric.most().unwrap_or(highest));
        let known = values.iter().flatten().copied();
        let range = match known.clone().reduce(f64::min) {
            Some(lowest) if lowest < highest => format!("{} to {}", metric.show(lowest), metric.show(highest)),
            Some(only) => metric.show(only),
            None => "not measured".to_owned(),
        };
        format!("{:width$}  |{bars}|  {range}", metric.title())
    };
    Metric::ALL.into_iter().map(line).collect()
}

fn bars(values: &[Option<f64>], most: f64) -> String {
    let bar = |value: &Option<f64>| match value {
        None => NOTHING,
        Some(value) if *value <= 0.0 || most <= 0.0 => ZERO,
        Some(value) => {
            let height = (value / most * BARS.len() as f64).ceil();
            let reached = (1..BARS.len()).take_while(|level| height > *level as f64).count();
            BARS[reached]
        }
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_order_zero_and_nothing() {
        let check = |values: &[Option<f64>], most: f64, expected: &str| assert_eq!(bars(values, most), expected);
        check(&[], 0.0, "");
        check(&[Some(0.0), None, Some(0.0)], 0.0, "· ·");
        check(&[Some(1.0), Some(4.0), Some(8.0), None, Some(0.0)], 8.0, "▁▄█ ·");
        check(&[Some(0.001), Some(1.0)], 1.0, "▁█");
        check(&[Some(0.5), Some(0.76)], 1.0, "▄▇");
    }
}
