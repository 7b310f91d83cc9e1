/// How a command is tied to the one that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` or a line end
    Then,
    /// `|` or `|&`
    Pipe,
    /// `&`
    Background,
    End,
}
