//! Changes that look like refactorings and are none, and some that are.

use stead_code::{Budget, Change, Class, Language, classify};

fn judge(language: &str, files: &[(&str, &str, &str)]) -> (Class, &'static str) {
    let language = Language::from_name(language);
    let changes: Vec<_> = files
        .iter()
        .map(|(path, before, after)| Change { path, language, before: Some(before), after: Some(after) })
        .collect();
    let judged = classify(&changes, &Budget::default());
    (judged.class, judged.how)
}

#[track_caller]
fn check(language: &str, before: &str, after: &str, expected: Class) {
    let (class, how) = judge(language, &[("src/file", before, after)]);
    assert_eq!(class, expected, "{how}\n{before}\n----\n{after}");
}

#[track_caller]
fn evolution(language: &str, before: &str, after: &str) {
    check(language, before, after, Class::Evolution);
}

#[track_caller]
fn refactor(language: &str, before: &str, after: &str) {
    check(language, before, after, Class::Refactor);
}

#[test]
fn the_order_of_evaluation_counts() {
    evolution("rust", "fn f() { let a = g(); let b = h(); k(b, a) }", "fn f() { k(h(), g()) }");
    evolution(
        "rust",
        "fn f(&self) { let n = self.len; self.push(1); k(n) }",
        "fn f(&self) { self.push(1); k(self.len) }",
    );
    evolution("rust", "fn f() { let a = g(); while c() { k(a) } }", "fn f() { while c() { k(g()) } }");
    evolution("rust", "fn f() -> bool { let a = g(); c() && a }", "fn f() -> bool { c() && g() }");
    evolution("rust", "fn f() { let a = g(); k(|| a) }", "fn f() { k(|| g()) }");
    evolution("rust", "fn f() { let a = g(); k(a, a) }", "fn f() { k(g(), g()) }");
    evolution("python", "def f(x):\n    y = x.n\n    x.go()\n    return y", "def f(x):\n    x.go()\n    return x.n");
    evolution("python", "def f():\n    a = []\n    b(a)\n    return a", "def f():\n    b([])\n    return []");
    evolution("javascript", "function f(c) { const a = g(); if (c) { k(a) } }", "function f(c) { if (c) { k(g()) } }");
    evolution("c", "double f(int a) { int x = a / 2.0; return x; }", "double f(int a) { return a / 2.0; }");
    evolution("python", "def f(x):\n    x = x or 1\n    return x", "def f(x):\n    return x or 1 or 1");
    refactor("rust", "fn f() { let a = g(); k(a) }", "fn f() { k(g()) }");
    refactor(
        "go",
        "func f(a int) int {\n\tb := a + 1\n\treturn b * b\n}",
        "func f(a int) int {\n\treturn (a + 1) * (a + 1)\n}",
    );
}

#[test]
fn names_must_mean_the_same() {
    evolution(
        "python",
        "def a():\n    return 1\n\ndef b():\n    return 2\n",
        "def b():\n    return 1\n\ndef a():\n    return 2\n",
    );
    evolution("python", "def a():\n    return b()\n", "def a():\n    return c()\n");
    evolution(
        "python",
        "def a():\n    return 1\n\ndef c():\n    return a() + b()\n",
        "def b():\n    return 1\n\ndef c():\n    return b() + b()\n",
    );
    evolution("rust", "fn f(x: u8, y: u8) -> u8 { x - y }", "fn f(y: u8, x: u8) -> u8 { x - y }");
    refactor("rust", "fn f(x: u8, y: u8) -> u8 { x - y }", "fn f(y: u8, x: u8) -> u8 { y - x }");
    evolution(
        "python",
        "def f(a):\n    return a\n\ndef g():\n    return f(a=1)\n",
        "def f(b):\n    return b\n\ndef g():\n    return f(a=1)\n",
    );
    evolution(
        "python",
        "class C:\n    def add(self, x):\n        self.s.add(x)\n",
        "class C:\n    def push(self, x):\n        self.s.push(x)\n",
    );
    evolution(
        "bash",
        "f() {\n  local a=1\n  g\n}\ng() {\n  echo $a\n}\n",
        "f() {\n  local b=1\n  g\n}\ng() {\n  echo $a\n}\n",
    );
    evolution("javascript", "class C {}\nmodule.exports = { C };\n", "class D {}\nmodule.exports = { D };\n");
}

#[test]
fn the_order_of_what_runs_counts() {
    evolution("python", "def f():\n    return 1\n\nprint(f())\n", "print(f())\n\ndef f():\n    return 1\n");
    evolution(
        "python",
        "def f():\n    return 1\n\ndef f():\n    return 2\n",
        "def f():\n    return 2\n\ndef f():\n    return 1\n",
    );
    evolution("javascript", "a();\nb();\n", "b();\na();\n");
    evolution("java", "class C { int a = f(); int b = g(); }", "class C { int b = g(); int a = f(); }");
    evolution("python", "class C:\n    a: int\n    b: int\n", "class C:\n    b: int\n    a: int\n");
    refactor("rust", "fn a() {}\nfn b() {}\n", "fn b() {}\nfn a() {}\n");
    refactor("javascript", "f();\nfunction f() {}\nfunction g() {}\n", "f();\nfunction g() {}\nfunction f() {}\n");
}

#[test]
fn a_function_is_more_than_its_body() {
    evolution("python", "def f():\n    yield 1\n", "def f():\n    h()\n\ndef h():\n    yield 1\n");
    evolution(
        "javascript",
        "class C { m() { return this.a } }",
        "class C { m() { return h() } }\nfunction h() { return this.a }",
    );
    evolution("javascript", "function f() { go(1) }", "function f() { h() }\nasync function h() { go(1) }");
    evolution("go", "func f() {\n\tdefer a()\n\tb()\n}", "func f() {\n\th()\n\tb()\n}\n\nfunc h() {\n\tdefer a()\n}");
    evolution("rust", "fn f() -> Option<u8> { a()?; b() }", "fn f() -> Option<u8> { h(); b() }\nfn h() { a()?; }");
    evolution("java", "class C { void f() { n++; } }", "class C { void f() { h(); } synchronized void h() { n++; } }");
    evolution(
        "rust",
        "fn f(a: u8, b: u8) -> u8 { a - b }",
        "fn f(a: u8, b: u8) -> u8 { h(b, a) }\nfn h(a: u8, b: u8) -> u8 { a - b }",
    );
    evolution("rust", "fn f() {}", "fn f() {}\nfn unused() {}");
    refactor(
        "rust",
        "fn f(a: u8, b: u8) -> u8 { a - b }",
        "fn f(a: u8, b: u8) -> u8 { h(b, a) }\nfn h(a: u8, b: u8) -> u8 { b - a }",
    );
    refactor(
        "java",
        "class C { void f() { a(); b(); c(); } }",
        "class C { void f() { h(); c(); } private void h() { a(); b(); } }",
    );
}

#[test]
fn a_moved_item_must_find_the_same_names() {
    let item = "def f():\n    return LIMIT\n";
    let files = [
        ("a.py", "LIMIT = 1\n\ndef f():\n    return LIMIT\n", "LIMIT = 1\n"),
        ("b.py", "LIMIT = 2\n", &format!("LIMIT = 2\n\n{item}")),
    ];
    assert_eq!(judge("python", &files).0, Class::Evolution);
    let files = [
        ("a.py", "x = 1\n\ndef f():\n    return 1\n", "x = 1\n"),
        ("b.py", "y = 2\n", "y = 2\n\ndef f():\n    return 1\n"),
    ];
    assert_eq!(judge("python", &files), (Class::Refactor, "move"));
}

#[test]
fn imports_count() {
    evolution("python", "from a import f\n\nf()\n", "from b import f\n\nf()\n");
    evolution("python", "from a import f\nfrom b import g\n\nf(g)\n", "from b import f\nfrom a import g\n\nf(g)\n");
    evolution("python", "import a\n", "import a\nimport b\n");
    refactor("go", "package p\n\nimport \"a\"\nimport \"b\"\n", "package p\n\nimport \"b\"\nimport \"a\"\n");
}

#[test]
fn what_cannot_be_compared_is_unknown() {
    let budget = Budget::default();
    let change = |language, before, after| Change { path: "x", language, before, after };
    let class = |change| classify(&[change], &budget);
    assert_eq!(class(change(None, Some("a"), Some("b"))).how, "language");
    assert_eq!(class(change(Some(Language::Rust), None, Some("fn f() {}"))).how, "text");
    assert_eq!(class(change(Some(Language::Rust), Some("fn f( {"), Some("fn f() {}"))).how, "syntax");
    // An error elsewhere is no obstacle.
    let (before, after) = ("fn a( {\n\nfn b() {}\n", "fn a( {\n\n// more\nfn b() {}\n");
    assert_ne!(class(change(Some(Language::Rust), Some(before), Some(after))).class, Class::Evolution);
    assert_eq!(class(change(Some(Language::Rust), Some("fn a() {}"), Some("fn a() { }"))).how, "format");
    assert_eq!(class(change(Some(Language::Rust), Some("fn a() {}"), Some("fn a() {} // b"))).how, "comment");
}
