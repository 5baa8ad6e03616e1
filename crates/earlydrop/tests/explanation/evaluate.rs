//! Evaluates plain arithmetic: numbers, `+ - * / ^`, parentheses, `min`, `max` and `sqrt`.

/// The value of `text`; an error names what is left where it cannot be read.
pub(crate) fn evaluate(text: &str) -> Result<f64, String> {
    let mut rest = Rest(text.trim());
    let value = rest.sum()?;
    match rest.0 {
        "" => Ok(value),
        left => Err(format!("{left:?} is left of {text:?}")),
    }
}

struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn take(&mut self, token: &str) -> bool {
        let taken = self.0.strip_prefix(token).map(str::trim_start);
        self.0 = taken.unwrap_or(self.0);
        taken.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.take(token) {
            true => Ok(()),
            false => Err(format!("no {token:?} before {:?}", self.0)),
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.take("+") {
                value += self.product()?;
            } else if self.take("-") {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.power()?;
        loop {
            if self.take("*") {
                value *= self.power()?;
            } else if self.take("/") {
                value /= self.power()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn power(&mut self) -> Result<f64, String> {
        let base = self.atom()?;
        match self.take("^") {
            true => Ok(base.powf(self.power()?)),
            false => Ok(base),
        }
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.take("-") {
            return Ok(-self.power()?);
        }
        for (name, combine) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
            if self.take(name) {
                self.expect("(")?;
                let one = self.sum()?;
                self.expect(",")?;
                let other = self.sum()?;
                self.expect(")")?;
                return Ok(combine(one, other));
            }
        }
        let root = self.take("sqrt");
        if self.take("(") {
            let inner = self.sum()?;
            self.expect(")")?;
            return Ok(if root { inner.sqrt() } else { inner });
        }
        let end = self
            .0
            .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'));
        let (number, left) = self.0.split_at(end.unwrap_or(self.0.len()));
        let value = number
            .parse()
            .map_err(|_| format!("no number at {:?}", self.0))?;
        self.0 = left.trim_start();
        Ok(value)
    }
}

#[test]
fn arithmetic_is_read_as_it_is_written() {
    for (text, value) in [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("2 * (1 - 0.5)^2", 0.5),
        ("2^3^2", 512.0),
        ("min(1, 3) + max(2, sqrt(16))", 5.0),
        ("0 - (-0.25)", 0.25),
        ("10 - 2 - 3", 5.0),
    ] {
        assert_eq!(evaluate(text), Ok(value), "{text}");
    }
    assert!(evaluate("1e-3").is_err());
    assert!(evaluate("1 +").is_err());
}
