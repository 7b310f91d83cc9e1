use std::fmt;

macro_rules! codes {
    ($($code:ident $title:literal,)+) => {
        /// What a finding is about. The names are stable; `docs/lint.md` has a failing and a passing example of each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($code,)+
        }

        impl Code {
            pub const ALL: [Self; [$($title),+].len()] = [$(Self::$code),+];

            /// Describes the problem in a line.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$code => $title,)+
                }
            }
        }
    };
}

codes! {
    L001 "unreadable stage file",
    L002 "missing or invalid stage name, or it does not match the folder",
    L003 "unknown key in a stage",
    L004 "invalid value in a stage",
    L005 "missing or unknown termination",
    L006 "setting does not fit the termination",
    L007 "retries are not supported",
    L008 "missing, empty or unreadable prompt",
    L009 "unknown variable",
    L010 "deprecated variable",
    L011 "invalid output path",
    L012 "unknown provider",
    L013 "unusable fixture",
    L014 "deprecated stage key",
    L015 "status parsed from the agent's answer",
    L016 "prompt without `${STATUS}`",
    L017 "prompt without `${CTX}`",
    P001 "unreadable pipeline file",
    P002 "invalid pipeline name, or it does not match the file",
    P003 "pipeline without stages",
    P004 "missing, invalid or duplicate stage id",
    P005 "missing or unknown template",
    P006 "unknown key in a pipeline",
    P007 "invalid value in a pipeline",
    P008 "inputs from a stage that does not run before",
    P009 "`needs` or `when` that cannot be met",
    P010 "cyclic dependency between stages",
    P011 "invalid fan-out",
    P012 "deprecated pipeline key",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
