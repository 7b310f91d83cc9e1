/// Declares an enum whose variants have names in files and messages, each written once, beside its variant.
///
/// It gets `ALL` in the order of declaration, `name`, `from_name` and `Display`.
#[macro_export]
macro_rules! named {
    (
        $(#[$of_type:meta])*
        $visible:vis enum $type:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $(#[$of_type])*
        $visible enum $type {
            $($(#[$of_variant])* $variant,)+
        }

        #[allow(dead_code, reason = "not every enum is both listed and read")]
        impl $type {
            $visible const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            $visible const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            $visible fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.name() == name)
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    crate::named! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        enum Size {
            Small = "small",
            VeryLarge = "very-large",
        }
    }

    #[test]
    fn every_variant_is_listed_named_and_read_back() {
        assert_eq!(Size::ALL, [Size::Small, Size::VeryLarge]);
        assert_eq!(Size::ALL.map(Size::name), ["small", "very-large"]);
        assert_eq!(Size::VeryLarge.to_string(), "very-large");
        assert_eq!(Size::from_name("very-large"), Some(Size::VeryLarge));
        assert_eq!(Size::from_name("Small"), None);
    }
}
